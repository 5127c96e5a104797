"""The first steps of an installation can be repeated, and mend what was lost."""

import pytest
from cryptography.fernet import Fernet
from pytest_django import Settings

from fleets.models import AuditEvent, Connection, User
from fleets.models.sealed import SecretUnreadable
from fleets.services.setup import PlatformAccount, ensure_connection, ensure_first_admin

pytestmark = pytest.mark.django_db

ACCOUNT = PlatformAccount(
    sandbox_url="https://sandbox.example.org",
    id_url="https://id.example.org",
    router_url="https://router.example.org/v1",
    api_key="sk-tan-account-1234",
    rate_per_minute=60,
    is_emulator=False,
)


def key_of(connection: Connection) -> str:
    connection.refresh_from_db()
    assert connection.api_key is not None
    return connection.api_key.reveal()


def test_there_is_one_connection_however_often_it_is_set_up() -> None:
    first = ensure_connection(ACCOUNT)
    assert ensure_connection(ACCOUNT).pk == first.pk
    assert Connection.objects.count() == 1
    assert key_of(first) == ACCOUNT.api_key


def test_a_lost_key_ring_is_mended_by_the_same_key_again(settings: Settings) -> None:
    connection = ensure_connection(ACCOUNT)
    settings.FLEETDASH_KEY_RING = [Fernet.generate_key().decode()]
    with pytest.raises(SecretUnreadable):
        key_of(connection)
    ensure_connection(ACCOUNT)
    assert key_of(connection) == ACCOUNT.api_key


def test_the_audit_tells_of_the_key_by_its_fingerprint_alone() -> None:
    ensure_connection(ACCOUNT)
    row = AuditEvent.objects.get(act="connection.set")
    assert ACCOUNT.api_key not in str(row.after)


def test_the_first_admin_is_made_once() -> None:
    made = ensure_first_admin("correct-horse-battery")
    assert made is not None
    assert made.is_admin
    assert ensure_first_admin("another-horse-battery") is None
    assert User.objects.get().check_password("correct-horse-battery")
