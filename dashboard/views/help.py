"""What the kinds of query are, for the people who ask them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe


@require_safe
def frequent(request: HttpRequest) -> HttpResponse:
    return render(request, "help/frequent.html")
