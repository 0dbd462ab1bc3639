"""Settings of the project; every value comes from the environment or `.env` (see .env.example)."""

import zoneinfo
from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF
from django.core.checks.security.base import SECRET_KEY_MIN_LENGTH, SECRET_KEY_MIN_UNIQUE_CHARACTERS
from django.core.exceptions import ImproperlyConfigured
from django.utils.text import slugify

from scheduler_project.own_code import json_setting, own_apps
from staging.phrases import phrase

BASE_DIR = Path(__file__).resolve().parent.parent

# Time zones come from the pinned tzdata package, the same on every host, and never from the machine's own copy, which
# may be years old. Every process reads these settings before it reads a zone.
zoneinfo.reset_tzpath(to=())
zoneinfo.ZoneInfo.clear_cache()

env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env("SECRET_KEY", default="insecure-development-key" if DEBUG else "")
if not SECRET_KEY:
    raise ImproperlyConfigured(phrase("SECRET_KEY is not set. Put it into the environment or .env, or use `make run`."))
if not DEBUG and (len(SECRET_KEY) < SECRET_KEY_MIN_LENGTH or len(set(SECRET_KEY)) < SECRET_KEY_MIN_UNIQUE_CHARACTERS):
    raise ImproperlyConfigured(
        phrase(
            "SECRET_KEY can be guessed: it has to have {length} random characters or more. "
            "Make one: python3 -c 'import secrets; print(secrets.token_urlsafe(50))'",
            length=SECRET_KEY_MIN_LENGTH,
        )
    )
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "scheduler_project",  # its `createsuperuser` is found before the one of Django
    "scheduling.apps.PagesConfig",  # the admin, whose pages are found with the addresses
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "drf_spectacular_sidecar",  # files of the API's documentation page
    "staging",
    "scheduling",
]

# Own code: its jobs and tasks are found like ours.
EXTRA_APPS = own_apps(env.list("EXTRA_APPS", default=[]), env.list("EXTRA_PATH", default=[]), base=BASE_DIR)
INSTALLED_APPS += EXTRA_APPS

MIDDLEWARE = [
    "scheduler_project.around.RoomMiddleware",
    "scheduler_project.around.HeadersMiddleware",
    "scheduler_project.around.ProxyMiddleware",
    "scheduler_project.around.RefusalsMiddleware",
    "scheduler_project.health.HealthMiddleware",  # before what asks for a host name or HTTPS: probes have none
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "scheduler_project.around.SessionsMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "scheduler_project.around.DoerMiddleware",
    "scheduling.admin.times.choices.LanguageMiddleware",
    "scheduling.admin.times.choices.TimesMiddleware",
    "scheduler_project.around.VisitsMiddleware",
    "scheduler_project.around.IntakeMiddleware",  # before anything reads the body
    "django.middleware.csrf.CsrfViewMiddleware",
    "scheduler_project.around.UnsentMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "scheduler_project.around.WrongMethodMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "scheduler_project.urls"
WSGI_APPLICATION = "scheduler_project.wsgi.application"
FORM_RENDERER = "scheduling.admin.written.Written"  # as Django's templates write inputs, in a tenth of the time

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "staging.pages.rights_of_page",
                "scheduling.admin.monitoring.context.scheduler",
            ],
        },
    },
]

# --- database -------------------------------------------------------------------------------------------------------

_DATABASE_URL = env("DATABASE_URL", default="") or f"sqlite:///{BASE_DIR / 'var' / 'scheduler.sqlite3'}"
DATABASES = {"default": env.db_url_config(_DATABASE_URL)}
DATABASES["default"]["CONN_MAX_AGE"] = env.int("DB_CONN_MAX_AGE", default=60)
_SQLITE_OPTIONS = {
    # A transaction that reads before it writes fails at once under WAL unless it takes the write lock first.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "cached_statements": 500,  # those that look into staging tables take longer to prepare than to run
    "init_command": (  # the checkpoint comes after 16 MB: after 4 a deposit of 10,000 rows waits as long again for it
        "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA temp_store=MEMORY;PRAGMA wal_autocheckpoint=4000;"
        "PRAGMA mmap_size=134217728;PRAGMA journal_size_limit=67108864;PRAGMA cache_size=-20000"
    ),
}
_POSTGRESQL_OPTIONS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "options": (
        f"-c lock_timeout={env.int('DB_LOCK_TIMEOUT_MS', default=5_000)}"
        f" -c statement_timeout={env.int('DB_STATEMENT_TIMEOUT_MS', default=60_000)}"
        f" -c idle_in_transaction_session_timeout={env.int('DB_IDLE_TIMEOUT_MS', default=60_000)}"
        " -c client_connection_check_interval=2s"
        # What we count on, whatever the server has as its default; to compile a statement takes longer than to run it.
        r" -c default_transaction_isolation=read\ committed -c jit=off"
    ),
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = _SQLITE_OPTIONS
    _file = Path(DATABASES["default"]["NAME"])
    _file.parent.mkdir(parents=True, exist_ok=True)
    if not _file.exists():  # passwords and sessions are in it: nobody else on this machine reads them
        _file.touch(mode=0o600)
else:
    DATABASES["default"]["OPTIONS"] = _POSTGRESQL_OPTIONS
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

SCRIPT_ROLE = env("SCRIPT_ROLE", default="staging_scripts")

# --- scheduler ------------------------------------------------------------------------------------------------------

DISPATCH_INTERVAL_SECONDS = env.int("DISPATCH_INTERVAL_SECONDS", default=60)
ZOMBIE_TIMEOUT_MINUTES = env.float("ZOMBIE_TIMEOUT_MINUTES", default=5)
HEARTBEAT_SECONDS = env.float("HEARTBEAT_SECONDS", default=10)
RESEND_AFTER_SECONDS = env.int("RESEND_AFTER_SECONDS", default=90)
CANCEL_GRACE_SECONDS = env.int("CANCEL_GRACE_SECONDS", default=60)
CLOCK_TOLERANCE_SECONDS = env.float("CLOCK_TOLERANCE_SECONDS", default=60)
STOP_GRACE_SECONDS = env.float("STOP_GRACE_SECONDS", default=25)
MISSED_AFTER_SECONDS = env.int("MISSED_AFTER_SECONDS", default=300)
MOST_ITEMS_OF_A_STEP = env.int("MOST_ITEMS_OF_A_STEP", default=1000)
BACKFILL_SLOTS = env.int("BACKFILL_SLOTS", default=500)
HTTP_STEPS = env.list("HTTP_STEPS", default=[])
HTTP_STEPS_INTERNAL_ADDRESSES = env.bool("HTTP_STEPS_INTERNAL_ADDRESSES", default=False)
COMMAND_STEPS = json_setting("COMMAND_STEPS", env("COMMAND_STEPS", default="{}"))
SCHEDULER_ALLOW_TIME_TRAVEL = env.bool("SCHEDULER_ALLOW_TIME_TRAVEL", default=False)
CHANGE_REASON_REQUIRED = env.bool("CHANGE_REASON_REQUIRED", default=False)
MERGE_CHUNK_ROWS = env.int("MERGE_CHUNK_ROWS", default=0)  # 0: what suits the database
BATCH_LANES = env.int("BATCH_LANES", default=2)
LOCAL_THREADS = env.int("LOCAL_THREADS", default=4)
RETENTION_CRON = env("RETENTION_CRON", default="17 * * * *")
TIME_ZONE_CRON = env("TIME_ZONE_CRON", default="47 * * * *")
REPORT_CRON = env("REPORT_CRON", default="0 6 * * *")
STATISTICS_CRON = env("STATISTICS_CRON", default="7 * * * *")

# --- uploads --------------------------------------------------------------------------------------------------------

FILE_UPLOAD_HANDLERS = ["staging.uploads.quota.Nothing"]  # of people who are signed in: those of IntakeMiddleware
UPLOAD_HANDLERS = [
    "staging.uploads.quota.Quota",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
UPLOAD_FOLDER = env("UPLOAD_FOLDER", default="") or str(BASE_DIR / "var" / "uploads")
UPLOAD_MAX_BYTES = env.int("UPLOAD_MAX_BYTES", default=268_435_456)
UPLOAD_MAX_UNPACKED_BYTES = env.int("UPLOAD_MAX_UNPACKED_BYTES", default=536_870_912)
UPLOAD_MAX_ROWS = env.int("UPLOAD_MAX_ROWS", default=2_000_000)
UPLOAD_MAX_COLUMNS = env.int("UPLOAD_MAX_COLUMNS", default=500)
UPLOAD_MAX_CELL_CHARACTERS = env.int("UPLOAD_MAX_CELL_CHARACTERS", default=100_000)

# --- REST API -------------------------------------------------------------------------------------------------------

API_REQUESTS_PER_MINUTE = env.int("API_REQUESTS_PER_MINUTE", default=30_000)
API_MAX_BODY_BYTES = env.int("API_MAX_BODY_BYTES", default=67_108_864)
API_MAX_STREAM_BYTES = env.int("API_MAX_STREAM_BYTES", default=4_294_967_296)
CACHES = {
    "default": {  # counts the requests of each token, in each process by itself
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    }
}
REST_FRAMEWORK = {
    "UNAUTHENTICATED_USER": None,
    "EXCEPTION_HANDLER": "staging.api.kit.problems.problem_answer",
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Staging Scheduler",
    "DESCRIPTION": "Deposit rows, follow their batches, read members and their changes, operate and configure.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": True,
    "POSTPROCESSING_HOOKS": ["staging.api.kit.openapi.add_shared"],
    "SCHEMA_PATH_PREFIX": "/api/v1/",
}

# --- alerts ----------------------------------------------------------------------------------------------------------

# smtp+tls://user:password@mail.example.com:587; empty: no e-mail is sent.
_MAIL = env.email_url_config(env("EMAIL_URL", default="") or "smtp://")
EMAIL_HOST, EMAIL_PORT = _MAIL["EMAIL_HOST"] or "", _MAIL["EMAIL_PORT"] or 25
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL["EMAIL_HOST_USER"] or "", _MAIL["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.get("EMAIL_USE_TLS", False), _MAIL.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env("EMAIL_FROM", default="scheduler@localhost")
SITE_URL = env("SITE_URL", default="http://localhost:8000").rstrip("/")
ALERTS_INTERNAL_ADDRESSES = env.bool("ALERTS_INTERNAL_ADDRESSES", default=False)
ALERTS_PING_URL = env("ALERTS_PING_URL", default="")

# --- `make run` only -----------------------------------------------------------------------------------------------

PORT = env.int("PORT", default=8000)
DEMO = env.bool("DEMO", default=True)
DEMO_PASSWORD = env("DEMO_PASSWORD", default="")

# --- Celery (production profile; without a broker the embedded profile runs the same tasks by `run_local`) -----------

CELERY_BROKER_URL = env("CELERY_BROKER_URL", default="")
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # A Redis that accepts but does not answer must not hang "process now".
    "socket_timeout": 4,
    "socket_connect_timeout": 3,
    "socket_keepalive": True,
    "health_check_interval": 25,
    "global_keyprefix": env("CELERY_KEY_PREFIX", default="staging-scheduler:"),
}
# However long the broker is away, workers and beat wait for it: Celery's own limit ends them after 100 tries.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = False  # the database re-sends; late acknowledgement runs a job twice after a TCP reset
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0}
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_ENABLE_UTC = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_DISABLE_PREFETCH = True
CELERY_WORKER_MAX_TASKS_PER_CHILD = 500
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = STOP_GRACE_SECONDS + 5  # of a cold shutdown; what runs is handed back before
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_DEFAULT_QUEUE = "work"
CELERY_TASK_ROUTES = {"scheduling.dispatch": {"queue": "dispatch"}}

# --- web ------------------------------------------------------------------------------------------------------------

LANGUAGES = [("en", "English"), ("nl", "Nederlands")]
LANGUAGE_CODE = env("LANGUAGE_CODE", default="en")
if LANGUAGE_CODE not in dict(LANGUAGES):
    raise ImproperlyConfigured(phrase("LANGUAGE_CODE is {code!r}; it has to be en or nl.", code=LANGUAGE_CODE))
TIME_ZONE = "UTC"
LOCALE_PATHS = [BASE_DIR / "scheduler_project" / "locale"]
FORMAT_MODULE_PATH = ["scheduler_project.formats"]  # one form of instants, on the pages of Django as on ours
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
] + [{"NAME": "scheduler_project.sign_in.AuditedPassword"}]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"  # where a sign-in goes whose `next` is refused
# The lock comes first: an account that is locked is asked for no password.
AUTHENTICATION_BACKENDS = ["scheduler_project.sign_in.Lock", "staging.rights.EntityRights"]
AXES_FAILURE_LIMIT = env.int("SIGN_IN_ATTEMPTS", default=10)
AXES_COOLOFF_TIME = timedelta(minutes=env.int("SIGN_IN_LOCK_MINUTES", default=15))
SIGN_IN_ADDRESS_ATTEMPTS = env.int("SIGN_IN_ADDRESS_ATTEMPTS", default=100)
AXES_HANDLER = "scheduler_project.sign_in.AccountAndAddress"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_LOCKOUT_TEMPLATE = "locked.html"
AXES_ENABLE_ADMIN = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False

# Single sign-on by OpenID Connect: two settings switch it on.
OIDC_ISSUER = env("OIDC_ISSUER", default="").rstrip("/")
OIDC_CLIENT = env("OIDC_CLIENT", default="")
OIDC_NAME = env("OIDC_NAME", default="your organisation")
OIDC_SCOPES = env("OIDC_SCOPES", default="openid profile email")
OIDC_GROUPS_CLAIM = env("OIDC_GROUPS_CLAIM", default="groups")
OIDC_PROVIDER = slugify(OIDC_ISSUER.partition("://")[2].replace("/", "-").replace(".", "-").replace(":", "-"))
LOCAL_ACCOUNTS = env.bool("LOCAL_ACCOUNTS", default=True)
_client_id, _, _client_secret = OIDC_CLIENT.rpartition(":")
if bool(OIDC_ISSUER) != bool(_client_id and _client_secret):
    raise ImproperlyConfigured(phrase("Single sign-on needs both OIDC_ISSUER and OIDC_CLIENT (its id:secret)."))
if not LOCAL_ACCOUNTS and not OIDC_ISSUER:
    raise ImproperlyConfigured(phrase("Without local accounts nobody comes in but by OIDC_ISSUER and OIDC_CLIENT."))
if OIDC_ISSUER:
    INSTALLED_APPS += ["allauth", "allauth.account", "allauth.socialaccount"]
    INSTALLED_APPS += ["allauth.socialaccount.providers.openid_connect"]
    MIDDLEWARE.append("allauth.account.middleware.AccountMiddleware")
    if not LOCAL_ACCOUNTS:
        _place = MIDDLEWARE.index("scheduler_project.around.DoerMiddleware")  # right behind the authentication
        MIDDLEWARE.insert(_place, "scheduler_project.single_sign_on.NoLocalSessionsMiddleware")
    SESSION_COOKIE_AGE = 12 * 3600  # after that the provider is asked again whether somebody still comes in
    ACCOUNT_EMAIL_VERIFICATION = "none"
    SOCIALACCOUNT_ADAPTER = "scheduler_project.single_sign_on.SingleSignOn"
    SOCIALACCOUNT_LOGIN_ON_GET = True
    _app = {"provider_id": OIDC_PROVIDER, "name": OIDC_NAME, "client_id": _client_id, "secret": _client_secret}
    SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "SCOPE": OIDC_SCOPES.split(),
            "APPS": [{**_app, "settings": {"server_url": OIDC_ISSUER}}],
        }
    }

DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000  # an entity's form sends about 14 fields for each attribute

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True

# HTTPS is on unless this is a local installation: cookies marked secure would never come back over plain HTTP.
HTTPS = env.bool("HTTPS", default=False)
SECURE_SSL_REDIRECT = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS and env.bool("HSTS_PRELOAD", default=False)
SILENCED_SYSTEM_CHECKS = ["security.W021"]  # preloading binds a whole domain for long: its owner decides
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
# A browser takes a cookie of such a name from this host alone, by HTTPS, for all of its paths.
_COOKIE = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{_COOKIE}sessionid"
CSRF_COOKIE_NAME = f"{_COOKIE}csrftoken"
CSRF_FAILURE_VIEW = "scheduler_project.failures.stale_form"
CSRF_COOKIE_HTTPONLY = True  # pages carry the token in their forms
SESSION_COOKIE_SAMESITE = "Lax"  # the way back from single sign-on brings it
CSRF_COOKIE_SAMESITE = "Strict"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"  # they may tell of rows: in no cookie
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
METRICS_TOKEN = env("METRICS_TOKEN", default="")

_LOG_FORMATS = {"line": {"()": "scheduler_project.logs.PlainLines"}, "json": {"()": "scheduler_project.logs.JsonLines"}}
_LOG_FORMAT = env("LOG_FORMAT", default="line")
if _LOG_FORMAT not in _LOG_FORMATS:
    raise ImproperlyConfigured(phrase("LOG_FORMAT is {format!r}; it has to be line or json.", format=_LOG_FORMAT))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": _LOG_FORMATS,
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": _LOG_FORMAT}},
    "root": {"handlers": ["console"], "level": env("LOG_LEVEL", default="INFO")},
    "loggers": {
        "axes": {"level": "WARNING"},  # it tells of each sign-in four times
        "django": {"handlers": [], "propagate": True},  # as everybody's, and not once more in a format of its own
        # These write URLs and tokens of alert services as they are; what became of a message stands with its channel.
        **{name: {"level": "CRITICAL"} for name in ("apprise", "urllib3", "oauthlib", "requests_oauthlib")},
    },
}

# --- errors and traces, for whoever collects them -------------------------------------------------------------------

SENTRY_DSN = env("SENTRY_DSN", default="")
OTEL_EXPORTER_OTLP_ENDPOINT = env("OTEL_EXPORTER_OTLP_ENDPOINT", default="")
if SENTRY_DSN or OTEL_EXPORTER_OTLP_ENDPOINT:
    from scheduler_project import observability

    if SENTRY_DSN:
        observability.send_errors(SENTRY_DSN)
    if OTEL_EXPORTER_OTLP_ENDPOINT:
        observability.send_spans()
