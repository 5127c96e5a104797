"""Addresses of the app. A URL's name equals its view's."""

from django.urls import path
from django.views.generic import RedirectView

from fleets.views import account

app_name = "fleets"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="fleets:fleet_list"), name="home"),
    path("account", account.account, name="account"),
    path("account/theme", account.account_theme, name="account_theme"),
]
