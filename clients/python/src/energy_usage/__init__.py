"""Client of the energy usage service. Needs only the standard library."""
from . import types
from ._client import EnergyClient
from ._transport import CallOptions, Pages
from ._version import __version__
from .errors import (
    BadRequestError,
    ConflictError,
    EnergyError,
    ForbiddenError,
    NetworkError,
    NotFoundError,
    RequestTimeoutError,
    ServerError,
    ServiceError,
    TooManyRequestsError,
    UnauthorizedError,
    UnprocessableError,
)
from .webhooks import SignatureError, verify_webhook

__all__ = [
    "BadRequestError",
    "CallOptions",
    "ConflictError",
    "EnergyClient",
    "EnergyError",
    "ForbiddenError",
    "NetworkError",
    "NotFoundError",
    "Pages",
    "RequestTimeoutError",
    "ServerError",
    "ServiceError",
    "SignatureError",
    "TooManyRequestsError",
    "UnauthorizedError",
    "UnprocessableError",
    "__version__",
    "types",
    "verify_webhook",
]
