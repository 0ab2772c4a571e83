"""What a call can fail with."""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Optional


class EnergyError(Exception):
    """Whatever a call failed with."""


class ServiceError(EnergyError):
    """The service answered with an error. Its subclasses tell which; `details` names the members that are wrong."""

    status: int
    code: Optional[str]
    """Stable word of the error, such as `key_revoked`. None: something before the service answered."""
    doc_url: Optional[str]
    """Where the reference explains the error."""
    details: list[dict[str, str]]
    retry_after_seconds: Optional[int]
    """How long to wait before the next request. None: the service named no time."""
    request_id: Optional[str]
    """Under which the service has the request in its log. None: something before the service answered."""

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
    """400: the request itself is wrong."""


class UnauthorizedError(ServiceError):
    """401: there is no valid key."""


class ForbiddenError(ServiceError):
    """403: the key may not do this."""


class NotFoundError(ServiceError):
    """404: there is no such thing within the key's reach."""


class ConflictError(ServiceError):
    """409: it does not go with what there is."""


class UnprocessableError(ServiceError):
    """422: values are missing or wrong; `details` names them."""


class TooManyRequestsError(ServiceError):
    """429: the plan's requests are used up."""


class ServerError(ServiceError):
    """5xx: the service failed, or is not there at the moment."""


class NetworkError(EnergyError):
    """No answer came."""


class RequestTimeoutError(EnergyError):
    """No answer came in time."""


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
    """The error that an answer stands for, whatever its body: a proxy's is no JSON."""
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
