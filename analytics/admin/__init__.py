"""The admin site. Everything that is saved here goes through the services, so plans and audits stay right."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest

from analytics import access
from analytics.admin import jobs, queries, records, streams, tokens

__all__ = ["jobs", "queries", "records", "streams", "tokens"]


def _may_enter(request: HttpRequest) -> bool:
    return access.may_administer(request.user)


admin.site.site_header = admin.site.site_title = "Streamgauge"
admin.site.index_title = "Administration"
# The role decides who is let in, not Django's staff flag, which would have to be kept in step with it.
admin.site.has_permission = _may_enter
admin.site.login_form = AuthenticationForm
