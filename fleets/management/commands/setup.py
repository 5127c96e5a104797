"""`manage.py setup`: the connection from `PLATFORM_*`, a first team and admin. Repeatable."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from fleets.services.event_store import ensure_partitions
from fleets.services.profile_texts import read_missing_texts
from fleets.services.setup import PlatformAccount, ensure_connection, ensure_first_admin


class Command(BaseCommand):
    help = "Store the platform account from PLATFORM_*, make the first admin and a first team."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.PLATFORM_API_KEY:
            raise CommandError("PLATFORM_API_KEY is not set: give the key of the platform account.")
        connection = ensure_connection(
            PlatformAccount(
                sandbox_url=settings.PLATFORM_SANDBOX_URL,
                id_url=settings.PLATFORM_ID_URL,
                router_url=settings.PLATFORM_ROUTER_URL,
                api_key=settings.PLATFORM_API_KEY,
                rate_per_minute=settings.PLATFORM_RATE_PER_MINUTE,
                is_emulator="127.0.0.1" in settings.PLATFORM_SANDBOX_URL
                or "emulator" in settings.PLATFORM_SANDBOX_URL,
            )
        )
        ensure_partitions(timezone.now().date())
        read_missing_texts()
        self.stdout.write(f"connection: {connection.name} ({connection.sandbox_url})")
        if not settings.FLEETDASH_ADMIN_PASSWORD:
            return
        user = ensure_first_admin(settings.FLEETDASH_ADMIN_PASSWORD)
        self.stdout.write("admin: made" if user else "admin: there already")
