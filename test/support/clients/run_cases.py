"""Carries out the steps of cases.ts with the Python client; run-cases.ts does the same with the TypeScript one."""
import json
import re
import sys
from keyword import iskeyword
from typing import Any, get_type_hints

from energy_usage import EnergyClient, EnergyError, Pages, SignatureError, types, verify_webhook


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)


def told(value: Any) -> Any:
    if isinstance(value, str):
        return {"text": value}
    return {"begins": value[:2].hex()} if isinstance(value, bytes) else value


def main() -> None:
    # Every type that is named is there.
    for name in types.__all__:
        if isinstance(getattr(types, name), type):
            get_type_hints(getattr(types, name))
    for name, method in vars(EnergyClient).items():
        if not name.startswith("_"):
            get_type_hints(method)
    given = json.load(sys.stdin)
    variables: dict[str, str] = dict(given["variables"])
    clients = {
        name: EnergyClient(key, base_url=given["baseUrl"], ca_file=given["caFile"]) for name, key in given["keys"].items()
    }

    def fill(value: Any) -> Any:
        text = json.dumps(value)
        return json.loads(re.sub(r"\$(\w+)", lambda found: variables.get(found[1], found[0]), text))

    came = []
    for step in given["steps"]:
        options = fill(step.get("options", {}))
        names = {"idempotencyKey": "idempotency_key", "timeoutSeconds": "timeout", "headers": "headers"}
        arguments = [*fill(step.get("path", [])), *([fill(step["body"])] if "body" in step else [])]
        # A parameter that is a keyword of Python ends in an underscore.
        query = {f"{name}_" if iskeyword(name) else name: value for name, value in fill(step.get("query", {})).items()}
        named = {**query, **{names[name]: value for name, value in options.items()}}
        try:
            if step["call"] == "verifyWebhook":
                # The one that asks nobody.
                asked = arguments[0]
                answer = verify_webhook(asked["text"], asked["headers"], asked["secret"], now=asked["now"])
            else:
                answer = getattr(clients[step["as"]], snake(step["call"]))(*arguments, **named)
            if isinstance(answer, Pages):
                answer = answer.all() if step.get("take") == "all" else answer.first()
            value = told(answer)
            variables.update({name: value[member] for name, member in step.get("save", {}).items()})
            came.append({"call": step["call"], "value": value})
        except (EnergyError, SignatureError) as error:
            told_error = {
                "type": type(error).__name__,
                "status": getattr(error, "status", None),
                "code": getattr(error, "code", None),
                "details": getattr(error, "details", None),
                "retryAfterSeconds": getattr(error, "retry_after_seconds", None),
            }
            came.append({"call": step["call"], "error": told_error})
    json.dump(came, sys.stdout)


main()
