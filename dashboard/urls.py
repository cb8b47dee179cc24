"""Every address of the site."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from dashboard.views import api, frequent, ingest, jobs, overview, pins, queries, registration, streams

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("streams/", streams.streams, name="streams"),
    path("streams/<slug:name>/", streams.stream, name="stream"),
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
    path("queries/<int:query_id>/frames/<int:number>.csv", frequent.export_csv, name="frame_csv"),
    path("pins/<int:query_id>/", pins.toggle, name="pin"),
    path("help/frequent/", frequent.about, name="help_frequent"),
    path("api/goto/", api.goto, name="api_goto"),
    path("api/queries/<int:query_id>/frames/", api.frames, name="api_frames"),
    path("api/queries/<int:query_id>/frames/<int:number>/", api.frame, name="api_frame"),
    path("api/queries/<int:query_id>/timeline/", api.timeline, name="api_timeline"),
    path("api/preview/<str:kind>/", api.preview, name="api_preview"),
    path("api/streams/<slug:name>/elements/", ingest.elements, name="ingest"),
    path("healthz/", api.health, name="health"),
    path("accounts/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
]
