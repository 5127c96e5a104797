"""Addresses of the app. A URL's name equals its view's."""

from django.urls import path
from django.views.generic import RedirectView

from fleets.views import account, fleet_export, fleet_list, launch

app_name = "fleets"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="fleets:fleet_list"), name="home"),
    path("fleets/", fleet_list.fleet_list, name="fleet_list"),
    path("fleets/export", fleet_export.fleet_export, name="fleet_export"),
    path("fleets/new", launch.fleet_new, name="fleet_new"),
    path("fleets/new/preview", launch.fleet_preview, name="fleet_preview"),
    path("fleets/launch", launch.fleet_launch, name="fleet_launch"),
    path("account", account.account, name="account"),
    path("account/theme", account.account_theme, name="account_theme"),
]
