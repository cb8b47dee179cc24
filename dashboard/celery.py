"""The Celery application: launches and supervises drivers, prunes frames."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

app = Celery("streamgauge")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["analytics"])
