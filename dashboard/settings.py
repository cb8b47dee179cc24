"""Settings of the project. Every value can be set from the environment; README lists them all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dashboard import env, secrets_file
from dashboard.services import addresses

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(env.text("STREAMGAUGE_VAR", str(BASE_DIR / "var"))).resolve()

PRODUCTION = env.flag("STREAMGAUGE_PRODUCTION")
DEBUG = env.flag("STREAMGAUGE_DEBUG")
HOST = env.text("STREAMGAUGE_HOST", "127.0.0.1")
PORT = int(env.number("STREAMGAUGE_PORT", 8000, least=1))

SECRET_KEY = env.text("SECRET_KEY") or secrets_file.read_or_create(VAR_DIR / "secret_key")
ALLOWED_HOSTS = env.names("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
# The only origins that may open a socket or post a form.
CSRF_TRUSTED_ORIGINS = env.names(
    "TRUSTED_ORIGINS", ",".join(f"http://{name}:{PORT}" for name in ("localhost", "127.0.0.1"))
)

DATABASE_URL = env.text("DATABASE_URL") or addresses.database_url(VAR_DIR)
REDIS_URL = env.text("REDIS_URL") or addresses.redis_url(VAR_DIR)
SPARK_MASTER = env.text("SPARK_MASTER", "local[2]")
TRIGGER_SECONDS = env.number("STREAMGAUGE_TRIGGER_SECONDS", 0.5)
MAX_ELEMENTS_PER_BATCH = int(env.number("STREAMGAUGE_MAX_ELEMENTS_PER_BATCH", 500_000, least=1))
DRIVER_PER_JOB = env.flag("STREAMGAUGE_DRIVER_PER_JOB")
FRAMES_KEPT_WHOLE_SECONDS = int(env.number("STREAMGAUGE_FRAMES_KEPT_WHOLE_SECONDS", 3_600, least=60))
FRAMES_KEPT_THINNED_SECONDS = int(env.number("STREAMGAUGE_FRAMES_KEPT_THINNED_SECONDS", 7 * 86_400, least=60))
INGEST_MAX_BYTES = int(env.number("STREAMGAUGE_INGEST_MAX_BYTES", 16 * 1024 * 1024, least=1024))

INSTALLED_APPS = [
    "dashboard",
    "analytics",
    "channels",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "dashboard.middleware.ContentSecurityPolicy",
    "dashboard.middleware.NothingShared",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "dashboard.middleware.RoleRequired",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "dashboard.urls"
ASGI_APPLICATION = "dashboard.asgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.navigation.shell",
            ],
        },
    },
]

DATABASES = {"default": addresses.django_database(DATABASE_URL)}
# Requests and sockets take a connection for a moment each; to open one costs more than most of our questions.
DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": 12, "timeout": 5}
# After a restart of Postgres a pooled connection is tried before it is handed out.
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": env.text("STREAMGAUGE_PREFIX", "sg") + ":channels"},
    }
}

CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}

CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = env.text("STREAMGAUGE_PREFIX", "sg") + ":tasks"
CELERY_TASK_TIME_LIMIT = 120
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE = {
    "supervise": {"task": "analytics.tasks.supervise", "schedule": 2.0, "options": {"expires": 2}},
    "prune": {"task": "analytics.tasks.prune", "schedule": 60.0, "options": {"expires": 60}},
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "overview"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
# WhiteNoise warns at each start while it is missing, even though nothing is kept there.
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
]
# Served straight from the finders: nothing to collect, nothing stale after an update.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = PRODUCTION
# A load balancer asks without TLS, and takes a redirect for ill health.
SECURE_REDIRECT_EXEMPT = [r"^healthz/$"]
SECURE_HSTS_SECONDS = 31_536_000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("BEHIND_PROXY") else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "dashboard.views.errors.csrf_failure"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
    "loggers": {
        "analytics": {"level": "INFO"},
        "dashboard": {"level": "INFO"},
        "spark_jobs": {"level": "INFO"},
    },
}
