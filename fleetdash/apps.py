"""Loads the Celery application in every process that runs Django."""

from django.apps import AppConfig


class FleetdashConfig(AppConfig):
    name = "fleetdash"

    def ready(self) -> None:
        from fleetdash import celery, checks

        assert celery.app is not None
        assert checks.__name__
