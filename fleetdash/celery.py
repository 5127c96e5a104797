"""The Celery application: wiring of the task queue (architecture: driving fleets)."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "fleetdash.settings")

app = Celery("fleetdash")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["fleets"])
