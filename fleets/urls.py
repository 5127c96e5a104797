"""Addresses of the app. A URL's name equals its view's."""

from django.urls import path
from django.views.generic import RedirectView

app_name = "fleets"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="fleets:fleet_list"), name="home"),
]
