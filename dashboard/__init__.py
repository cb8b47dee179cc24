"""The web and the project's shell. Importing it sets up Celery, so that every process can send tasks."""

from dashboard.celery import app as celery_app

__all__ = ["celery_app"]
