"""Settings of the project. Business words live in `fleets`; this file is wiring only."""

from csp.constants import NONE, SELF
from django.contrib.messages import constants as message_levels

from fleetdash import __version__
from fleetdash import env as settings_env
from fleetdash.log_config import logging_config

env = settings_env.read()
BASE_DIR = settings_env.BASE_DIR
VAR_DIR = settings_env.var_dir()

DEBUG = settings_env.boolean(env, "DEBUG", default="0")
SECRET_KEY = settings_env.required(env, "SECRET_KEY")
# Fernet keys, newest first: secrets at rest are sealed with the first and opened with any.
FLEETDASH_KEY_RING: list[str] = settings_env.required(env, "FLEETDASH_KEY_RING").split(",")
BASE_URL = str(env.str("FLEETDASH_BASE_URL", default="http://localhost:8000")).rstrip("/")
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "fleetdash",
    "fleets",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "template_partials",
    "allauth",
    "allauth.account",
    "csp",
    "pgtrigger",
]

MIDDLEWARE = [
    "fleetdash.middleware.RequestIdMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "servestatic.middleware.ServeStaticMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "fleetdash.middleware.ViewerTimeZoneMiddleware",
    "fleetdash.middleware.HtmxLoginMiddleware",
    "fleetdash.middleware.NulMiddleware",
    "fleetdash.middleware.NoPageMiddleware",
]

ROOT_URLCONF = "fleetdash.urls"
ASGI_APPLICATION = "fleetdash.asgi.application"

_TEMPLATE_SOURCES = [
    "fleetdash.template_loader.Loader",
    "django.template.loaders.app_directories.Loader",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [("django.template.loaders.cached.Loader", _TEMPLATE_SOURCES)],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "fleets.shell.shell",
            ],
            "builtins": [
                "template_partials.templatetags.partials",
                "fleets.templatetags.states",
                "fleets.templatetags.money",
                "fleets.templatetags.times",
                "fleets.templatetags.icons",
                "fleets.templatetags.ids",
            ],
        },
    }
]

DATABASES = {"default": env.db_url_config(settings_env.required(env, "DATABASE_URL"))}
DATABASES["default"]["ATOMIC_REQUESTS"] = False
DATABASES["default"]["CONN_MAX_AGE"] = 0
# A pooled connection is tried before it is used: after a restart of Postgres all of them are dead.
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"].setdefault("OPTIONS", {})["pool"] = {
    "min_size": 0,
    "max_size": env.int("DATABASE_POOL_SIZE", default=12),
    "timeout": 5,
    # Left alone the pool doubles its pause between two tries, up to minutes, while everybody waits
    # for it: after a long absence of Postgres that would be as long again. So it gives up soon, and
    # whoever asks next makes it try at once.
    "reconnect_timeout": 2,
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
REDIS_URL = settings_env.required(env, "REDIS_URL")

AUTH_USER_MODEL = "fleets.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "fleets:fleet_list"
ACCOUNT_ADAPTER = "fleetdash.accounts.ClosedSignup"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_REAUTHENTICATION_TIMEOUT = 600
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_FORMS: dict[str, str] = {}
# allauth's limits count in the cache; one web process keeps them in memory, several share Redis.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "fleetdash:cache",
    }
}

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "fleets.views.errors.csrf_failure"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
HTTPS = settings_env.boolean(env, "HTTPS", default="1" if BASE_URL.startswith("https:") else "0")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REDIRECT_EXEMPT = [r"^healthz/"]  # asked from beside the server, without the proxy
# Subdomains and the browsers' preload list belong to whoever owns the domain, not to this site.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2_000
DATA_UPLOAD_MAX_NUMBER_FILES = 1_000  # of a folder that is imported

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "servestatic.storage.CompressedManifestStaticFilesStorage"},
}
SERVESTATIC_USE_MANIFEST = not DEBUG

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
MESSAGE_LEVEL = message_levels.INFO

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "unacked_restore_interval": 5,
    "global_keyprefix": "fleetdash:queue:",
}
CELERY_TASK_DEFAULT_QUEUE = "housekeeping"
CELERY_TASK_SOFT_TIME_LIMIT = 120
CELERY_TASK_TIME_LIMIT = 150
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")
# Due work is found in Postgres by these sweeps; a lost message costs seconds, never work.
CELERY_BEAT_SCHEDULE = {
    "reap-runs": {
        "task": "fleets.reap_runs",
        "schedule": 2.0,
        "options": {"queue": "drive", "expires": 2},
    },
    "resend-operations": {
        "task": "fleets.resend_operations",
        "schedule": 2.0,
        "options": {"queue": "interactive", "expires": 2},
    },
    "check-answers": {
        "task": "fleets.check_answers",
        "schedule": 5.0,
        "options": {"queue": "checks", "expires": 5},
    },
    "watch-fleets": {
        "task": "fleets.watch_fleets",
        "schedule": 5.0,
        "options": {"queue": "housekeeping", "expires": 5},
    },
    "read-accounts": {
        "task": "fleets.read_accounts",
        "schedule": 5.0,
        "options": {"queue": "housekeeping", "expires": 5},
    },
    "keep-catalogs": {
        "task": "fleets.keep_catalogs",
        "schedule": 60.0,
        "options": {"queue": "housekeeping", "expires": 60},
    },
}

# The platform account of the first connection; `manage.py setup` stores it.
PLATFORM_SANDBOX_URL = env.str("PLATFORM_SANDBOX_URL", default="https://sandbox.tangle.tools")
PLATFORM_ID_URL = env.str("PLATFORM_ID_URL", default="https://id.tangle.tools")
PLATFORM_ROUTER_URL = env.str("PLATFORM_ROUTER_URL", default="https://router.tangle.tools/v1")
PLATFORM_API_KEY = env.str("PLATFORM_API_KEY", default="")
PLATFORM_RATE_PER_MINUTE = env.int("PLATFORM_RATE_PER_MINUTE", default=300)
FLEETDASH_VERSION: str = __version__
# What a scraper sends as `Authorization: Bearer …` for /metrics; empty: admins only.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
FLEETDASH_ADMIN_PASSWORD = env.str("FLEETDASH_ADMIN_PASSWORD", default="")

LOGGING_CONFIG = None
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
LOG_FORMAT = env.str("LOG_FORMAT", default="text")
logging_config(level=LOG_LEVEL, output=LOG_FORMAT)
