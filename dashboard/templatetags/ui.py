"""The components of the pages as template tags; the markup is in templates/components."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import HttpRequest

register = template.Library()

# What the models and the socket call a state → which of the six looks it has. Twin: static/js/core/pill.js.
LOOKS = {
    "queued": "starting",
    "starting": "starting",
    "running": "running",
    "behind": "stale",
    "stale": "stale",
    "stopping": "paused",
    "stopped": "paused",
    "paused": "paused",
    "failed": "failed",
}

LEVELS = {
    "info": ("info", ""),
    "good": ("check", "running"),
    "warn": ("warn", "stale"),
    "bad": ("warn", "failed"),
}
VERBS = {
    "registered": "circle-plus",
    "created": "circle-plus",
    "removed": "circle-minus",
    "deleted": "circle-minus",
    "changed": "edit",
    "paused": "pause",
    "resumed": "play",
    "start": "play",
    "stop": "stop",
    "restart": "loop",
    "token made": "key",
    "token revoked": "key",
    "queued": "clock",
    "starting": "chip",
    "stopping": "stop",
    "stopped": "stop",
}


@register.filter
def look(state: str | None) -> str:
    return LOOKS.get(state or "", "paused")


@register.inclusion_tag("components/icon.html")
def icon(name: str, css: str = "icon") -> dict[str, Any]:
    return {"name": name, "css": css}


@register.inclusion_tag("components/icon.html")
def glyph(state: str) -> dict[str, Any]:
    """The sign of a state alone, for places where its name stands beside it."""
    return {"name": f"state-{look(state)}", "css": "glyph"}


@register.inclusion_tag("components/pill.html")
def pill(state: str, word: str = "", bare: bool = False, live: str = "") -> dict[str, Any]:
    """A state as colour, glyph and word. `live` names it for the page's script (data-live)."""
    return {"look": look(state), "word": word or state.capitalize(), "bare": bare, "live": live}


@register.inclusion_tag("components/tile.html")
def tile(
    label: str, figure: str, unit: str = "", foot: str = "", live: str = "", state: str = ""
) -> dict[str, Any]:
    """A stat tile. Scripts find its parts by data-live: `lag` (figure), `lag-unit`, `lag-foot`."""
    return {
        "label": label,
        "figure": figure,
        "unit": unit,
        "foot": foot,
        "live": live,
        "state": state,
        "unknown": figure == "–",
    }


@register.inclusion_tag("components/note.html")
def note(kind: str, lead: str, text: str = "") -> dict[str, Any]:
    """An inline note: plain, warn, good or bad. A bad one is announced at once."""
    icon_name, state = LEVELS.get(kind, LEVELS["info"])
    return {"icon_name": icon_name, "state": state, "lead": lead, "text": text, "is_alert": kind == "bad"}


@register.inclusion_tag("components/empty.html")
def empty(
    icon_name: str, title: str, text: str, url: str = "", action: str = "", act_icon: str = "plus"
) -> dict[str, Any]:
    return {
        "icon_name": icon_name,
        "title": title,
        "text": text,
        "url": url,
        "action": action,
        "act_icon": act_icon,
    }


@register.inclusion_tag("components/event.html")
def event_row(event: Any) -> dict[str, Any]:
    icon_name, state = LEVELS[event.level]
    return {"event": event, "icon_name": VERBS.get(event.verb, icon_name), "state": state}


@register.inclusion_tag("components/spark.html")
def spark(
    values: list[float | None] | None, width: int = 96, height: int = 24, live: str = "", fill: bool = False
) -> dict[str, Any]:
    """The place of a sparkline with its first samples; static/js/core/sparkline.js draws it."""
    return {"values": values, "width": width, "height": height, "live": live, "fill": fill}


@register.simple_tag(takes_context=True)
def with_params(context: template.Context, **changes: Any) -> str:
    """The page's own address with some parameters changed; an empty value drops the parameter."""
    request: HttpRequest = context["request"]
    params = request.GET.copy()
    for key, value in changes.items():
        if value in ("", None):
            params.pop(key, None)
        else:
            params[key] = value
    return f"?{params.urlencode()}" if params else request.path
