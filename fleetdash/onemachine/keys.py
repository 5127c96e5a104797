"""Keys and passwords of one machine: made once, kept in `secrets.env` with mode 600."""

import base64
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from fleetdash.onemachine.private_files import read_env, write_env
from fleetdash.onemachine.refusals import explained

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another


@dataclass(frozen=True, slots=True, repr=False)
class Keys:
    """What `make up` itself has to know of them; the settings read the file."""

    admin_password: str
    emulator_account: str
    is_password_given: bool = False

    @classmethod
    def keep(cls, data: Path, environment: Mapping[str, str] = os.environ) -> Self:
        """Read the keys of `data`, making those that are missing.

        A password that comes by `FLEETDASH_ADMIN_PASSWORD` is used and not written down.
        """
        path = data / "secrets.env"
        with explained(data):
            known = read_env(path)
            wanted = {
                "SECRET_KEY": secrets.token_urlsafe(48),
                # A list of Fernet keys, newest first; a new one is put in front by hand.
                "FLEETDASH_KEY_RING": base64.urlsafe_b64encode(os.urandom(32)).decode(),
                "FLEETDASH_EMULATOR_KEY": f"sk-tan-emulator-{secrets.token_hex(16)}",
            }
            given = environment.get("FLEETDASH_ADMIN_PASSWORD")
            if not given:
                wanted["FLEETDASH_ADMIN_PASSWORD"] = "".join(
                    secrets.choice(_LETTERS) for _ in range(14)
                )
            if not wanted.keys() <= known.keys():
                write_env(path, wanted | known)
        kept = wanted | known
        return cls(
            admin_password=given or kept["FLEETDASH_ADMIN_PASSWORD"],
            emulator_account=kept["FLEETDASH_EMULATOR_KEY"],
            is_password_given=bool(given),
        )
