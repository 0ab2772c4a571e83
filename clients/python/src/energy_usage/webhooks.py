"""Verifies webhooks (Standard Webhooks)."""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Optional, Union

from .types import EnergyEvent


class SignatureError(Exception):
    """The message was not signed with the secret, or not recently. Respond with 400 and ignore the message."""


def verify_webhook(
    body: Union[bytes, str],
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> EnergyEvent:
    """
    Verifies the signature of a webhook and returns the event in its body. The webhook must have been signed with one of the
    secrets, at most `tolerance_seconds` ago. `body`: the raw body, before any parsing. `now`: current time in Unix seconds.
    Raises a SignatureError.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id = given.get("webhook-id")
    timestamp = given.get("webhook-timestamp")
    signatures = given.get("webhook-signature")
    if not message_id or not timestamp or not signatures:
        raise SignatureError("A header of the signature is missing")
    at = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(at - int(timestamp)) > tolerance_seconds:
        raise SignatureError("The signature is too old, or from the future")
    content = body if isinstance(body, bytes) else body.encode()
    signed = f"{message_id}.{timestamp}.".encode() + content
    for one in [secret] if isinstance(secret, str) else secret:
        wanted = b"v1," + base64.b64encode(hmac.digest(_key_of(one), signed, hashlib.sha256))
        # Compares in constant time, and as bytes, because compare_digest accepts only ASCII in texts.
        if any(hmac.compare_digest(wanted, signature.encode()) for signature in signatures.split(" ")):
            event: EnergyEvent = json.loads(content)
            return event
    raise SignatureError("The signature does not match")


def _key_of(secret: str) -> bytes:
    """Returns the key of a secret: the decoded base64 after `whsec_`, otherwise the secret's UTF-8 bytes."""
    if secret.startswith("whsec_"):
        try:
            return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except binascii.Error:
            pass
    return secret.encode()
