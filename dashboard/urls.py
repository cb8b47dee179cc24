"""Every address of the site."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import path

from dashboard.views import (
    accounts,
    api,
    frequent,
    help,
    ingest,
    jobs,
    overview,
    pins,
    preview,
    queries,
    registration,
    streams,
)

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("streams/", streams.streams, name="streams"),
    # Not under streams/, where it would take a name from the streams.
    path("new-stream/", streams.stream_new, name="stream_new"),
    path("streams/<slug:name>/", streams.stream, name="stream"),
    path("streams/<slug:name>/tokens/", streams.token_create, name="token_create"),
    path("streams/<slug:name>/tokens/<int:token_id>/revoke/", streams.token_revoke, name="token_revoke"),
    path("jobs/", jobs.jobs, name="jobs"),
    path("jobs/<int:job_id>/", jobs.job, name="job"),
    path("jobs/<int:job_id>/log/", jobs.job_log, name="job_log"),
    path("jobs/<int:job_id>/<str:action>/", jobs.job_action, name="job_action"),
    path("queries/", queries.queries, name="queries"),
    path("heavy-hitters/", queries.frequent, name="frequent"),
    path("queries/new/", registration.new, name="query_new"),
    path("queries/<int:query_id>/", queries.query, name="query"),
    path("queries/<int:query_id>/edit/", registration.edit, name="query_edit"),
    path("queries/<int:query_id>/remove/", registration.remove, name="query_remove"),
    path("queries/<int:query_id>/pause/", registration.pause, name="query_pause"),
    path("queries/<int:query_id>/clone/", registration.clone, name="query_clone"),
    path("queries/<int:query_id>/frames/<int:number>.csv", frequent.export_csv, name="frame_csv"),
    path("pins/<int:query_id>/", pins.toggle, name="pin"),
    path("help/frequent/", help.frequent, name="help_frequent"),
    path("api/goto/", api.goto, name="api_goto"),
    path("api/queries/<int:query_id>/frames/", api.frames, name="api_frames"),
    path("api/queries/<int:query_id>/frames/<int:number>/", api.frame, name="api_frame"),
    path("api/queries/<int:query_id>/timeline/", api.timeline, name="api_timeline"),
    path("api/preview/<str:kind>/", preview.preview, name="api_preview"),
    path("api/streams/<slug:name>/elements/", ingest.elements, name="ingest"),
    path("healthz/", api.health, name="health"),
    path("accounts/login/", accounts.LogIn.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("admin/login/", accounts.admin_login),
    path("admin/", admin.site.urls),
]

handler403 = "dashboard.views.errors.forbidden"
handler404 = "dashboard.views.errors.not_found"
handler500 = "dashboard.views.errors.failed"
