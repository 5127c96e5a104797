"""The app: catalogs, fleets, and what drives them."""

from django.apps import AppConfig


class FleetsConfig(AppConfig):
    name = "fleets"
    verbose_name = "Fleets"
