"""Sends requests, tries again what may be tried again, and makes errors of what failed."""
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
"""First wait before another try where the service names none; each one after it is twice as long."""

PASSING = {502, 503, 504}
"""Answers after which nothing was done for certain only where a call may be made twice."""


class CallOptions(TypedDict, total=False):
    """What can be said of one call."""

    timeout: float
    """Instead of the client's, in seconds."""
    idempotency_key: str
    """Of a POST. Default: a new one, so that it can be tried again."""
    headers: Mapping[str, str]


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The service sends nobody elsewhere: the key would go there, too."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Pages(Generic[T]):
    """A list in pages. Iterating goes through all of it, page after page."""

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
        """The first page alone."""
        return self._page(None)[0]

    def all(self) -> list[T]:
        """All of it."""
        return list(self)


class Transport:
    """Sends requests, tries again what may be tried again, and makes errors of what failed."""

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
        timeout: Longest that a try may be without a byte, in seconds.
        retries: How often a call is tried again at most.
        max_wait: Longest wait before a try, in seconds; where the service asks for a longer one, the error is raised.
        ca_file: PEM file with the authorities to trust. Default: the system's, or those of the variable SSL_CERT_FILE.
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
        """A 2xx answer: its body, and its headers by names in small letters. Raises an EnergyError."""
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
    """How to trust the service's own certificate, if that is why a request failed; otherwise an empty text."""
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
    """The cursor in `Link: <…>; rel="next"` (RFC 8288). None on the last page."""
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
    """What is refused for its number (429) was not done; what may have been done is only repeated where that does no harm."""
    if isinstance(failure, ServiceError):
        return failure.status == 429 or (failure.status in PASSING and may_repeat)
    return may_repeat


def _wait_of(failure: EnergyError, tried: int) -> float:
    """As long as the service asks for; else twice as long each time, with chance, so that many do not come back at once."""
    if isinstance(failure, ServiceError) and failure.retry_after_seconds is not None:
        return float(failure.retry_after_seconds)
    return FIRST_WAIT_SECONDS * 2**tried * (0.5 + random.random() / 2)
