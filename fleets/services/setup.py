"""First steps of an installation, each safe to repeat: the connection, a team, the first admin."""

from dataclasses import dataclass

from django.db import transaction

from fleets.domain.status import Role
from fleets.models import Connection, SealedSecret, Team, User
from fleets.models.sealed import SecretUnreadable, fingerprint
from fleets.services import audit
from fleets.services.actor import SYSTEM


@dataclass(frozen=True, slots=True)
class PlatformAccount:
    """Where the platform is, and the account key."""

    sandbox_url: str
    id_url: str
    router_url: str
    api_key: str
    rate_per_minute: int
    is_emulator: bool


@transaction.atomic
def ensure_connection(account: PlatformAccount) -> Connection:
    """Make or update the one connection of this installation."""
    connection = Connection.objects.select_for_update().first() or Connection()
    connection.name = "emulator" if account.is_emulator else "tangle"
    connection.sandbox_url = account.sandbox_url
    connection.id_url = account.id_url
    connection.router_url = account.router_url
    connection.rate_per_minute = account.rate_per_minute
    connection.is_emulator = account.is_emulator
    new_print = fingerprint(account.api_key)
    if connection.api_key_fingerprint != new_print or not _opens(connection.api_key):
        connection.api_key = SealedSecret.seal(account.api_key)
        connection.api_key_last_four = account.api_key[-4:]
        connection.api_key_fingerprint = new_print
    connection.save()
    audit.record(
        "connection.set",
        actor=SYSTEM,
        object_type="connection",
        object_id=connection.name,
        after={"sandboxUrl": connection.sandbox_url, "keyFingerprint": new_print},
    )
    return connection


def _opens(secret: SealedSecret | None) -> bool:
    """False when the key ring that sealed it is lost; then it is sealed anew."""
    try:
        return secret is not None and bool(secret.reveal())
    except SecretUnreadable:
        return False


@transaction.atomic
def ensure_first_admin(password: str) -> User | None:
    """Make the user `admin` with this password when there is no admin yet; None otherwise."""
    team, _ = Team.objects.get_or_create(slug="main", defaults={"name": "Main"})
    if User.objects.filter(role=Role.ADMIN).exists():
        return None
    user = User.objects.create_user(username="admin", password=password, role=Role.ADMIN)
    user.teams.add(team)
    audit.record(
        "user.create",
        actor=SYSTEM,
        object_type="user",
        object_id=user.username,
        after={"role": user.role},
    )
    return user
