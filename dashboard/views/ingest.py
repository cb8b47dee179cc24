"""Elements from producers, over HTTP: a token instead of a log-in, one entry of the log for each request."""

from __future__ import annotations

import math

import redis
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from analytics.errors import BadElements, TooFast, TooLarge, UnknownToken
from analytics.ingest.append import append_elements
from analytics.ingest.formats import READERS
from analytics.models import Stream
from analytics.services import tokens
from dashboard.api_access import problem

NO_TOKEN = "A valid token of this stream is needed."
AWAY = "The log cannot be reached just now. Whether these elements were written is not known; try again."
CHARSETS = {"utf-8", "utf8", "us-ascii"}


class _Unreadable(Exception):
    """A content type or coding we do not take."""


@csrf_exempt
@login_not_required
def elements(request: HttpRequest, name: str) -> HttpResponse:
    """POST elements to a stream. Answers 201 with the number of the first and how many there were."""
    if request.method != "POST":
        return _with(problem(405, "not_allowed", "Send elements with POST."), "Allow", "POST")
    try:
        stream = _stream(request, name)
        receipt = append_elements(stream, _content_type(request), _body(request))
    except UnknownToken:
        return _with(problem(401, "unknown_token", NO_TOKEN), "WWW-Authenticate", "Bearer")
    except _Unreadable as error:
        return _with(problem(415, "unsupported", str(error)), "Accept-Post", ", ".join(READERS))
    except BadElements as error:
        return problem(400, "bad_elements", str(error), line=error.line, field=error.field)
    except TooLarge as error:
        return problem(413, "too_large", str(error))
    except TooFast as error:
        seconds = max(1, math.ceil(error.retry_after_seconds))
        return _with(problem(429, "too_fast", str(error)), "Retry-After", str(seconds))
    except (redis.RedisError, OperationalError, InterfaceError):
        return _with(problem(503, "away", AWAY), "Retry-After", "5")
    return JsonResponse({"first": receipt.first, "elements": receipt.count}, status=201)


def _with(response: HttpResponse, header: str, value: str) -> HttpResponse:
    response.headers[header] = value
    return response


def _stream(request: HttpRequest, name: str) -> Stream:
    """The stream, if the token is one of its own. A wrong name and a wrong token give the same answer."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    stream = Stream.objects.filter(name=name).first()
    if scheme.lower() != "bearer" or stream is None or tokens.authenticate(stream, secret.strip()) is None:
        raise UnknownToken
    return stream


def _content_type(request: HttpRequest) -> str:
    # A coding would let a small body grow without bound once it is here.
    if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
        raise _Unreadable("Send the body without Content-Encoding.")
    if (request.content_params or {}).get("charset", "utf-8").lower() not in CHARSETS:
        raise _Unreadable("Send text as UTF-8.")
    content_type = (request.content_type or "").lower()
    if content_type not in READERS:
        raise _Unreadable(f"Content-Type {content_type!r} is not one of {', '.join(READERS)}.")
    return content_type


def _body(request: HttpRequest) -> bytes:
    """The whole body, read past Django's own bound for forms (request.body) but not past ours."""
    most = settings.INGEST_MAX_BYTES
    declared = request.headers.get("Content-Length", "")
    if declared.isdecimal() and int(declared) > most:
        raise _too_large(most)
    body = request.read(most + 1)
    if len(body) > most:
        raise _too_large(most)
    return body


def _too_large(most: int) -> TooLarge:
    return TooLarge(f"A request may have at most {most:,} bytes; send the elements in several.")
