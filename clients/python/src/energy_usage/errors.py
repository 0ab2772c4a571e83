"""Errors of calls."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Optional


class EnergyError(Exception):
    """Base class of all errors of calls."""


class ServiceError(EnergyError):
    """Error response of the service. The subclass depends on the status; `details` names the invalid members of the request."""

    status: int
    code: Optional[str]
    """Stable code of the error, such as `key_revoked`. None: the response came from a proxy in front of the service."""
    doc_url: Optional[str]
    """URL of the error's description in the reference."""
    details: list[dict[str, str]]
    retry_after_seconds: Optional[int]
    """Time to wait before the next request. None: the service stated no time."""
    request_id: Optional[str]
    """Id of the request in the service's log. None: the response came from a proxy in front of the service."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: Optional[str],
        doc_url: Optional[str],
        details: list[dict[str, str]],
        retry_after_seconds: Optional[int],
        request_id: Optional[str],
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.doc_url = doc_url
        self.details = details
        self.retry_after_seconds = retry_after_seconds
        self.request_id = request_id


class BadRequestError(ServiceError):
    """400: the request is malformed."""


class UnauthorizedError(ServiceError):
    """401: there is no valid key."""


class ForbiddenError(ServiceError):
    """403: the key does not permit the request."""


class NotFoundError(ServiceError):
    """404: the object does not exist, or the key cannot access it."""


class ConflictError(ServiceError):
    """409: the request conflicts with the current state."""


class UnprocessableError(ServiceError):
    """422: values are missing or invalid; `details` names them."""


class TooManyRequestsError(ServiceError):
    """429: the plan's limit of requests is reached."""


class ServerError(ServiceError):
    """5xx: the service failed, or is unavailable at the moment."""


class NetworkError(EnergyError):
    """The request got no response."""


class RequestTimeoutError(EnergyError):
    """The request got no response in time."""


_OF_STATUS: dict[int, type[ServiceError]] = {
    400: BadRequestError,
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableError,
    429: TooManyRequestsError,
}


def error_of(status: int, headers: Mapping[str, str], text: str) -> ServiceError:
    """Returns the error for a response, whatever its body is: the body of a proxy is not JSON."""
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        body = {}

    def text_of(member: str) -> Optional[str]:
        value = body.get(member)
        return value if isinstance(value, str) else None

    message = text_of("error") or f"HTTP {status}"
    details = body.get("details")
    if not isinstance(details, list):
        details = []
    why = "; ".join(f"{one.get('field')} {one.get('message')}" for one in details if isinstance(one, dict))
    wait = headers.get("retry-after") or ""
    kind = _OF_STATUS.get(status, ServerError if status >= 500 else ServiceError)
    return kind(
        f"{message}: {why}" if why else message,
        status=status,
        code=text_of("code"),
        doc_url=text_of("doc_url"),
        details=details,
        retry_after_seconds=int(wait) if wait.isdecimal() and wait.isascii() else None,
        request_id=headers.get("request-id"),
    )
