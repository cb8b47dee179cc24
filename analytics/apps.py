from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AnalyticsConfig(AppConfig):
    name = "analytics"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from analytics.roles import ensure_roles

        post_migrate.connect(ensure_roles, sender=self)
