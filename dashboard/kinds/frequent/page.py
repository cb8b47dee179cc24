"""Everything the live page of a heavy-hitter query is rendered from."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.urls import reverse

from analytics.kinds import KINDS
from analytics.models import Job, Query
from dashboard.kinds import questions
from dashboard.kinds.frequent.changes import recent_changes
from dashboard.kinds.frequent.picture import BLOCKS, SORTS, picture
from dashboard.kinds.frequent.tiles import tiles, waiting_tiles
from dashboard.kinds.history import History, lag_seconds, ticks
from dashboard.messages import stored_frame

MOST_WAITING_ROWS = 12
# What the browser fills in when a frame has more rows than the page.
BLANK_ROW = {"verdict": "below", "lower": None, "upper": None, "lower_share": None, "upper_share": None}


def context(query: Query, job: Job | None, history: History, sort: str) -> dict[str, Any]:
    kind, spec, params = KINDS[query.kind], query.stream.spec(), query.params
    sort = sort if sort in SORTS else "rank"
    frame, lags = history.shown, history.lags()
    basic_windows = params["window"] // params["basic_window"]
    shown = picture(frame.payload, sort) if frame else None
    return {
        "params": params,
        "unit": _unit(params),
        "phi_text": _phi(params),
        "phi_word": _phi_word(params),
        "item_word": params["item"].replace("_", " ").capitalize(),
        "trend_word": f"{min(BLOCKS, basic_windows)} windows",
        "cost": kind.cost(params, spec),
        "question": questions.parts(kind.question(spec, params)),
        "picture": shown,
        "total": frame.payload["total"] if frame else 0,
        "tiles": _tiles(params, history, [lag for _, lag in lags]),
        "changes": recent_changes(history.newest),
        "sort": sort,
        "empty_blocks": range(min(BLOCKS, basic_windows)),
        "waiting_rows": range(_waiting_rows(params)),
        "blank_row": BLANK_ROW,
        "page_data": _page_data(query, job, history, lags)
        | {"scale": shown.scale if shown else 0, "sort": sort, "unit": _unit(params)},
    }


def _page_data(
    query: Query, job: Job | None, history: History, lags: list[tuple[int, float]]
) -> dict[str, Any]:
    newest = history.newest
    return {
        "query": query.pk,
        "stream": query.stream_id,
        "job": job.pk if job else None,
        "version": query.version,
        "removed": query.removed_at is not None,
        "frame": stored_frame(history.shown) if history.shown else None,
        "oldest": history.oldest,
        "newest": newest.number if newest else None,
        "ticks": ticks(query, job, history.oldest),
        "lags": lags,
        "slide_seconds": history.slide_seconds(),
        "seconds_since_frame": (datetime.now(UTC) - newest.produced_at).total_seconds() if newest else None,
        "frames_url": reverse("api_frames", args=[query.pk]),
        "csv_url": reverse("frame_csv", args=[query.pk, 0]),
    }


def _tiles(params: dict[str, Any], history: History, lags: list[float]) -> Any:
    frame = history.shown
    if frame is None:
        return waiting_tiles(params)
    return tiles(frame.payload, lag_seconds(frame.produced_at, frame.arrived_at), lags)


def _unit(params: dict[str, Any]) -> str:
    return "s" if params["basis"] == "time" else "elements"


def _phi(params: dict[str, Any]) -> str:
    return f"{100 * (params.get('phi') or 0):g} %"


def _phi_word(params: dict[str, Any]) -> str:
    """φN as a count where it is one; a weighted or timed window has no fixed total."""
    if params["basis"] == "count" and not params.get("weight"):
        return f"φN = {params['window'] * (params.get('phi') or 0):,.10g}"
    return f"φ = {_phi(params)}"


def _waiting_rows(params: dict[str, Any]) -> int:
    return min(MOST_WAITING_ROWS, params["limit"] if params["show"] == "top" else MOST_WAITING_ROWS)
