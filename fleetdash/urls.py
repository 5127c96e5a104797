"""Addresses of the project: accounts, health, and the app."""

from allauth.account import views as account_views
from django.urls import include, path

from fleetdash import health

handler403 = "fleets.views.errors.forbidden"
handler404 = "fleets.views.errors.not_found"
handler500 = "fleets.views.errors.server_error"

urlpatterns = [
    path("healthz/live", health.live, name="health_live"),
    path("healthz/ready", health.ready, name="health_ready"),
    path("accounts/login/", account_views.login, name="account_login"),
    path("accounts/signup/", account_views.signup, name="account_signup"),
    path("accounts/inactive/", account_views.account_inactive, name="account_inactive"),
    path("accounts/logout/", account_views.logout, name="account_logout"),
    path(
        "accounts/password/change/", account_views.password_change, name="account_change_password"
    ),
    path("accounts/reauthenticate/", account_views.reauthenticate, name="account_reauthenticate"),
    path("", include("fleets.urls")),
]
