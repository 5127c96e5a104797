"""Settings of the tests: the same house on a throw-away database and Redis.

`python -m fleetdash.embedded run` sets `DATABASE_URL` and `REDIS_URL`; linters and type checkers
import this file with neither, so both have a harmless default.
"""

import os

os.environ.setdefault("SECRET_KEY", "only-for-tests-0123456789-0123456789-0123456789-abcdef")
os.environ.setdefault("FLEETDASH_KEY_RING", "b25seS1mb3ItdGVzdHMtMDEyMzQ1Njc4OS0wMTIzNDU=")
os.environ.setdefault("DATABASE_URL", "postgres://nobody@127.0.0.1:1/fleetdash")
os.environ.setdefault("REDIS_URL", "redis://127.0.0.1:1/0")

from fleetdash.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
ALLOWED_HOSTS = ["*"]
ACCOUNT_RATE_LIMITS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
SERVESTATIC_AUTOREFRESH = True
SERVESTATIC_USE_FINDERS = True
SERVESTATIC_USE_MANIFEST = False
