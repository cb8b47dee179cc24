"""What every response and every request must pass."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard import access

Handler = Callable[[HttpRequest], HttpResponse]

POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data: blob:",
        "style-src 'self'",
        # 'self' takes in the socket: same host and port.
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
# Django's admin still carries inline styles.
ADMIN_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")


class ContentSecurityPolicy:
    """Only our own scripts and styles run; nothing inline, nothing from elsewhere."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        policy = ADMIN_POLICY if request.path.startswith("/admin/") else POLICY
        response.headers.setdefault("Content-Security-Policy", policy)
        return response


class NothingShared:
    """What a person sees is hers: no cache on the way keeps it, and after a log-out Back shows nothing."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response


class RoleRequired:
    """A person without a role is a stranger: logged in, but sees nothing."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable, args: tuple, kwargs: dict
    ) -> HttpResponse | None:
        # Views that do without a log-in (log-in page, ingest by token, health) have no person to ask.
        if not getattr(view, "login_required", True) or not request.user.is_authenticated:
            return None
        if request.resolver_match and request.resolver_match.url_name == "logout":
            return None
        if access.role_of(request.user) is None:
            return render(request, "403.html", {"stranger": True}, status=403)
        return None
