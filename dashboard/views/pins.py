"""Queries a person keeps in the sidebar."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from analytics.models import Pin, Query
from dashboard.api_access import problem
from dashboard.navigation import MOST_PINNED

FULL = f"At most {MOST_PINNED} queries can be pinned. Unpin one first."


@require_POST
def toggle(request: HttpRequest, query_id: int) -> HttpResponse:
    """Pin, or unpin what is pinned. A script gets JSON, a plain form the query's page."""
    query = get_object_or_404(Query, pk=query_id, removed_at=None)
    pinned = _toggle(request.user, query)
    wants_json = request.get_preferred_type(["text/html", "application/json"]) == "application/json"
    if not wants_json:
        if pinned is None:
            messages.warning(request, FULL)
        return redirect("query", query_id)
    if pinned is None:
        return problem(409, "full", FULL)
    return JsonResponse({"pinned": pinned})


@transaction.atomic
def _toggle(user: Any, query: Query) -> bool | None:
    """True: pinned now; False: not any more; None: no room."""
    # Two tabs at once would both find the last free place.
    get_user_model().objects.select_for_update().get(pk=user.pk)
    if Pin.objects.filter(user=user, query=query).delete()[0]:
        return False
    places = list(Pin.objects.filter(user=user, query__removed_at=None).values_list("position", flat=True))
    if len(places) >= MOST_PINNED:
        return None
    Pin.objects.create(user=user, query=query, position=max(places, default=0) + 1)
    return True
