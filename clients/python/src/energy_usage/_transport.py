"""Sends requests, retries those that may be repeated, and raises errors for those that fail."""
from __future__ import annotations

import http.client
import json
import random
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, Optional, TypedDict, TypeVar

from .errors import EnergyError, NetworkError, RequestTimeoutError, ServiceError, error_of

T = TypeVar("T")

FIRST_WAIT_SECONDS = 0.5
"""Wait before the first retry if the service states no time. Each further wait is twice as long."""

PASSING = {502, 503, 504}
"""Status codes after which the request may have been executed. The call is retried only if it may be executed twice."""


class CallOptions(TypedDict, total=False):
    """Options of one call."""

    timeout: float
    """Timeout of this call, in seconds. Default: the client's."""
    idempotency_key: str
    """Idempotency key of a POST. Default: a new key for each call, so that the call can be retried."""
    headers: Mapping[str, str]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects. The service never redirects, and a redirect would send the key to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Pages(Generic[T]):
    """A list in pages. Iterating yields all items, and requests each page when it is needed."""

    def __init__(self, page: Callable[[Optional[str]], tuple[list[T], Optional[str]]]) -> None:
        self._page = page

    def __iter__(self) -> Iterator[T]:
        cursor: Optional[str] = None
        while True:
            items, cursor = self._page(cursor)
            yield from items
            if cursor is None:
                return

    def first(self) -> list[T]:
        """Returns the items of the first page."""
        return self._page(None)[0]

    def all(self) -> list[T]:
        """Returns the items of all pages."""
        return list(self)


class Transport:
    """Sends requests, retries those that may be repeated, and raises errors for those that fail."""

    def __init__(
        self,
        key: str,
        *,
        base_url: str = "https://localhost:8443",
        timeout: float = 30.0,
        retries: int = 3,
        max_wait: float = 60.0,
        ca_file: Optional[str] = None,
    ) -> None:
        """
        key: API key, `eus_live_…` or `eus_test_…`.
        base_url: Address of the service.
        timeout: Maximum time without a received byte during an attempt, in seconds.
        retries: Maximum number of retries of a call.
        max_wait: Maximum wait before a retry, in seconds. If the service requires a longer wait, the error is raised.
        ca_file: PEM file with the trusted authorities. Default: those of the system or of the variable SSL_CERT_FILE.
        """
        if not key:
            raise TypeError("A client needs an API key: EnergyClient(key)")
        self._key = key
        self._base_url = base_url.rstrip("/")
        self._timeout = timeout
        self._retries = retries
        self._max_wait = max_wait
        https = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca_file))
        self._opener = urllib.request.build_opener(https, _NoRedirects())

    @staticmethod
    def _segment(value: str) -> str:
        return urllib.parse.quote(value, safe="")

    def _json(self, method: str, path: str, **sent: Any) -> Any:
        return json.loads(self._send(method, path, **{"accept": "application/json", **sent})[0])

    def _text(self, method: str, path: str, **sent: Any) -> str:
        return self._send(method, path, **sent)[0].decode()

    def _bytes(self, method: str, path: str, **sent: Any) -> bytes:
        return self._send(method, path, **sent)[0]

    def _pages(self, method: str, path: str, *, query: Mapping[str, Any], **sent: Any) -> Pages[Any]:
        def page(cursor: Optional[str]) -> tuple[list[Any], Optional[str]]:
            asked = {**query, "cursor": cursor}
            body, headers = self._send(method, path, **{"accept": "application/json", **sent, "query": asked})
            told = json.loads(body)
            return told if isinstance(told, list) else told["data"], _next_cursor(headers.get("link"))

        return Pages(page)

    def _send(
        self,
        method: str,
        path: str,
        *,
        options: CallOptions,
        query: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        content_type: Optional[str] = None,
        accept: Optional[str] = None,
        is_safe: bool = False,
    ) -> tuple[bytes, Mapping[str, str]]:
        """Returns the body of a 2xx response, and its headers by lower-case name. Raises an EnergyError."""
        unknown = set(options) - {"timeout", "idempotency_key", "headers"}
        if unknown:
            raise TypeError(f"unexpected argument {sorted(unknown)[0]!r}")
        key = options.get("idempotency_key") or (str(uuid.uuid4()) if method == "POST" and not is_safe else None)
        may_repeat = is_safe or key is not None
        data = None if body is None else (body if content_type else json.dumps(body, allow_nan=False)).encode()
        headers = {
            "User-Agent": "energy-usage-client-python",
            **({"Accept": accept} if accept else {}),
            **({} if data is None else {"Content-Type": content_type or "application/json"}),
            **({} if key is None else {"Idempotency-Key": key}),
            **options.get("headers", {}),
            "Authorization": f"Bearer {self._key}",
        }
        url = self._base_url + path + _query_text(query)
        timeout = options.get("timeout", self._timeout)
        tried = 0
        while True:
            try:
                return self._try(urllib.request.Request(url, data=data, headers=headers, method=method), timeout)
            except EnergyError as failure:
                wait = _wait_of(failure, tried)
                if tried >= self._retries or wait > self._max_wait or not _may_try_again(failure, may_repeat):
                    raise
            time.sleep(wait)
            tried += 1

    def _try(self, request: urllib.request.Request, timeout: float) -> tuple[bytes, Mapping[str, str]]:
        said = f"{request.get_method()} {request.full_url}"
        try:
            try:
                with self._opener.open(request, timeout=timeout) as response:
                    return response.read(), _small(response.headers)
            except urllib.error.HTTPError as error:
                with error:
                    raise error_of(error.code, _small(error.headers), error.read().decode(errors="replace")) from None
        except TimeoutError as error:
            raise RequestTimeoutError(f"No answer within {timeout} s from {said}") from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise RequestTimeoutError(f"No answer within {timeout} s from {said}") from error
            raise NetworkError(f"{said} failed: {reason}{_trust_hint(request.full_url, reason)}") from error


UNTRUSTED = {18, 19, 20, 21}
"""OpenSSL's codes for a certificate that no trusted authority has signed."""


def _trust_hint(url: str, reason: object) -> str:
    """Returns instructions to trust the service's certificate if the request failed because of it; otherwise an empty text."""
    if not isinstance(reason, ssl.SSLCertVerificationError) or reason.verify_code not in UNTRUSTED:
        return ""
    origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))
    return (
        f". The certificate is not trusted: save {origin}/certificate.pem, compare its fingerprint with the service’s, "
        f"and create the client with ca_file=FILE ({origin}/docs/certificate)"
    )


def _small(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _next_cursor(link: Optional[str]) -> Optional[str]:
    """Returns the cursor in `Link: <…>; rel="next"` (RFC 8288). None on the last page."""
    found = re.search(r'<([^>]*)>;\s*rel="next"', link or "")
    if not found:
        return None
    return urllib.parse.parse_qs(urllib.parse.urlsplit(found[1]).query).get("cursor", [None])[0]


def _query_text(query: Optional[Mapping[str, Any]]) -> str:
    given = {
        name: ",".join(value) if isinstance(value, (list, tuple)) else value
        for name, value in (query or {}).items()
        if value is not None
    }
    return f"?{urllib.parse.urlencode(given)}" if given else ""


def _may_try_again(failure: EnergyError, may_repeat: bool) -> bool:
    """Whether a failed call may be retried: always after 429 (not executed), otherwise only if it may be executed twice."""
    if isinstance(failure, ServiceError):
        return failure.status == 429 or (failure.status in PASSING and may_repeat)
    return may_repeat


def _wait_of(failure: EnergyError, tried: int) -> float:
    """Returns the time before the next retry: as the service states, or doubling each time, partly random to spread clients."""
    if isinstance(failure, ServiceError) and failure.retry_after_seconds is not None:
        return float(failure.retry_after_seconds)
    return FIRST_WAIT_SECONDS * 2**tried * (0.5 + random.random() / 2)
