# Generated from the OpenAPI document by `npm run client`: do not edit. A test holds it to the document.
"""What the service takes and answers."""
from __future__ import annotations

from typing import Any, Literal, NotRequired, Optional, TypedDict, Union

class Act(TypedDict):
    audit_id: str
    """Id of the entry."""
    at: str
    """Time of the action."""
    actor_user_id: Optional[str]
    """Id of the user who acted. Null: an operator at the command line, the service itself, or a caller who was not signed in. `erased_…`: the account was deleted."""
    actor_key_id: Optional[str]
    """Id of the API key or session that was used. Null: none."""
    address: Optional[str]
    """Origin: an IP address, or `cli`. Null: unknown, or the entry was caused by another entry."""
    action: str
    """Action, such as `key.created`."""
    target: Optional[str]
    """Id of the changed object. Null: the object has no id."""
    details: dict[str, Any]
    """Members of the request; some with their values."""


class Alert(TypedDict):
    alert_id: str
    """Id of the alert."""
    user_id: str
    """Id of the user who owns the object."""
    type: Literal["peak_usage", "daily_usage", "monthly_usage", "daily_cost", "monthly_cost", "no_data"]
    """Monitored value: the usage in any clock hour (`peak_usage`), in a day or in a month, the cost of a day or a month, or the silence of a device (`no_data`)."""
    threshold_kwh: NotRequired[float]
    """Usage above which the alert fires, in kWh. Only in alerts on usage."""
    threshold: NotRequired[str]
    """Total cost above which the alert fires, in the currency of the tariff in force: a decimal with up to 9 places, as text. Only in alerts on costs."""
    threshold_hours: NotRequired[int]
    """Silence after which the alert fires, in hours. Only in alerts of type `no_data`."""
    delivery: Literal["email", "sms", "webhook"]
    """Notification channel."""
    status: Literal["active", "paused"]
    """A paused alert does not fire."""
    created_at: str
    """Time of creation."""


class AlertPreviewData(TypedDict):
    period_start: str
    """Start of the period. For `no_data`: time of the device’s last reading."""
    period_end: Optional[str]
    """End of the period, exclusive. Null: the silence continues."""
    kwh_used: NotRequired[float]
    """Usage in the period, in kWh. Only with types on usage."""
    cost: NotRequired[str]
    """Total cost of the period. Only with types on costs."""
    currency: NotRequired[str]
    """Currency of the cost (ISO 4217). Only with types on costs."""
    device_id: NotRequired[str]
    """Id of the silent device. Only with type `no_data`."""


class AlertPreview(TypedDict):
    user_id: str
    """Id of the user who owns the object."""
    data: list[AlertPreviewData]
    """Periods of the last 90 days in which the alert would have fired."""


class AlertTriggeredEventDataDevices(TypedDict):
    device_id: str
    """Id of the device."""
    kwh_used: float
    """Energy imported by the device in the period, in kWh."""


class AlertTriggeredEventData(TypedDict):
    """Object of the event."""

    alert_id: str
    """Id of the alert that fired."""
    user_id: str
    """Id of the user whose data the event describes."""
    type: Literal["peak_usage", "daily_usage", "monthly_usage", "daily_cost", "monthly_cost", "no_data"]
    """Type of the alert."""
    threshold_kwh: NotRequired[float]
    """Threshold of the alert, in kWh. Only in alerts on usage."""
    kwh_used: NotRequired[float]
    """Usage of the home in the period until the alert fired, in kWh. Only in alerts on usage."""
    threshold: NotRequired[str]
    """Threshold of the alert, a decimal in the currency of the tariff in force. Only in alerts on costs."""
    cost: NotRequired[str]
    """Total cost of the period until the alert fired. Only in alerts on costs."""
    currency: NotRequired[str]
    """Currency of the cost (ISO 4217). Only in alerts on costs."""
    threshold_hours: NotRequired[Optional[int]]
    """Length of the silence after which the alert fires, in hours. Only in alerts of type `no_data`."""
    period_start: str
    """Start of the hour, day or month. For `no_data`: time of the device’s last reading."""
    period_end: Optional[str]
    """End of the period, exclusive. Null: the silence continues."""
    devices: list[AlertTriggeredEventDataDevices]
    """Devices that contributed, largest share first. For `no_data`: the silent device."""


class AlertTriggeredEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["alert.triggered"]
    """Type of the event."""
    created_at: str
    """Time of the event."""
    environment: Literal["live", "sandbox"]
    """Installation in which the event happened: `live` or `sandbox`."""
    data: AlertTriggeredEventData
    """Object of the event."""


class App(TypedDict):
    name: str
    """Name of the app, as the consent page shows it."""
    website: str
    """HTTPS address of a page about the app."""
    redirect_uris: list[str]
    """Addresses to which the browser is redirected: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, except for the port of a loopback address."""
    notification_url: Optional[str]
    """HTTPS address for notifications of changed data. Null: none."""
    scopes: list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]
    """Scopes that the app may request from a home. Removed scopes end at once, also for issued tokens."""
    app_id: str
    """Id of the app."""
    client_id: str
    """OAuth client id of the app, for `/oauth/authorize` and `/oauth/token`."""
    user_id: str
    """Id of the account that registered the app."""
    type: Literal["confidential", "public"]
    """`confidential`: the app runs on a server and has a secret. `public`: the app runs on a phone or desktop, without a secret."""
    created_at: str
    """Time of creation."""


class AuthorizationApp(TypedDict):
    """The authorized app."""

    app_id: str
    """Id of the app."""
    name: str
    """Name of the app."""
    website: str
    """HTTPS address of a page about the app."""


class Authorization(TypedDict):
    authorization_id: str
    """Id of the authorization."""
    app: AuthorizationApp
    """The authorized app."""
    scopes: list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]
    """Scopes that the app has in the home now."""
    created_at: str
    """Time of creation."""
    expires_at: Optional[str]
    """Expiry time. Null: valid until revoked."""
    last_used_at: Optional[str]
    """Time of the app’s latest request, to the minute. Null: none yet."""


class BillAdjustment(TypedDict):
    bill_period_id: str
    """Id of the closed period that was corrected."""
    start: str
    """First day of the corrected period."""
    end: str
    """Last day of the corrected period."""
    import_kwh: str
    """Change of the import of the corrected period. In kWh with six decimals, as text."""
    export_kwh: str
    """Change of the export of the corrected period. In kWh with six decimals, as text."""


class BillEdit(TypedDict):
    edit_id: str
    """Id of the edit."""
    device_id: str
    """Id of the edited device."""
    action: Literal["exclude", "add"]
    """`exclude`: readings are excluded. `add`: a reading by a person was added."""
    native_name: Optional[str]
    """The device’s own name of the quantity. Null: every quantity of the device."""
    start: str
    """Start of the excluded range; for `add`, the time of the reading."""
    end: Optional[str]
    """End of the excluded range, exclusive. Null: the action is `add`."""
    kwh: Optional[str]
    """Value of the register, in kWh with six decimals, as text. Null: the action is `exclude`."""
    reason: str
    """Reason, in the author’s words."""
    author: Optional[Literal["homeowner", "utility", "admin"]]
    """Role of the author; `GET /v1/devices/{device_id}/edits` has the id. Null: the account was deleted."""


class BillEnergyRegisters(TypedDict):
    device_id: str
    """Id of the device."""
    channel: str
    """Channel of the register, such as `import/t1`."""
    native_name: str
    """The device’s own name of the register."""
    direction: Literal["import", "export"]
    """Direction in which the register is counted."""
    at_start: Optional[RegisterReading]
    """Reading at the start of the period. Null: unknown."""
    at_end: Optional[RegisterReading]
    """Reading at the end of the period. Null: unknown."""
    energy_kwh: Optional[str]
    """Energy that the register counted in the period, in kWh with six decimals, as text. After a reset, a rollover or a replacement of the meter it is not the difference of the two readings. Null: no longer known."""


class BillEnergy(TypedDict):
    import_kwh: str
    """Energy imported in the period. In kWh with six decimals, as text."""
    export_kwh: str
    """Energy exported in the period. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Part of `import_kwh` that was distributed over silences of more than an hour. In kWh with six decimals, as text."""
    intervals: int
    """Number of quarter-hours in the period."""
    intervals_known: int
    """Number of quarter-hours whose import is known, at least in part."""
    intervals_estimated: int
    """Number of quarter-hours whose import is estimated, at least in part."""
    registers: list[BillEnergyRegisters]
    """Counted registers with their readings."""
    import_beside_registers_kwh: str
    """Part of `import_kwh` that no register shows. In kWh with six decimals, as text."""
    export_beside_registers_kwh: str
    """Part of `export_kwh` that no register shows. In kWh with six decimals, as text."""
    edits: NotRequired[list[BillEdit]]
    """Edits in force that affect the period, up to 1,000. Absent in versions that were recorded before versions contained edits."""


class BillPeriod(TypedDict):
    bill_period_id: str
    """Id of the bill period."""
    user_id: str
    """Id of the user who owns the object."""
    device_id: Optional[str]
    """Id of the device, if it is billed separately. Null: the home is billed, at its grid connection."""
    start: str
    """First day of the period, in the time zone of the account."""
    end: str
    """Last day of the period, inclusive."""
    timezone: str
    """IANA time zone of the days: the account’s time zone when the period was created."""
    status: Literal["open", "closed"]
    """`open` or `closed`. The next open period bills later changes of a closed period."""
    created_at: str
    """Time of creation."""
    closed_at: Optional[str]
    """Time at which the period was closed. Null: the period is open."""
    version: int
    """Number of the latest version."""
    recorded_at: str
    """Time at which the latest version was recorded."""
    import_kwh: str
    """Energy imported in the period. In kWh with six decimals, as text."""
    export_kwh: str
    """Energy exported in the period. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Part of `import_kwh` that was distributed over silences of more than an hour. In kWh with six decimals, as text."""
    billed_import_kwh: str
    """Sum of `import_kwh` and the adjustments for other periods. In kWh with six decimals, as text."""
    billed_export_kwh: str
    """Sum of `export_kwh` and the adjustments for other periods. In kWh with six decimals, as text."""
    sha256: str
    """SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal."""


class BillPeriodDetailsDifference(TypedDict):
    """Current values minus the values of the first version."""

    import_kwh: str
    """Difference of the import. In kWh with six decimals, as text."""
    export_kwh: str
    """Difference of the export. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Difference of the estimated part. In kWh with six decimals, as text."""


class BillPeriodDetailsVersions(TypedDict):
    version: int
    """Number of the version."""
    cause: Literal["first", "again", "closing"]
    """Reason for the version: `first`, `again` (recorded again while the period was open), or `closing` (recorded when the period was closed)."""
    recorded_at: str
    """Time at which this version was recorded."""
    import_kwh: str
    """Energy imported in the period. In kWh with six decimals, as text."""
    export_kwh: str
    """Energy exported in the period. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Part of `import_kwh` that was distributed over silences of more than an hour. In kWh with six decimals, as text."""
    import_change_kwh: str
    """Change of the import from the previous version; in the first version, the whole import. In kWh with six decimals, as text."""
    export_change_kwh: str
    """Change of the export from the previous version; in the first version, the whole export. In kWh with six decimals, as text."""
    sha256: str
    """SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal."""


class BillPeriodDetailsCorrections(TypedDict):
    told_in: Optional[str]
    """Id of the period that bills the correction. Null: no later open period exists."""
    status: Literal["told", "waiting"]
    """`told`: the billing period was closed with the correction. `waiting`: it was not closed yet."""
    import_kwh: str
    """Change of the import. In kWh with six decimals, as text."""
    export_kwh: str
    """Change of the export. In kWh with six decimals, as text."""


class BillPeriodDetails(TypedDict):
    bill_period_id: str
    """Id of the bill period."""
    user_id: str
    """Id of the user who owns the object."""
    device_id: Optional[str]
    """Id of the device, if it is billed separately. Null: the home is billed, at its grid connection."""
    start: str
    """First day of the period, in the time zone of the account."""
    end: str
    """Last day of the period, inclusive."""
    timezone: str
    """IANA time zone of the days: the account’s time zone when the period was created."""
    status: Literal["open", "closed"]
    """`open` or `closed`. The next open period bills later changes of a closed period."""
    created_at: str
    """Time of creation."""
    closed_at: Optional[str]
    """Time at which the period was closed. Null: the period is open."""
    first_told: BillStatement
    """The first version."""
    last_told: BillStatement
    """The latest version."""
    known_now: BillEnergy
    """Current values of the period."""
    difference: BillPeriodDetailsDifference
    """Current values minus the values of the first version."""
    versions: list[BillPeriodDetailsVersions]
    """All versions of the period, oldest first. Their changes add up to the latest version."""
    adjustments: list[BillAdjustment]
    """Corrections of closed periods that were billed with this period. While the period is open: corrections that will be billed with it."""
    corrections: list[BillPeriodDetailsCorrections]
    """Changes of this period after it was closed. The values at closing plus these changes equal `known_now`."""


class BillStatementRegisters(TypedDict):
    device_id: str
    """Id of the device."""
    channel: str
    """Channel of the register, such as `import/t1`."""
    native_name: str
    """The device’s own name of the register."""
    direction: Literal["import", "export"]
    """Direction in which the register is counted."""
    at_start: Optional[RegisterReading]
    """Reading at the start of the period. Null: unknown."""
    at_end: Optional[RegisterReading]
    """Reading at the end of the period. Null: unknown."""
    energy_kwh: Optional[str]
    """Energy that the register counted in the period, in kWh with six decimals, as text. After a reset, a rollover or a replacement of the meter it is not the difference of the two readings. Null: no longer known."""


class BillStatement(TypedDict):
    bill_period_id: str
    """Id of the bill period."""
    user_id: str
    """Id of the user who owns the object."""
    device_id: Optional[str]
    """Id of the device, if it is billed separately. Null: the home is billed, at its grid connection."""
    start: str
    """First day of the period, in the time zone of the account."""
    end: str
    """Last day of the period, inclusive."""
    timezone: str
    """IANA time zone of the days: the account’s time zone when the period was created."""
    version: int
    """Number of the version, starting at 1."""
    cause: Literal["first", "again", "closing"]
    """Reason for the version: `first`, `again` (recorded again while the period was open), or `closing` (recorded when the period was closed)."""
    starts_at: str
    """Start of the first day."""
    ends_at: str
    """End of the last day."""
    recorded_at: str
    """Time at which this version was recorded."""
    import_kwh: str
    """Energy imported in the period. In kWh with six decimals, as text."""
    export_kwh: str
    """Energy exported in the period. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Part of `import_kwh` that was distributed over silences of more than an hour. In kWh with six decimals, as text."""
    intervals: int
    """Number of quarter-hours in the period."""
    intervals_known: int
    """Number of quarter-hours whose import is known, at least in part."""
    intervals_estimated: int
    """Number of quarter-hours whose import is estimated, at least in part."""
    registers: list[BillStatementRegisters]
    """Counted registers with their readings."""
    import_beside_registers_kwh: str
    """Part of `import_kwh` that no register shows. In kWh with six decimals, as text."""
    export_beside_registers_kwh: str
    """Part of `export_kwh` that no register shows. In kWh with six decimals, as text."""
    edits: NotRequired[list[BillEdit]]
    """Edits in force that affect the period, up to 1,000. Absent in versions that were recorded before versions contained edits."""
    adjustments: list[BillAdjustment]
    """Corrections of closed periods that are billed with this period."""
    billed_import_kwh: str
    """Sum of `import_kwh` and the adjustments. In kWh with six decimals, as text."""
    billed_export_kwh: str
    """Sum of `export_kwh` and the adjustments. In kWh with six decimals, as text."""
    previous_sha256: Optional[str]
    """`sha256` of the previous version. Null: this is the first version."""
    sha256: str
    """SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal."""


class ChangedGroup(TypedDict):
    group_id: str
    """Id of the group."""
    added: int
    """Number of homes that were added."""
    removed: int
    """Number of homes that were removed."""
    members: int
    """Number of homes in the group, without the homes of its subgroups."""


class CheckedIntensities(TypedDict):
    intensities: list[Intensity]
    """The first values that would be stored, up to 100."""
    count: int
    """Number of values that would be stored."""
    rejected: list[RejectedRow]
    """The first rows that would not be stored, up to 100."""


class CheckedPrices(TypedDict):
    prices: list[Price]
    """The first values that would be stored, up to 100."""
    count: int
    """Number of values that would be stored."""
    rejected: list[RejectedRow]
    """The first rows that would not be stored, up to 100."""


class CommodityUsage(TypedDict):
    date: str
    """First day of the row."""
    hour: NotRequired[str]
    """Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour."""
    time: NotRequired[str]
    """Start of the row on the clock of the time zone, as `HH:MM`. Only in rows by half-hour or quarter-hour."""
    starts_at: NotRequired[str]
    """Start of the row, with the offset of the time zone. Only in rows by hour, half-hour or quarter-hour."""
    peak_hour: Optional[str]
    """Hour with the highest usage, as `HH:00`; over several days, the hour of the day. A row by hour, half-hour or quarter-hour has its own start here. Null: no usage, or in every hour more than half of the usage is estimated."""
    kwh_used: NotRequired[float]
    """Usage measured as energy, in kWh."""
    m3_used: NotRequired[float]
    """Usage measured as volume, in m³."""
    estimated_kwh: NotRequired[float]
    """Part of `kwh_used` that is estimated, in kWh."""
    estimated_m3: NotRequired[float]
    """Part of `m3_used` that is estimated, in m³."""
    coverage: NotRequired[Optional[float]]
    """Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all expected data is known. Null: no data is expected yet."""


class ComparedDay(TypedDict):
    date: str
    """Compared day."""
    kwh: float
    """Usage of the compared day, in kWh."""


class ComparedKwh(TypedDict):
    at: str
    """End of the hours that the value covers."""
    kwh: float
    """Energy of these 24 hours, in kWh."""


class ComparedWatts(TypedDict):
    at: str
    """End of the hours that the value covers."""
    watts: int
    """Power in these hours, in watts."""


CostValue = TypedDict("CostValue", {
    "currency": "str",
    "total": "str",
    "import": "str",
    "export": "str",
    "standing": "str",
    "capacity": "NotRequired[str]",
    "estimated": "str",
    "missing_prices_kwh": "float",
})


class CreatedApp(TypedDict):
    name: str
    """Name of the app, as the consent page shows it."""
    website: str
    """HTTPS address of a page about the app."""
    redirect_uris: list[str]
    """Addresses to which the browser is redirected: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, except for the port of a loopback address."""
    notification_url: Optional[str]
    """HTTPS address for notifications of changed data. Null: none."""
    scopes: list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]
    """Scopes that the app may request from a home. Removed scopes end at once, also for issued tokens."""
    app_id: str
    """Id of the app."""
    client_id: str
    """OAuth client id of the app, for `/oauth/authorize` and `/oauth/token`."""
    user_id: str
    """Id of the account that registered the app."""
    type: Literal["confidential", "public"]
    """`confidential`: the app runs on a server and has a secret. `public`: the app runs on a phone or desktop, without a secret."""
    created_at: str
    """Time of creation."""
    client_secret: NotRequired[str]
    """OAuth client secret, shown only once. Absent for a public app."""


class CreatedGatewayMqtt(TypedDict):
    """MQTT credentials of the gateway."""

    username: str
    """MQTT user name."""
    password: str
    """MQTT password. It is not shown again."""
    topic_prefix: str
    """Prefix of all topics of the gateway."""


class CreatedGateway(TypedDict):
    gateway_id: str
    """Id of the gateway."""
    user_id: str
    """Id of the user who owns the object."""
    name: str
    """Name of the gateway, chosen by its owner."""
    decoder_config: dict[str, Any]
    """Decoder settings, as they were given."""
    managed_by: Literal["owner", "utility"]
    """`utility` while the gateway serves a device that the utility manages: the owner can then change only the name (403). Otherwise `owner`."""
    created_at: str
    """Time of creation."""
    mqtt: CreatedGatewayMqtt
    """MQTT credentials of the gateway."""


class CreatedKey(TypedDict):
    key_id: str
    """Id of the key."""
    prefix: str
    """First characters of the key, for recognition."""
    scopes: list[Literal["insights:read", "alerts:read", "alerts:write", "users:read", "users:write", "devices:read", "devices:write", "webhooks:read", "webhooks:write", "tariffs:read", "tariffs:write", "keys:write", "readings:read", "readings:write"]]
    """Scopes of the key. The role of its owner decides which data it can access."""
    expires_at: Optional[str]
    """Expiry time of the key. Null: never."""
    group_id: NotRequired[str]
    """Id of the group to which the key is limited. Absent without such a limit."""
    device_id: NotRequired[str]
    """Id of the device to which the key is limited. Absent without such a limit."""
    home_user_id: NotRequired[str]
    """Id of the home to which the key is limited. Only in keys that a member created for the home of another account."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address."""
    key: str
    """The key itself. It is not shown again."""


class CreatedProvisioningBatchMqtt(TypedDict):
    """Credentials and topics that meters of the batch get in the factory."""

    username: str
    """MQTT user name of all meters of the batch, until each has its own."""
    password: str
    """MQTT password of the batch. It is not shown again."""
    claim_topic: str
    """Topic to which a meter publishes its claim."""
    reply_topic: str
    """Topic on which the meter receives the response, on its own connection only."""


class CreatedProvisioningBatch(TypedDict):
    batch_id: str
    """Id of the batch."""
    user_id: str
    """Id of the user who owns the object."""
    owner_user_id: Optional[str]
    """Id of the user for whom a device is created if a meter’s serial is not yet the `external_id` of a device. Null: such a meter is rejected."""
    name: str
    """Name of the batch, chosen by its owner."""
    type: str
    """Type of the created devices."""
    location: str
    """Location of the created devices."""
    serial_count: Optional[int]
    """Number of serials that may claim. Null: all serials."""
    max_devices: int
    """Maximum number of meters that may claim a device."""
    claimed: int
    """Number of meters that have claimed a device."""
    expires_at: str
    """Time after which meters can no longer claim."""
    revoked_at: Optional[str]
    """Time of revocation. Null: not revoked."""
    created_at: str
    """Time of creation."""
    mqtt: CreatedProvisioningBatchMqtt
    """Credentials and topics that meters of the batch get in the factory."""


class DeliveryAttempts(TypedDict):
    at: str
    """Time of the attempt."""
    response_status: Optional[int]
    """Status code of the receiver’s response. Null: no response."""
    duration_ms: float
    """Duration of the attempt, in milliseconds."""
    error: Optional[str]
    """Reason why the attempt failed. Null: it succeeded."""


class Delivery(TypedDict):
    delivery_id: str
    """Id of the delivery."""
    event_id: str
    """Id of the event: `id` of its body, the same in every attempt."""
    event: str
    """Type of the event."""
    status: Literal["pending", "succeeded", "failed"]
    """`failed` after the last retry has failed."""
    attempts: list[DeliveryAttempts]
    """The attempts so far, oldest first."""
    next_attempt_at: Optional[str]
    """Time of the next attempt. Null: no further attempt, or the subscription is paused."""


class Device(TypedDict):
    device_id: str
    """Id of the device."""
    type: str
    """Type of the device, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Location of the device, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """`faulty` if the device reports a fault, or if most of its last readings were rejected. Otherwise `inactive` until the first reading and after 24 h of silence."""
    last_seen_at: Optional[str]
    """Time at which the last valid reading was received. Null: never."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Position of the device in its home. `excluded`: the device does not count."""
    upstream_device_id: Optional[str]
    """Id of the upstream device, whose measurement includes this device. Null: none."""
    attention: list[Literal["unknown_quantity", "faulty", "silent", "placement_guessed", "swap_guessed"]]
    """Open problems that the owner should check. Empty: none."""


class DeviceConnectedEventData(TypedDict):
    """Object of the event."""

    device_id: str
    """Id of the device."""
    user_id: str
    """Id of the user whose data the event describes."""
    type: str
    """Type of the device, in the words of its owner."""
    location: str
    """Location of the device, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """State of the device."""
    last_seen_at: str
    """Time at which the first valid message arrived."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Position of the device in its home."""
    upstream_device_id: Optional[str]
    """Id of the upstream device, whose measurement includes this device. Null: none."""


class DeviceConnectedEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["device.connected"]
    """Type of the event."""
    created_at: str
    """Time of the event."""
    environment: Literal["live", "sandbox"]
    """Installation in which the event happened: `live` or `sandbox`."""
    data: DeviceConnectedEventData
    """Object of the event."""


class DeviceDetailsChannels(TypedDict):
    native_name: str
    """The device’s own name of the quantity."""
    unit: Optional[str]
    """Unit of `last_value`. Null: the device does not report it."""
    last_value: Optional[float]
    """Last value of the quantity. Null: none."""
    last_at: Optional[str]
    """Time of the last value. Null: none."""
    counts_as: Optional[str]
    """Role of the quantity: `import`, `export`, a part of them (`import/t1`), `gas`, `heat`, `water`, `production` (of an inverter), `charged` or `discharged` (of a battery), or `ignored`. Null: unknown; the quantity does not count."""
    asked: bool
    """Whether the owner should set `counts_as`, because the name of the quantity is not recognised. If `counts_as` is nevertheless set, it is the role that the quantity had before unrecognised names stopped counting."""
    placement: Optional[Literal["grid", "production", "storage", "consumption", "excluded"]]
    """Position of the measurement in the home. Null: the position of the device."""
    counted: bool
    """Whether the energy of the quantity counts. False for a part of a counted total, for a power next to a register, and for an unknown quantity."""


class DeviceDetails(TypedDict):
    device_id: str
    """Id of the device."""
    type: str
    """Type of the device, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Location of the device, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """`faulty` if the device reports a fault, or if most of its last readings were rejected. Otherwise `inactive` until the first reading and after 24 h of silence."""
    last_seen_at: Optional[str]
    """Time at which the last valid reading was received. Null: never."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Position of the device in its home. `excluded`: the device does not count."""
    upstream_device_id: Optional[str]
    """Id of the upstream device, whose measurement includes this device. Null: none."""
    attention: list[Literal["unknown_quantity", "faulty", "silent", "placement_guessed", "swap_guessed"]]
    """Open problems that the owner should check. Empty: none."""
    user_id: str
    """Id of the user who owns the object."""
    limit_kw: float
    """Highest plausible load, in kW. If a register rises faster, the reading does not count until later readings confirm it."""
    register_max_kwh: Optional[float]
    """Value at which the register restarts at 0, in kWh. Null: the register never restarts."""
    max_gap_minutes: float
    """Longest silence over which power readings are integrated, in minutes."""
    timezone: Optional[str]
    """IANA time zone of a device that reports local time. Null: the time zone of its owner."""
    decoder_config: dict[str, Any]
    """Decoder settings, as they were given."""
    channels: list[DeviceDetailsChannels]
    """The quantities that the device reports."""
    is_computed: bool
    """Whether past consumption has been recomputed with these settings: within seconds of a change, or within minutes for months of frequent readings. Until then, the new settings apply only to the older part of the past, which is recomputed first."""
    external_id: Optional[str]
    """Name of the device at a utility or an administrator: a serial or asset number. Unique in an account. Null: none."""
    certificate_sha256: Optional[str]
    """SHA-256 of the client certificate with which the device logs in, in hex. Null: none is registered. If the broker accepts certificates, one with the device’s id as its name is then valid."""
    managed_by: Literal["owner", "utility"]
    """Manager of the device. `owner`: the account that owns it. `utility`: the utility that paired it for the account, or to whose batch it belongs; the owner can then change only the `location` (403)."""
    created_at: str
    """Time of creation."""


class DeviceImportDiffering(TypedDict):
    row: str
    """Position of the row: `line 3` in a CSV file, or a zero-based index in a JSON list."""
    device_id: str
    """Id of the device."""
    members: list[str]
    """Members whose values differ between the row and the device."""


class DeviceImport(TypedDict):
    import_id: str
    """Id of the import."""
    state: Literal["completed"]
    """State of the import. The import is complete before the response, or it is rejected as a whole."""
    created_at: str
    """Time of creation."""
    rows: int
    """Number of rows in the import."""
    created: int
    """Number of devices that were created."""
    existing: int
    """Number of rows that matched an existing device, which did not change."""
    users_created: int
    """Number of accounts that were created."""
    differing: list[DeviceImportDiffering]
    """Rows that matched an existing device with other settings. Change these devices with `PATCH /v1/devices/{device_id}`."""
    credentials: Literal["waiting", "gone"]
    """`waiting`: the passwords can be fetched, once, within a day. `gone`: the passwords were fetched, have expired, or never existed."""


class DeviceQuality(TypedDict):
    device_id: str
    """Id of the device."""
    data: list[MonthQuality]
    """One row for each month, oldest first."""


class DeviceReading(TypedDict):
    ts: str
    """Time of the reading; for an interval, its end."""
    channel: str
    """Channel of the device, such as `import`."""
    native_name: str
    """The device’s own name of the quantity."""
    energy_total_kwh: NotRequired[str]
    """Value of a register, in kWh."""
    energy_kwh: NotRequired[str]
    """Energy of an interval, in kWh."""
    volume_total_m3: NotRequired[str]
    """Value of a register of gas, heat or water, in m³."""
    volume_m3: NotRequired[str]
    """Volume of an interval, in m³."""
    interval_s: NotRequired[float]
    """Length of an interval, in seconds."""
    power_w: NotRequired[float]
    """Power, in W."""
    temperature_c: NotRequired[float]
    """Room temperature, in °C."""
    setpoint_c: NotRequired[float]
    """Set temperature, in °C."""
    heating: NotRequired[int]
    """State of a thermostat: 1 while heating, otherwise 0."""
    humidity_percent: NotRequired[float]
    """Relative humidity, in percent."""
    verdict: Literal["counted", "baseline", "excluded", "not_counted", "unknown", "lower_kept", "glitch", "overlap", "late_news", "passed_over", "taken_back", "jitter", "reset", "rollover", "swap", "held"]
    """Use of the reading. `counted`: its energy counts. `baseline`: energy counts from this reading on. `excluded`: an edit excludes it. `not_counted`: another quantity counts. `unknown`: the meaning of the quantity has not been set. `lower_kept`: it counts, and a higher value for the same time does not. Other values are findings of `GET /v1/devices/{device_id}/quality`."""
    edit_id: NotRequired[str]
    """Id of the edit that excludes or added the reading."""


class DeviceReadings(TypedDict):
    device_id: str
    """Id of the device."""
    data: list[DeviceReading]
    """The readings, oldest first."""


class DeviceUsageDataTemperatureC(TypedDict):
    mean: float
    """Mean, weighted by time, in °C."""
    min: float
    """Lowest, in °C."""
    max: float
    """Highest, in °C."""


class DeviceUsageData(TypedDict):
    date: str
    """First day of the row."""
    hour: NotRequired[str]
    """Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour."""
    time: NotRequired[str]
    """Start of the row on the clock of the time zone, as `HH:MM`. Only in rows by half-hour or quarter-hour."""
    starts_at: NotRequired[str]
    """Start of the row, with the offset of the time zone. Only in rows by hour, half-hour or quarter-hour."""
    kwh_used: Optional[float]
    """Energy imported by the device, in kWh. Null: the device reports no energy."""
    peak_hour: Optional[str]
    """Hour with the highest usage, as `HH:00`; over several days, the hour of the day. A row by hour, half-hour or quarter-hour has its own start here. Null: no usage, or in every hour more than half of the usage is estimated."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: unknown."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: unknown."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: unknown."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy that batteries charged, in kWh. Null: unknown."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy that batteries discharged, in kWh. Null: unknown."""
    consumption_kwh: NotRequired[Optional[float]]
    """Energy used by consumption devices, in kWh. Null: unknown."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: unknown."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage."""
    estimated_kwh: NotRequired[Optional[float]]
    """Part of `kwh_used` that is estimated, in kWh. Null: unknown."""
    coverage: NotRequired[Optional[float]]
    """Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all expected data is known. Null: no data is expected yet."""
    export_kwh: NotRequired[Optional[float]]
    """Energy exported by the device, in kWh. Null: unknown."""
    estimate: NotRequired[Optional[Literal["like_days", "line"]]]
    """With `gaps=like_days`: how the estimated energy of the row was found. `like_days`: at least a part by the load profile of similar days. `line`: all of it was spread evenly. Null: nothing in it is estimated."""
    temperature_c: NotRequired[Optional[DeviceUsageDataTemperatureC]]
    """Room temperature measured by a thermostat. Null: unknown."""
    setpoint_c: NotRequired[Optional[float]]
    """Mean of the set temperature, weighted by time, in °C. Null: unknown."""
    heating_minutes: NotRequired[Optional[float]]
    """Time during which the thermostat was heating, in minutes. Null: unknown."""


class DeviceUsage(TypedDict):
    device_id: str
    """Id of the device."""
    data: list[DeviceUsageData]
    """The rows, oldest first."""


class DiscoveredDeviceQuantities(TypedDict):
    channel: str
    """Name of the channel."""
    kind: str
    """Measured quantity with its unit, such as `power_w`."""
    counts: Optional[Literal["import", "export"]]
    """Role of the quantity after pairing. Null: not counted."""


class DiscoveredDevice(TypedDict):
    discovery_id: str
    """Id for pairing the device: `discovery_id` of `POST /v1/devices`."""
    gateway_id: str
    """Id of the gateway through which the device was discovered."""
    family: str
    """Family of the device’s messages, such as `tasmota`."""
    native_id: str
    """The device’s own id."""
    channels: list[str]
    """Names of the device’s channels."""
    quantities: list[DiscoveredDeviceQuantities]
    """The quantities of the device’s channels."""
    awaits: Optional[str]
    """Topic filter, below the gateway’s prefix, for announced values of which none has arrived yet. Null: values have arrived."""
    first_seen_at: str
    """Time of the first message."""
    last_seen_at: str
    """Time of the last message."""


class EmissionSeries(TypedDict):
    series_id: str
    """Id of the emission series."""
    user_id: str
    """Id of the user who owns the object."""
    name: str
    """Name of the series, chosen by its owner, such as the name of the grid."""
    resolution_minutes: Literal[15, 30, 60]
    """Time for which each value applies, in minutes."""
    source: NotRequired[SeriesSource]
    """Source from which the service fetches the values. Absent: the series has no source, or the caller may not change the series."""
    last_fetched_at: NotRequired[Optional[str]]
    """Time of the last fetch. Null: never."""
    next_fetch_at: NotRequired[str]
    """Time of the next fetch."""
    last_error: NotRequired[Optional[str]]
    """Error of the last fetch, or of rows in its response. Null: no error."""


class EmissionsValue(TypedDict):
    kg_co2e: str
    """Emissions in kg of CO2 equivalent, with 3 decimals."""
    missing_kwh: float
    """Energy without a known intensity, in kWh. `kg_co2e` does not contain it."""


class EnergyInsightsDateRange(TypedDict):
    """Days of the summary."""

    start: str
    """First day of the summary."""
    end: str
    """Last day of the summary, inclusive: today."""


class EnergyInsights(TypedDict):
    user_id: str
    """Id of the user who owns the object."""
    data: NotRequired[Union[list[Usage], list[CommodityUsage]]]
    """The rows, oldest first. Rows without data are omitted."""
    date_range: NotRequired[EnergyInsightsDateRange]
    """Days of the summary."""
    peak_usage_time: NotRequired[Optional[str]]
    """Hour with the highest usage, as `HH:00`; over several days, the hour of the day. Null: no usage, or in every hour more than half of the usage is estimated."""
    kwh_used: NotRequired[float]
    """Usage measured as energy, in kWh."""
    m3_used: NotRequired[float]
    """Usage measured as volume, in m³."""
    estimated_kwh: NotRequired[Union[float, Optional[float]]]
    """Part of `kwh_used` that is estimated, in kWh."""
    estimated_m3: NotRequired[float]
    """Part of `m3_used` that is estimated, in m³."""
    coverage: NotRequired[Optional[float]]
    """Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all expected data is known. Null: no data is expected yet."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: unknown."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: unknown."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: unknown."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy that batteries charged, in kWh. Null: unknown."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy that batteries discharged, in kWh. Null: unknown."""
    consumption_kwh: NotRequired[Optional[float]]
    """Energy used by consumption devices, in kWh. Null: unknown."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: unknown."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage."""


class ErrorBodyDetails(TypedDict):
    field: str
    """Path of the member, parameter or header, such as `channels.0.counts_as`."""
    message: str
    """Error in this field."""


class ErrorBody(TypedDict):
    error: str
    """Error message for people."""
    status: int
    """HTTP status code of the response."""
    code: str
    """Error code for programs: a word from the list of errors, such as `key_revoked`. It does not change."""
    doc_url: str
    """Address of the explanation in the reference."""
    details: NotRequired[list[ErrorBodyDetails]]
    """All validation errors of the request."""
    retry_after: NotRequired[int]
    """With 429: seconds to wait before the next request."""
    incident: NotRequired[str]
    """With 500: id of the request in the log of the service."""


class FleetDevice(TypedDict):
    device_id: str
    """Id of the device."""
    type: str
    """Type of the device, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Location of the device, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """`faulty` if the device reports a fault, or if most of its last readings were rejected. Otherwise `inactive` until the first reading and after 24 h of silence."""
    last_seen_at: Optional[str]
    """Time at which the last valid reading was received. Null: never."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Position of the device in its home. `excluded`: the device does not count."""
    upstream_device_id: Optional[str]
    """Id of the upstream device, whose measurement includes this device. Null: none."""
    attention: list[Literal["unknown_quantity", "faulty", "silent", "placement_guessed", "swap_guessed"]]
    """Open problems that the owner should check. Empty: none."""
    user_id: str
    """Id of the user who owns the object."""
    email: Optional[str]
    """E-mail address of the device’s owner. Null: the key lacks `users:read`."""
    family: str
    """Family of the device’s messages, such as `tasmota`. `native`: the service’s own format, without a gateway."""
    gateway_id: Optional[str]
    """Id of the device’s gateway. Null: the device logs in itself."""
    silent_since: Optional[str]
    """Start of the silence: time of the last message, or of pairing if none was received. Null: a message was received within the last hour."""
    created_at: str
    """Time of creation."""


FleetSilenceUnwatched = TypedDict("FleetSilenceUnwatched", {
    "from": "str",
    "to": "str",
})


class FleetSilenceData(TypedDict):
    starts_at: str
    """Start of the hour or day."""
    devices: int
    """Number of devices that fell silent in this hour or day."""
    outage: int
    """Number of these devices that stopped in an outage of many homes."""
    gateway: int
    """Number of these devices that stopped together with others of their gateway."""
    home: int
    """Number of these devices that stopped together with others of their home."""
    device: int
    """Number of these devices that stopped alone."""
    habit: int
    """Number of these devices that stop frequently."""
    unsure: int
    """Number of all these devices whose kind of stop is uncertain."""


class FleetSilenceGroups(TypedDict):
    kind: Literal["outage", "gateway", "home", "device", "habit"]
    """Kind of stop. `outage`: many homes stopped. `gateway`, `home`: devices of one gateway or home stopped. `device`: one device stopped alone. `habit`: a device stopped that is often silent."""
    sure: bool
    """Whether the kind is certain. If not, `because` gives the reason."""
    because: Literal["beyond_chance", "whole_gateway", "whole_home", "others_go_on", "often_silent", "part_of_gateway", "part_of_home", "only_device", "others_stopped_too"]
    """Reason. `beyond_chance`: more homes stopped than chance explains; `whole_gateway`, `whole_home`: all its devices stopped; `others_go_on`: others of the home reported; `often_silent`: it often stopped in the week before. Uncertain: `part_of_gateway`, `part_of_home`: a part stopped; `only_device`: no other device of the home reported; `others_stopped_too`: unusually many homes stopped then."""
    first_at: str
    """Time of the last message of the device that stopped first."""
    last_at: str
    """Time of the last message of the device that stopped last."""
    devices: int
    """Number of devices in the group."""
    homes: int
    """Number of homes in the group."""
    heard_again: int
    """Number of devices in the group that have reported again."""
    user_id: Optional[str]
    """Id of the user. Null: the group has several users."""
    gateway_id: Optional[str]
    """Id of the gateway. Null: the group has no gateway, or several."""
    device_ids: list[str]
    """Ids of the devices in the order in which they stopped; at most 20."""


class FleetSilence(TypedDict):
    silent_after_minutes: int
    """Minimum length of a silence, in minutes. Shorter silences are not recorded."""
    devices: int
    """Number of devices that the caller can access."""
    homes: int
    """Number of homes with at least one of these devices."""
    unwatched: list[FleetSilenceUnwatched]
    """Times without a running worker. Silences that began and ended within them are unknown."""
    data: list[FleetSilenceData]
    """Hours or days in which devices fell silent, oldest first."""
    groups: list[FleetSilenceGroups]
    """Groups of devices that stopped together: largest first, then latest first."""
    groups_left_out: int
    """Number of groups beyond `limit`."""


class ForecastForecastCost(TypedDict):
    currency: str
    """Currency (ISO 4217)."""
    expected: float
    """Expected cost of the month."""
    low: float
    """Cost at the lower end of the range of usage."""
    high: float
    """Cost at the upper end of the range of usage."""


class ForecastForecastPast(TypedDict):
    month: str
    """Month, as `YYYY-MM`."""
    forecast_kwh: float
    """Usage of the month that this forecast would have expected on the same day of that month, in kWh."""
    actual_kwh: float
    """Actual usage of the home in the month, in kWh."""
    last_year_kwh: Optional[float]
    """Usage of the home in the same month of the previous year, in kWh. Null: unknown."""


class ForecastForecast(TypedDict):
    start: str
    """First day of the current month."""
    end: str
    """Last day of the current month."""
    days_over: int
    """Number of past days of the month."""
    so_far_kwh: float
    """Usage of the home in the month so far, in kWh."""
    expected_kwh: float
    """Expected usage of the home in the whole month, in kWh."""
    low_kwh: float
    """Lower end of the range in which the usage of the month will probably lie, in kWh."""
    high_kwh: float
    """Upper end of the range in which the usage of the month will probably lie, in kWh."""
    range_percent: int
    """Percentage of months whose usage lies within the range."""
    cost: Optional[ForecastForecastCost]
    """Expected cost of the month. Null: no tariff, or a tariff for too few days."""
    past: list[ForecastForecastPast]
    """Earlier months of the home with the same forecast, latest first."""
    mean_error: Optional[float]
    """Mean error of the forecast in these months, as a share of their usage. Null: no earlier months."""


class Forecast(TypedDict):
    timezone: str
    """IANA time zone of the user, which defines the days."""
    forecast: Optional[ForecastForecast]
    """Forecast of the current month. Null: the home has too few days with data."""


class Gateway(TypedDict):
    gateway_id: str
    """Id of the gateway."""
    user_id: str
    """Id of the user who owns the object."""
    name: str
    """Name of the gateway, chosen by its owner."""
    decoder_config: dict[str, Any]
    """Decoder settings, as they were given."""
    managed_by: Literal["owner", "utility"]
    """`utility` while the gateway serves a device that the utility manages: the owner can then change only the name (403). Otherwise `owner`."""
    created_at: str
    """Time of creation."""


class Group(TypedDict):
    group_id: str
    """Id of the group."""
    user_id: str
    """Id of the user who owns the object."""
    name: str
    """Name of the group, chosen by its owner."""
    kind: Optional[str]
    """Kind of group, such as `building` or `feeder`. Null: not given."""
    parent_group_id: Optional[str]
    """Id of the parent group, which must have the same owner and must not be a subgroup of this group. A tree has at most 8 levels. Null: none."""
    members: int
    """Number of homes in the group, without the homes of its subgroups."""
    created_at: str
    """Time of creation."""


class GroupEnergyInsightsDateRange(TypedDict):
    """Days of the summary."""

    start: str
    """First day of the summary."""
    end: str
    """Last day of the summary, inclusive: today."""


class GroupEnergyInsights(TypedDict):
    group_id: str
    """Id of the group."""
    homes: int
    """Number of homes in the total, including the homes of subgroups. Each home counts once."""
    data: NotRequired[list[Usage]]
    """The rows, oldest first. Rows without data are omitted."""
    date_range: NotRequired[GroupEnergyInsightsDateRange]
    """Days of the summary."""
    kwh_used: NotRequired[float]
    """Usage of the homes, in kWh."""
    peak_usage_time: NotRequired[Optional[str]]
    """Hour with the highest usage, as `HH:00`; over several days, the hour of the day. Null: no usage, or in every hour more than half of the usage is estimated."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: unknown."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: unknown."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: unknown."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy that batteries charged, in kWh. Null: unknown."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy that batteries discharged, in kWh. Null: unknown."""
    consumption_kwh: NotRequired[Optional[float]]
    """Energy used by consumption devices, in kWh. Null: unknown."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: unknown."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage."""
    estimated_kwh: NotRequired[Optional[float]]
    """Part of `kwh_used` that is estimated, in kWh. Null: unknown."""
    coverage: NotRequired[Optional[float]]
    """Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all expected data is known. Null: no data is expected yet."""


class ImportCredentialsCredentials(TypedDict):
    row: str
    """Position of the row: `line 3` in a CSV file, or a zero-based index in a JSON list."""
    external_id: Optional[str]
    """Your own name of the device. Null: none."""
    device_id: str
    """Id of the device."""
    username: str
    """MQTT user name."""
    password: str
    """MQTT password. It is not shown again."""
    topic: str
    """Topic to which the device publishes its readings."""


class ImportCredentials(TypedDict):
    import_id: str
    """Id of the import."""
    credentials: list[ImportCredentialsCredentials]
    """MQTT credentials of the new devices."""


class Intensity(TypedDict):
    starts_at: str
    """Start of the time for which the value applies. The value applies for one resolution of the series."""
    grams_per_kwh: str
    """Grams of CO2 equivalent per kWh. A decimal with up to 9 places, as text."""


class JudgedMessageReadings(TypedDict):
    device: str
    """Id of the device in the message."""
    channel: str
    """Channel of the reading, such as `import`, `export/t1`, `gas/m3` or `room`."""
    kind: str
    """Quantity with its unit, such as `energy_total_kwh`, `power_w` or `temperature_c`."""
    value: Union[float, bool]
    """The value, in the unit given by `kind`."""
    ts: Optional[str]
    """Time stamp in the message. `null`: none, so the time of receipt is used."""


class JudgedMessageAsks(TypedDict):
    device: str
    """Id of the device in the message."""
    native_name: str
    """The device’s own name of the quantity."""
    unit: Optional[str]
    """Unit of the quantity. `null`: the message does not contain it."""
    value: Union[float, bool]
    """The value, in the unit given by `kind`."""


class JudgedMessageWould(TypedDict):
    family: str
    """Device family that would decode more of the message."""
    decoder_config: dict[str, Any]
    """Decoder settings to add. A zone, a unit or a number in them is an example."""


class JudgedMessageMembersProposed(TypedDict):
    unit: str
    """Value for `unit` of a `mapping`."""
    meaning: str
    """Value for `meaning` of a `mapping`."""


class JudgedMessageMembers(TypedDict):
    path: Optional[str]
    """JSONPath of the value. `null`: the payload is a plain number."""
    value: Union[float, str]
    """Value at this path."""
    may_be_time: bool
    """Whether the value can be the time of the message."""
    proposed: Optional[JudgedMessageMembersProposed]
    """Proposed meaning, from the unit in the name. `null`: the name contains no unit."""


class JudgedMessage(TypedDict):
    outcome: Literal["read", "asked", "refused", "nothing", "nobody"]
    """`read`: at least one reading counts. `asked`: nothing counts until the owner sets the meaning of a quantity. `refused`: a family recognises the message, but cannot use it. `nothing`: a family recognises the message, which contains no readings. `nobody`: no family recognises the message."""
    topic: str
    """The topic without the prefix of the gateway."""
    family: Optional[str]
    """Device family that decodes the message. Null: none."""
    readings: list[JudgedMessageReadings]
    """Decoded readings."""
    asks: list[JudgedMessageAsks]
    """Quantities that do not count until the owner sets their meaning."""
    refused: list[str]
    """Reasons why the message, or a part of it, cannot be used."""
    left_out: int
    """Number of readings that were skipped, because the message was retained."""
    would: list[JudgedMessageWould]
    """Settings that would help."""
    members: list[JudgedMessageMembers]
    """Values in the payload that a `mapping` of the `decoder_config` can use."""


class Key(TypedDict):
    key_id: str
    """Id of the key."""
    prefix: str
    """First characters of the key, for recognition."""
    scopes: list[Literal["insights:read", "alerts:read", "alerts:write", "users:read", "users:write", "devices:read", "devices:write", "webhooks:read", "webhooks:write", "tariffs:read", "tariffs:write", "keys:write", "readings:read", "readings:write"]]
    """Scopes of the key. The role of its owner decides which data it can access."""
    expires_at: Optional[str]
    """Expiry time of the key. Null: never."""
    group_id: NotRequired[str]
    """Id of the group to which the key is limited. Absent without such a limit."""
    device_id: NotRequired[str]
    """Id of the device to which the key is limited. Absent without such a limit."""
    home_user_id: NotRequired[str]
    """Id of the home to which the key is limited. Only in keys that a member created for the home of another account."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address."""
    name: Optional[str]
    """Name of the key, chosen by its owner. Null: none."""
    created_at: str
    """Time of creation."""
    last_used_at: Optional[str]
    """Time of the last use. Null: never used."""


class ListedUserDevices(TypedDict):
    """Device counts of the account. Only with `include=devices`."""

    total: int
    """Number of devices of the account."""
    silent: int
    """Number of devices without a message for 24 hours."""
    faulty: int
    """Number of faulty devices."""


class ListedUser(TypedDict):
    user_id: str
    """Id of the user."""
    email: str
    """E-mail address. The first administrator has `admin@localhost`."""
    role: Literal["homeowner", "utility", "admin"]
    """Role of the user. `homeowner`: can access its own data. `utility`: the data of the homeowners that it enrolled. `admin`: all data."""
    created_at: str
    """Time at which the account was created."""
    phone: Optional[str]
    """Phone number in E.164 form. Null: none."""
    timezone: str
    """IANA time zone of the user. Alerts and requests with `tz=account` use its hours, days and months."""
    plan: Literal["free", "developer", "enterprise"]
    """Plan that sets the rate limits of the account."""
    emission_series_id: Optional[str]
    """Id of the emission series for the home’s emissions. Null: none."""
    remarks_by_mail: bool
    """Whether the user gets a mail about each new remark on its home."""
    pending_email: NotRequired[str]
    """Requested new e-mail address, which takes effect when a link in a mail to it is used. Only present until then, at most 7 days."""
    devices: NotRequired[ListedUserDevices]
    """Device counts of the account. Only with `include=devices`."""


class Member(TypedDict):
    member_id: str
    """Id of the membership."""
    email: str
    """E-mail address of the member’s account, or of the invited person."""
    access: Literal["read", "manage"]
    """`read`: can see everything in the home, but cannot export it. `manage`: can also change the home, except its members, keys and e-mail address, and cannot export or delete the account."""
    status: Literal["invited", "active"]
    """`invited` until the invitation is accepted."""
    created_at: str
    """Time of creation."""
    expires_at: Optional[str]
    """Expiry time of the invitation. Null: the invitation was accepted."""
    accepted_at: Optional[str]
    """Time at which the invitation was accepted. Null: not yet."""
    last_used_at: Optional[str]
    """Time of the last use of a key that the member created for the home. Null: never."""


class Membership(TypedDict):
    member_id: str
    """Id of the membership."""
    home_user_id: str
    """Id of the home’s account. Requests in a session pass it as `user_id`."""
    home_email: str
    """E-mail address of the home’s account."""
    access: Literal["read", "manage"]
    """`read`: can see everything in the home, but cannot export it. `manage`: can also change the home, except its members, keys and e-mail address, and cannot export or delete the account."""
    accepted_at: str
    """Time at which the invitation was accepted."""


class Message(TypedDict):
    message: str
    """Result of the request, for people."""


class MonthQualityFindings(TypedDict):
    """Number of readings with each finding. Readings that count in the normal way are not included."""

    glitches: int
    """False readings: the readings before and after them fit together."""
    overlaps: int
    """Interval readings that overlap a counted interval."""
    late_news: int
    """Readings with which a source continued after it was frozen. Their energy is distributed over the time since the source froze."""
    passed_over: int
    """Readings that a frozen source repeated."""
    taken_back: int
    """Readings that prove the previous reading false."""
    jitter: int
    """Small decreases of a register, for example if it loses its decimals."""
    resets: int
    """Restarts of the register at zero."""
    rollovers: int
    """Rollovers of the register at its maximum."""
    swaps: int
    """Replacements of the meter. The history is split there, and the difference between the two registers does not count."""
    held: int
    """Implausible readings that later readings will confirm or refute."""


class MonthQualityRejections(TypedDict):
    reason: str
    """Reason for the rejection."""
    count: int
    """Number of rejections for this reason."""


class MonthQuality(TypedDict):
    month: str
    """Month in the time zone `tz`, as `YYYY-MM`."""
    intervals_expected: int
    """Number of past quarter-hours of the month, starting with the device’s first reading. It counts time, not messages: a register that reports only changes also covers the time before each message."""
    intervals_received: int
    """Number of these quarter-hours that are fully known, from readings at most an hour apart."""
    intervals_estimated: int
    """Number of these quarter-hours with energy that was distributed over a silence of more than an hour."""
    intervals_partial: int
    """Number of these quarter-hours that are known in part, or for some channels only."""
    intervals_missing: int
    """Number of these quarter-hours that are unknown."""
    import_kwh: float
    """Imported energy, in kWh, exact to the mWh."""
    export_kwh: float
    """Exported energy, in kWh, exact to the mWh."""
    estimated_import_kwh: float
    """Part of `import_kwh` that was distributed over silences, in kWh."""
    estimated_export_kwh: float
    """Part of `export_kwh` that was distributed over silences, in kWh."""
    readings: int
    """Number of counted readings."""
    late_readings: int
    """Number of readings that arrived after a later reading of the same channel."""
    corrected_hours: int
    """Number of hours whose energy changed after it was first known."""
    import_change_kwh: float
    """Resulting change of the month’s import, in kWh."""
    export_change_kwh: float
    """Resulting change of the month’s export, in kWh."""
    findings: MonthQualityFindings
    """Number of readings with each finding. Readings that count in the normal way are not included."""
    excluded_readings: int
    """Number of readings of the month that edits exclude. Raw readings are deleted after the retention time, and then no longer count here."""
    added_readings: int
    """Number of readings of the month that edits added."""
    edits: list[str]
    """Ids of the edits in force that affect the month."""
    rejected: int
    """Number of messages and elements that were rejected in the month. Rejections are stored for 90 days."""
    rejections: list[MonthQualityRejections]
    """The reasons, the most frequent first."""


class MonthlyAnalyticsData(TypedDict):
    month: str
    """Month in the time zone `tz`, as `YYYY-MM`."""
    kwh_used: float
    """Usage of the home in the month, in kWh."""
    avg_daily_kwh: float
    """Mean daily usage over the days with data, in kWh."""
    peak_hour: Optional[str]
    """Hour of the day with the highest usage in the month. Null: more than half of the usage is estimated in every hour."""
    change_kwh: Optional[float]
    """Change from the previous month, in kWh. Null: the previous month has no data."""
    change_percent: Optional[float]
    """Change from the previous month, in percent. Null: the previous month has no data or no usage."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    partial: NotRequired[Literal[True]]
    """`true`: the month is not over, and is compared with the same days of the previous month."""


class MonthlyAnalytics(TypedDict):
    user_id: str
    """Id of the user who owns the object."""
    data: list[MonthlyAnalyticsData]
    """The months, oldest first. Months without data are omitted."""


class NewSeriesSource(TypedDict):
    preset: NotRequired[str]
    """Name of a public source, such as `awattar_de`, `energi_data_service_dk1`, `octopus_agile_c`, `entsoe_fr`, or `carbon_intensity_gb` for emissions. A preset contains the address, times and units."""
    token: NotRequired[str]
    """Token for the preset, such as an ENTSO-E token. It is stored encrypted and never returned."""
    url: NotRequired[str]
    """HTTPS address of the values, without credentials."""
    format: NotRequired[Literal["json", "csv", "xml"]]
    """Format of the responses of the source."""
    items: NotRequired[str]
    """JSON: path of the list of rows, such as `$.data`; default: the whole response. XML: name of the element that contains a row. Not for CSV."""
    starts_at: NotRequired[str]
    """Location of the start of a value in its row: JSONPath from the row, CSV column, or XML element. The start is ISO 8601, or Unix seconds or milliseconds."""
    value: NotRequired[str]
    """Location of the price, or of the grams of CO2 equivalent, of a kWh in its row: JSONPath from the row, CSV column, or XML element."""
    scale: NotRequired[Union[str, float]]
    """Factor for the values, such as 0.001 for prices per MWh. Default: 1."""
    timezone: NotRequired[str]
    """IANA time zone of `at`, and of times without an offset in the response. Default: UTC."""
    headers: NotRequired[dict[str, Any]]
    """Headers of the request, for example with a key. They are stored encrypted and never returned."""
    at: NotRequired[list[str]]
    """Times of day at which the source is fetched, HH:MM, up to 24."""


class PairedDeviceMqtt(TypedDict):
    """MQTT credentials of the device. Absent with `discovery_id`, because its gateway signs in."""

    username: str
    """MQTT user name."""
    password: str
    """MQTT password. It is not shown again."""
    topic: str
    """Topic to which the device publishes its readings."""


class PairedDevice(TypedDict):
    device_id: str
    """Id of the device."""
    type: str
    """Type of the device, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Location of the device, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """`faulty` if the device reports a fault, or if most of its last readings were rejected. Otherwise `inactive` until the first reading and after 24 h of silence."""
    last_seen_at: Optional[str]
    """Time at which the last valid reading was received. Null: never."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Position of the device in its home. `excluded`: the device does not count."""
    upstream_device_id: Optional[str]
    """Id of the upstream device, whose measurement includes this device. Null: none."""
    attention: list[Literal["unknown_quantity", "faulty", "silent", "placement_guessed", "swap_guessed"]]
    """Open problems that the owner should check. Empty: none."""
    mqtt: NotRequired[PairedDeviceMqtt]
    """MQTT credentials of the device. Absent with `discovery_id`, because its gateway signs in."""


class Price(TypedDict):
    starts_at: str
    """Start of the time for which the value applies. The value applies for one resolution of the series."""
    per_kwh: str
    """Price per kWh. A decimal with up to 9 places, as text."""


class PriceSeries(TypedDict):
    series_id: str
    """Id of the price series."""
    user_id: str
    """Id of the user who owns the object."""
    name: str
    """Name of the series, chosen by its owner, such as the name of the market."""
    currency: str
    """Currency of the prices (ISO 4217), such as `EUR`."""
    resolution_minutes: Literal[15, 30, 60]
    """Time for which each value applies, in minutes."""
    source: NotRequired[SeriesSource]
    """Source from which the service fetches the values. Absent: the series has no source, or the caller may not change the series."""
    last_fetched_at: NotRequired[Optional[str]]
    """Time of the last fetch. Null: never."""
    next_fetch_at: NotRequired[str]
    """Time of the next fetch."""
    last_error: NotRequired[Optional[str]]
    """Error of the last fetch, or of rows in its response. Null: no error."""


class ProvisioningBatch(TypedDict):
    batch_id: str
    """Id of the batch."""
    user_id: str
    """Id of the user who owns the object."""
    owner_user_id: Optional[str]
    """Id of the user for whom a device is created if a meter’s serial is not yet the `external_id` of a device. Null: such a meter is rejected."""
    name: str
    """Name of the batch, chosen by its owner."""
    type: str
    """Type of the created devices."""
    location: str
    """Location of the created devices."""
    serial_count: Optional[int]
    """Number of serials that may claim. Null: all serials."""
    max_devices: int
    """Maximum number of meters that may claim a device."""
    claimed: int
    """Number of meters that have claimed a device."""
    expires_at: str
    """Time after which meters can no longer claim."""
    revoked_at: Optional[str]
    """Time of revocation. Null: not revoked."""
    created_at: str
    """Time of creation."""


RatesPeriods = TypedDict("RatesPeriods", {
    "per_kwh": "str",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class Rates(TypedDict):
    per_kwh: NotRequired[str]
    """Price per kWh. A decimal with up to 9 places, as text."""
    periods: NotRequired[list[RatesPeriods]]
    """Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price per kWh is the price of the series × `multiply` + `add`."""
    add: NotRequired[str]
    """Amount added to the price per kWh after `multiply`. Default: 0. A decimal with up to 9 places, as text."""
    multiply: NotRequired[str]
    """Factor for the price of the series, such as 1.19 for a tax. Default: 1. A decimal with up to 9 places, as text."""


class ReadingEdit(TypedDict):
    edit_id: str
    """Id of the edit."""
    device_id: str
    """Id of the device."""
    action: Literal["exclude", "add"]
    """`exclude`: excludes all readings of a time range, also those that arrive later. `add`: adds a register reading by a person. It counts like any late reading, and replaces a reading that the device sent for the same instant."""
    native_name: Optional[str]
    """The device’s own name of the quantity, as in `channels`. Null: every quantity of the device."""
    start: Optional[str]
    """With `exclude`: start of the excluded range, inclusive. A reading is excluded if its time is in the range; an interval, if its end is in the range."""
    end: Optional[str]
    """With `exclude`: end of the excluded range, exclusive."""
    at: Optional[str]
    """With `add`: time of the reading."""
    kwh: Optional[float]
    """With `add`: value of the register, in kWh (in m³ if it counts a volume)."""
    reason: str
    """Reason for the edit, in the author’s words."""
    status: Literal["in_force", "revoked"]
    """A `revoked` edit no longer has an effect, but stays in the list."""
    is_computed: bool
    """Whether consumption has been recomputed with the edit: within seconds, or within minutes for months of frequent readings."""
    author: Optional[str]
    """Id of the user who made the edit. `clock`: the service made it, because a host’s clock was set back and readings received without a time would have counted twice; a register continues from its first reading in that time. Null: the account was deleted."""
    created_at: str
    """Time of creation."""
    revoked_by: Optional[str]
    """Id of the user who revoked the edit. Null: the edit is in force, or the account was deleted."""
    revoked_at: Optional[str]
    """Time of revocation. Null: the edit is in force."""


RegisterReading = TypedDict("RegisterReading", {
    "kwh": "str",
    "at": "str",
    "is": "Literal['measured', 'by_hand', 'interpolated', 'last']",
})


class RejectedRow(TypedDict):
    row: int
    """Position of the row in the response, starting at 1."""
    message: str
    """Error in the row."""


class Remark(TypedDict):
    kind: Union[Union[Union[Union[Union[Literal["stays_on"], Literal["night_rose"]], Literal["device_uses_more"]], Literal["production_missing"]], Literal["unusual_day"]], Literal["cheaper_tariff"]]
    """Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months."""
    since: NotRequired[str]
    """Start of the condition."""
    until: NotRequired[str]
    """Latest time at which the condition is known to hold."""
    least_w: NotRequired[int]
    """Lowest power of the home since the start of the condition, in watts."""
    usual_w: NotRequired[int]
    """Median of the same value on the compared days, in watts."""
    device_id: NotRequired[Union[Optional[str], str]]
    """Id of the device that the remark concerns, or that causes most of a rise. Null: unknown."""
    location: NotRequired[Union[Optional[str], str]]
    """Location of this device. Null: unknown."""
    compared: NotRequired[Union[Union[Union[list[ComparedWatts], list[ComparedKwh]], list[ComparedKwh]], list[ComparedDay]]]
    """Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself."""
    quiet_w: NotRequired[int]
    """Mean power of the quietest two hours of the last day, in watts."""
    kwh: NotRequired[float]
    """Usage of the device in the last 24 hours, or of the home on the day, in kWh."""
    usual_kwh: NotRequired[float]
    """Median of the same value on the compared days, in kWh."""
    expected_kwh: NotRequired[float]
    """Energy that the panels would have produced since the condition began, even with little sun, in kWh."""
    is_silent: NotRequired[bool]
    """True: the production is unknown. False: it is known to be 0."""
    date: NotRequired[str]
    """The unusual day, in the time zone of the user."""
    weekday: NotRequired[int]
    """Weekday of the unusual day: 1 is Monday."""
    start: NotRequired[str]
    """First day of the comparison, in the time zone of the user."""
    end: NotRequired[str]
    """Last day of the comparison, inclusive."""
    tariff_id: NotRequired[str]
    """Id of the cheaper tariff."""
    name: NotRequired[str]
    """Name of the cheaper tariff."""
    currency: NotRequired[str]
    """Currency of both amounts (ISO 4217)."""
    paid: NotRequired[str]
    """Cost of these months under the tariffs then in force, as a decimal."""
    would_have_paid: NotRequired[str]
    """Cost of these months under the cheaper tariff, as a decimal."""


class RemarkRaisedEventData(TypedDict):
    kind: Union[Union[Union[Union[Union[Literal["stays_on"], Literal["night_rose"]], Literal["device_uses_more"]], Literal["production_missing"]], Literal["unusual_day"]], Literal["cheaper_tariff"]]
    """Kind of remark. `stays_on`: a load that no longer switches off; `night_rose`: a higher power in the quietest two hours; `device_uses_more`: a device whose usage hardly varies uses more; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than usual for its weekday; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months."""
    since: NotRequired[str]
    """Start of the condition."""
    until: NotRequired[str]
    """Latest time at which the condition is known to hold."""
    least_w: NotRequired[int]
    """Lowest power of the home since the start of the condition, in watts."""
    usual_w: NotRequired[int]
    """Median of the same value on the compared days, in watts."""
    device_id: NotRequired[Union[Optional[str], str]]
    """Id of the device that the remark concerns, or that causes most of a rise. Null: unknown."""
    location: NotRequired[Union[Optional[str], str]]
    """Location of this device. Null: unknown."""
    compared: NotRequired[Union[Union[Union[list[ComparedWatts], list[ComparedKwh]], list[ComparedKwh]], list[ComparedDay]]]
    """Values of earlier days, oldest first. If the rows have `at`, the last row is the value of the remark itself."""
    user_id: str
    """Id of the user that the remark is about."""
    quiet_w: NotRequired[int]
    """Mean power of the quietest two hours of the last day, in watts."""
    kwh: NotRequired[float]
    """Usage of the device in the last 24 hours, or of the home on the day, in kWh."""
    usual_kwh: NotRequired[float]
    """Median of the same value on the compared days, in kWh."""
    expected_kwh: NotRequired[float]
    """Energy that the panels would have produced since the condition began, even with little sun, in kWh."""
    is_silent: NotRequired[bool]
    """True: the production is unknown. False: it is known to be 0."""
    date: NotRequired[str]
    """The unusual day, in the time zone of the user."""
    weekday: NotRequired[int]
    """Weekday of the unusual day: 1 is Monday."""
    start: NotRequired[str]
    """First day of the comparison, in the time zone of the user."""
    end: NotRequired[str]
    """Last day of the comparison, inclusive."""
    tariff_id: NotRequired[str]
    """Id of the cheaper tariff."""
    name: NotRequired[str]
    """Name of the cheaper tariff."""
    currency: NotRequired[str]
    """Currency of both amounts (ISO 4217)."""
    paid: NotRequired[str]
    """Cost of these months under the tariffs then in force, as a decimal."""
    would_have_paid: NotRequired[str]
    """Cost of these months under the cheaper tariff, as a decimal."""


class RemarkRaisedEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["remark.raised"]
    """Type of the event."""
    created_at: str
    """Time of the event."""
    environment: Literal["live", "sandbox"]
    """Installation in which the event happened: `live` or `sandbox`."""
    data: RemarkRaisedEventData
    """Object of the event."""


class Remarks(TypedDict):
    timezone: str
    """IANA time zone of the user, which defines the days."""
    remarks: list[Remark]
    """Current remarks on the home, the most urgent first. Empty: nothing is unusual."""


class RotatedKey(TypedDict):
    key_id: str
    """Id of the key."""
    prefix: str
    """First characters of the key, for recognition."""
    scopes: list[Literal["insights:read", "alerts:read", "alerts:write", "users:read", "users:write", "devices:read", "devices:write", "webhooks:read", "webhooks:write", "tariffs:read", "tariffs:write", "keys:write", "readings:read", "readings:write"]]
    """Scopes of the key. The role of its owner decides which data it can access."""
    expires_at: Optional[str]
    """Expiry time of the key. Null: never."""
    group_id: NotRequired[str]
    """Id of the group to which the key is limited. Absent without such a limit."""
    device_id: NotRequired[str]
    """Id of the device to which the key is limited. Absent without such a limit."""
    home_user_id: NotRequired[str]
    """Id of the home to which the key is limited. Only in keys that a member created for the home of another account."""
    allowed_addresses: list[str]
    """IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address."""
    key: str
    """The key itself. It is not shown again."""
    old_expires_at: str
    """Expiry time of the old key."""


class SentDeliveryAttempts(TypedDict):
    at: str
    """Time of the attempt."""
    response_status: Optional[int]
    """Status code of the receiver’s response. Null: no response."""
    duration_ms: float
    """Duration of the attempt, in milliseconds."""
    error: Optional[str]
    """Reason why the attempt failed. Null: it succeeded."""


class SentDeliveryRequest(TypedDict):
    """Request that delivers the event."""

    url: str
    """Address for the next attempt: the address of the subscription."""
    headers: dict[str, Any]
    """Headers of the request. The signature is only included if the address is `https://catcher.example`."""
    body: str
    """Body of the request: the event, the same in every attempt."""


class SentDelivery(TypedDict):
    delivery_id: str
    """Id of the delivery."""
    event_id: str
    """Id of the event: `id` of its body, the same in every attempt."""
    event: str
    """Type of the event."""
    status: Literal["pending", "succeeded", "failed"]
    """`failed` after the last retry has failed."""
    attempts: list[SentDeliveryAttempts]
    """The attempts so far, oldest first."""
    next_attempt_at: Optional[str]
    """Time of the next attempt. Null: no further attempt, or the subscription is paused."""
    request: SentDeliveryRequest
    """Request that delivers the event."""


class SentReading(TypedDict):
    ts: Union[str, float]
    """Time of the measurement: ISO 8601 with a zone, Unix seconds or Unix milliseconds. For an interval: its end."""
    energy_total_kwh: NotRequired[float]
    """Value of the register, in kWh."""
    energy_kwh: NotRequired[float]
    """Energy of an interval, in kWh. Needs `interval_s`."""
    interval_s: NotRequired[float]
    """Length of the interval, in seconds."""
    power_w: NotRequired[float]
    """Power, in watts."""
    channel: NotRequired[str]
    """Measured circuit or direction. Default: `import`."""
    temperature_c: NotRequired[float]
    """Temperature, in °C."""
    setpoint_c: NotRequired[float]
    """Set temperature, in °C."""
    heating: NotRequired[bool]
    """Whether the thermostat is heating."""
    humidity_percent: NotRequired[float]
    """Relative humidity, in percent."""


class SentReadingsRejected(TypedDict):
    index: int
    """Zero-based position of the element in the body."""
    reason: str
    """Reason why the element, or one of its quantities, was not stored."""


class SentReadings(TypedDict):
    stored: int
    """Number of readings that were stored: one for each quantity of an element."""
    duplicates: int
    """Number of readings that had been stored before."""
    rejected: list[SentReadingsRejected]
    """Elements that were not stored."""


class SeriesSource(TypedDict):
    preset: NotRequired[str]
    """Name of a public source, such as `awattar_de`, `energi_data_service_dk1`, `octopus_agile_c`, `entsoe_fr`, or `carbon_intensity_gb` for emissions. A preset contains the address, times and units."""
    url: NotRequired[str]
    """HTTPS address of the values, without credentials."""
    format: NotRequired[Literal["json", "csv", "xml"]]
    """Format of the responses of the source."""
    items: NotRequired[str]
    """JSON: path of the list of rows, such as `$.data`; default: the whole response. XML: name of the element that contains a row. Not for CSV."""
    starts_at: NotRequired[str]
    """Location of the start of a value in its row: JSONPath from the row, CSV column, or XML element. The start is ISO 8601, or Unix seconds or milliseconds."""
    value: NotRequired[str]
    """Location of the price, or of the grams of CO2 equivalent, of a kWh in its row: JSONPath from the row, CSV column, or XML element."""
    scale: NotRequired[str]
    """Factor for the values, such as 0.001 for prices per MWh. Default: 1."""
    timezone: NotRequired[str]
    """IANA time zone of `at`, and of times without an offset in the response. Default: UTC."""
    at: NotRequired[list[str]]
    """Times of day at which the source is fetched, HH:MM, up to 24."""


class SummarySummary(TypedDict):
    """The members that `metrics` and `include` select."""

    total_kwh: NotRequired[float]
    """Usage of the home, in kWh."""
    avg_daily_kwh: NotRequired[float]
    """Mean daily usage over the days with data, in kWh."""
    peak_usage_time: NotRequired[Optional[str]]
    """Hour with the highest usage, as `HH:00`; over several days, the hour of the day. Null: no usage, or in every hour more than half of the usage is estimated."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: unknown."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: unknown."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: unknown."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy that batteries charged, in kWh. Null: unknown."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy that batteries discharged, in kWh. Null: unknown."""
    consumption_kwh: NotRequired[Optional[float]]
    """Energy used by consumption devices, in kWh. Null: unknown."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: unknown."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage."""
    estimated_kwh: NotRequired[Optional[float]]
    """Part of `kwh_used` that is estimated, in kWh. Null: unknown."""
    coverage: NotRequired[Optional[float]]
    """Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all expected data is known. Null: no data is expected yet."""


class Summary(TypedDict):
    summary: SummarySummary
    """The members that `metrics` and `include` select."""


class TariffCapacity(TypedDict):
    """Charge for the highest quarter-hour of a month. Default: none."""

    per_kw_month: str
    """Price per kW of the peak, per month. A decimal with up to 9 places, as text."""
    months_averaged: NotRequired[int]
    """Number of months over which the peaks are averaged. Default: 1."""
    minimum_kw: NotRequired[float]
    """Minimum peak for the charge, in kW. Default: 0."""


Tariff = TypedDict("Tariff", {
    "tariff_id": "str",
    "user_id": "str",
    "name": "str",
    "valid_from": "str",
    "currency": "str",
    "standing_per_day": "NotRequired[str]",
    "capacity": "NotRequired[TariffCapacity]",
    "import": "Rates",
    "export": "NotRequired[Rates]",
})


class UnreadMessagesExample(TypedDict):
    topic: str
    """Topic of the message, below the gateway’s prefix."""
    payload: str
    """Payload of the message; its first 4 KiB are stored."""
    encoding: Literal["utf-8", "base64"]
    """Encoding of `payload`: text, or base64 of binary data."""
    payload_bytes: int
    """Length of the whole payload, in bytes."""
    received_at: str
    """Time at which the message was received."""


class UnreadMessages(TypedDict):
    shape: str
    """Topic below the gateway’s prefix. `+` stands for the part that differs between devices, `#` for the rest of the topic. A single `#` stands for all other topics."""
    count: int
    """Number of received messages."""
    first_seen_at: str
    """Time at which the first message was received."""
    last_seen_at: str
    """Time at which the last message was received."""
    example: Optional[UnreadMessagesExample]
    """One of the messages, stored for 24 hours. Null: none is stored (for example, of radio messages from neighbours’ meters), or the key is limited to a group of homes."""


class Usage(TypedDict):
    date: str
    """First day of the row."""
    hour: NotRequired[str]
    """Start of the hour on the clock of the time zone, as `HH:00`. Only in rows by hour."""
    time: NotRequired[str]
    """Start of the row on the clock of the time zone, as `HH:MM`. Only in rows by half-hour or quarter-hour."""
    starts_at: NotRequired[str]
    """Start of the row, with the offset of the time zone. Only in rows by hour, half-hour or quarter-hour."""
    kwh_used: Optional[float]
    """Usage of the home, in kWh. Null: unknown; the row then contains other known members."""
    peak_hour: Optional[str]
    """Hour with the highest usage, as `HH:00`; over several days, the hour of the day. A row by hour, half-hour or quarter-hour has its own start here. Null: no usage, or in every hour more than half of the usage is estimated."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: unknown."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: unknown."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: unknown."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy that batteries charged, in kWh. Null: unknown."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy that batteries discharged, in kWh. Null: unknown."""
    consumption_kwh: NotRequired[Optional[float]]
    """Energy used by consumption devices, in kWh. Null: unknown."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` minus `consumption_kwh`, in kWh; may be negative. Null: unknown."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: unknown."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: unknown, or no usage."""
    estimated_kwh: NotRequired[Optional[float]]
    """Part of `kwh_used` that is estimated, in kWh. Null: unknown."""
    coverage: NotRequired[Optional[float]]
    """Share of the expected time for which there is data, 0 to 1. Null: no data is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all expected data is known. Null: no data is expected yet."""


class UsageUpdatedEventDataHours(TypedDict):
    date: str
    """Day of the hour, in UTC."""
    hour: str
    """Start of the hour, in UTC, as `HH:00`."""
    kwh_used: float
    """Usage of the home in the hour, in kWh. Replaces the previously reported value."""


class UsageUpdatedEventData(TypedDict):
    """Object of the event."""

    user_id: str
    """Id of the user whose data the event describes."""
    hours: list[UsageUpdatedEventDataHours]
    """The hours that changed since the last event, at most 1,000. Further hours follow in the next event."""
    updated_at: str
    """Time at which these values were read."""


class UsageUpdatedEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["usage.updated"]
    """Type of the event."""
    created_at: str
    """Time of the event."""
    environment: Literal["live", "sandbox"]
    """Installation in which the event happened: `live` or `sandbox`."""
    data: UsageUpdatedEventData
    """Object of the event."""


class User(TypedDict):
    user_id: str
    """Id of the user."""
    email: str
    """E-mail address. The first administrator has `admin@localhost`."""
    role: Literal["homeowner", "utility", "admin"]
    """Role of the user. `homeowner`: can access its own data. `utility`: the data of the homeowners that it enrolled. `admin`: all data."""
    created_at: str
    """Time at which the account was created."""
    phone: Optional[str]
    """Phone number in E.164 form. Null: none."""
    timezone: str
    """IANA time zone of the user. Alerts and requests with `tz=account` use its hours, days and months."""
    plan: Literal["free", "developer", "enterprise"]
    """Plan that sets the rate limits of the account."""
    emission_series_id: Optional[str]
    """Id of the emission series for the home’s emissions. Null: none."""
    remarks_by_mail: bool
    """Whether the user gets a mail about each new remark on its home."""
    pending_email: NotRequired[str]
    """Requested new e-mail address, which takes effect when a link in a mail to it is used. Only present until then, at most 7 days."""


class UserCreatedEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["user.created"]
    """Type of the event."""
    created_at: str
    """Time of the event."""
    environment: Literal["live", "sandbox"]
    """Installation in which the event happened: `live` or `sandbox`."""
    data: User
    """Object of the event."""


class Webhook(TypedDict):
    webhook_id: str
    """Id of the subscription."""
    event: Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]
    """The first of `events`."""
    events: list[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]
    """Subscribed events."""
    url: str
    """HTTPS address that receives the events."""
    status: Literal["active", "paused"]
    """While a subscription is `paused`, nothing is sent. Its events are stored for up to 7 days, and are sent when it is resumed."""
    created_at: str
    """Time of creation."""


class WebhookTestEventData(TypedDict):
    """Object of the event."""

    webhook_id: str
    """Id of the tested subscription."""


class WebhookTestEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["webhook.test"]
    """Type of the event."""
    created_at: str
    """Time of the event."""
    environment: Literal["live", "sandbox"]
    """Installation in which the event happened: `live` or `sandbox`."""
    data: WebhookTestEventData
    """Object of the event."""


class PostEnergyInsightsBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    interval: NotRequired[Literal["day", "week", "month", "year"]]
    """Calendar interval: the current day, week, month or year, up to now. Required unless `start` and `end` are given."""
    start: NotRequired[str]
    """First day of the range, in the time zone `tz`. Needs `end`."""
    end: NotRequired[str]
    """Last day of the range, inclusive. Needs `start`."""
    tz: NotRequired[str]
    """IANA time zone of the days and hours. `account`: the time zone of the user."""
    include: NotRequired[str]
    """Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name."""
    metrics: NotRequired[list[Literal["kwh_used", "peak_hour"]]]
    """Metrics of the summary: `kwh_used` gives `total_kwh` and `avg_daily_kwh`, `peak_hour` gives `peak_usage_time`. Default: both."""


class CreateAlertBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    type: Literal["peak_usage", "daily_usage", "monthly_usage", "daily_cost", "monthly_cost", "no_data"]
    """Monitored value: the usage in any clock hour (`peak_usage`), in a day or in a month, the cost of a day or a month, or the silence of a device (`no_data`)."""
    threshold_kwh: NotRequired[float]
    """Usage above which the alert fires, in kWh. Required with types on usage, and allowed only with them."""
    threshold: NotRequired[Union[str, float]]
    """Total cost above which the alert fires, in the currency of the tariff in force. Required with types on costs, and allowed only with them."""
    threshold_hours: NotRequired[int]
    """Silence after which the alert fires, in hours. Required with type `no_data`, and allowed only with it."""
    delivery: Literal["email", "sms", "webhook"]
    """Notification channel."""


class CreateAlertAnswer(TypedDict):
    alert_id: str
    """Id of the alert."""
    status: str
    """`active`: the alert is monitored from now on."""


class PreviewAlertBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    type: Literal["peak_usage", "daily_usage", "monthly_usage", "daily_cost", "monthly_cost", "no_data"]
    """Monitored value: the usage in any clock hour (`peak_usage`), in a day or in a month, the cost of a day or a month, or the silence of a device (`no_data`)."""
    threshold_kwh: NotRequired[float]
    """Usage above which the alert fires, in kWh. Required with types on usage, and allowed only with them."""
    threshold: NotRequired[Union[str, float]]
    """Total cost above which the alert fires, in the currency of the tariff in force. Required with types on costs, and allowed only with them."""
    threshold_hours: NotRequired[int]
    """Silence after which the alert fires, in hours. Required with type `no_data`, and allowed only with it."""


class UpdateAlertBody(TypedDict):
    threshold_kwh: NotRequired[float]
    """Usage above which the alert fires, in kWh. Required with types on usage, and allowed only with them."""
    threshold: NotRequired[Union[str, float]]
    """Total cost above which the alert fires, in the currency of the tariff in force. Required with types on costs, and allowed only with them."""
    threshold_hours: NotRequired[int]
    """Silence after which the alert fires, in hours. Required with type `no_data`, and allowed only with it."""
    delivery: NotRequired[Literal["email", "sms", "webhook"]]
    """Notification channel."""
    status: NotRequired[Literal["active", "paused"]]
    """A paused alert does not fire."""


class CreateUserBody(TypedDict):
    email: str
    """E-mail address, unique among all accounts; case is ignored."""
    role: Literal["homeowner", "utility", "admin"]
    """Role of the user. `homeowner`: can access its own data. `utility`: the data of the homeowners that it enrolled. `admin`: all data."""
    phone: NotRequired[str]
    """Phone number in E.164 form, such as +4915112345678."""
    timezone: NotRequired[str]
    """IANA time zone of the user, such as Europe/Berlin. Default: UTC."""
    plan: NotRequired[Literal["free", "developer", "enterprise"]]
    """Plan that sets the rate limits of the account."""


class CreateUserAnswer(TypedDict):
    user_id: str
    """Id of the new user."""
    status: str
    """Always `created`."""


class UpdateUserBody(TypedDict):
    email: NotRequired[str]
    """E-mail address, unique among all accounts; case is ignored."""
    phone: NotRequired[Optional[str]]
    """Phone number in E.164 form. Null removes it."""
    role: NotRequired[Literal["homeowner", "utility", "admin"]]
    """Role of the user. `homeowner`: can access its own data. `utility`: the data of the homeowners that it enrolled. `admin`: all data."""
    timezone: NotRequired[str]
    """IANA time zone of the user, such as Europe/Berlin. Default: UTC."""
    plan: NotRequired[Literal["free", "developer", "enterprise"]]
    """Plan that sets the rate limits of the account."""
    emission_series_id: NotRequired[Optional[str]]
    """Id of the user’s emission series, for `include=emissions`: its own series, its utility’s or an administrator’s. Null removes it."""
    remarks_by_mail: NotRequired[bool]
    """Whether the user gets a mail about each new remark on its home. The language of the mails is the `Accept-Language` (en, de, es, fr or nl) of the request that switches them on."""


class CreateWebhookBody(TypedDict):
    event: NotRequired[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]
    """Event to subscribe to. Not together with `events`."""
    events: NotRequired[list[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]]
    """Events to subscribe to, each once, instead of `event`."""
    url: str
    """HTTPS address that receives the events, without credentials. `https://catcher.example` is a receiver in the service itself, for trying events without a server."""
    auth_token: str
    """Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never returned."""


class CreateWebhookAnswer(TypedDict):
    webhook_id: str
    """Id of the subscription."""
    status: str
    """`active`: events are sent from now on."""


class UpdateWebhookBody(TypedDict):
    event: NotRequired[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]
    """Event to subscribe to. Not together with `events`."""
    events: NotRequired[list[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]]
    """Events to subscribe to, each once, instead of `event`."""
    url: NotRequired[str]
    """HTTPS address that receives the events, without credentials. `https://catcher.example` is a receiver in the service itself, for trying events without a server."""
    auth_token: NotRequired[str]
    """Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never returned."""
    status: NotRequired[Literal["active", "paused"]]
    """While a subscription is `paused`, nothing is sent. Its events are stored for up to 7 days, and are sent when it is resumed."""


class CreateDeviceBodyChannels(TypedDict):
    native_name: str
    """The device’s own name of the quantity."""
    counts_as: NotRequired[Optional[str]]
    """Role of the quantity: `import`, `export`, a part of them (`import/t1`), `gas`, `heat`, `water`, `production` (of an inverter), `charged` or `discharged` (of a battery), or `ignored`. Null removes the owner’s setting."""
    placement: NotRequired[Optional[Literal["grid", "production", "storage", "consumption", "excluded"]]]
    """Position of the measurement in the home. Null: the position of the device."""


class CreateDeviceBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    type: str
    """Type of the device, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Location of the device, in the words of its owner."""
    limit_kw: NotRequired[float]
    """Highest plausible load, in kW. If a register rises faster, the reading does not count until later readings confirm it."""
    register_max_kwh: NotRequired[float]
    """Value at which the register restarts at 0, in kWh. Default: the register never restarts."""
    max_gap_minutes: NotRequired[float]
    """Longest silence over which power readings are integrated, in minutes."""
    timezone: NotRequired[str]
    """IANA time zone of a device that reports local time. Default: the time zone of its owner."""
    placement: NotRequired[Literal["grid", "production", "storage", "consumption", "excluded"]]
    """Position of the device in its home. `excluded`: the device does not count. Default: a guess from the device’s type and messages."""
    upstream_device_id: NotRequired[str]
    """Id of the upstream device, whose measurement includes this device. Default: none."""
    channels: NotRequired[list[CreateDeviceBodyChannels]]
    """Settings of the device’s quantities. Quantities that are not listed do not change."""
    external_id: NotRequired[str]
    """Name of the device at a utility or an administrator: a serial or asset number. Unique in an account."""
    discovery_id: NotRequired[str]
    """Id of a discovered device to pair, which keeps using the credentials of its gateway."""


class UpdateDeviceBodyDecoderConfigSenml(TypedDict):
    """Settings for SenML."""

    topics: list[str]
    """MQTT topic filters on which SenML packs arrive."""


class UpdateDeviceBodyDecoderConfigZigbee2mqtt(TypedDict):
    """Settings of Zigbee2MQTT."""

    output: NotRequired[Literal["json", "attribute", "attribute_and_json"]]
    """Format of the messages (the setting `output` of Zigbee2MQTT)."""
    devices: NotRequired[list[str]]
    """With `attribute`: the names of the devices, which may contain slashes."""


class UpdateDeviceBodyDecoderConfigZwavejs(TypedDict):
    """Settings of Z-Wave JS UI."""

    temperature_unit: NotRequired[Literal["C", "F"]]
    """Temperature scale, if a message does not contain it."""


class UpdateDeviceBodyDecoderConfigMapping(TypedDict):
    topic: str
    """MQTT topic on the device’s own broker, or a filter: `+` stands for one level, and names the device."""
    device: NotRequired[str]
    """Name of the device. A `+` in it stands for the text of the topic’s wildcards. Default: `+`, or the whole topic if it has no wildcard."""
    path: NotRequired[str]
    """JSONPath (RFC 9535) of one value in the payload, which is JSON or a text such as `a=1,b=2`. Absent: the payload is a plain number."""
    where: NotRequired[dict[str, Any]]
    """Conditions for the payload: a JSONPath and its value each, such as `{"$.idx": 51}`. For topics on which several devices publish."""
    unit: Literal["kWh", "Wh", "MWh", "MJ", "GJ", "W", "kW", "m3", "l", "C", "F"]
    """Unit of the number."""
    scale: NotRequired[float]
    """Factor from the number to `unit`. Negative: a power with the opposite sign."""
    meaning: str
    """Meaning of the number. Energy and volumes are lifetime totals. `power`: signed, negative if energy flows to the grid. `production`: of a device that only produces."""
    circuit: NotRequired[str]
    """Word that distinguishes two quantities of one device with the same meaning."""
    time_path: NotRequired[str]
    """JSONPath of the time in the message. If it is absent, or there is no time at this path, the time of receipt is used."""
    time_unit: NotRequired[Literal["s", "ms", "iso"]]
    """Unix seconds or milliseconds, or ISO 8601. Default: detected from the form of the time, and from the size of a number."""


class UpdateDeviceBodyDecoderConfig(TypedDict):
    """Decoder settings, for facts that devices do not report themselves. Unknown members are stored."""

    tz: NotRequired[str]
    """IANA time zone of devices that report local time without one."""
    senml: NotRequired[UpdateDeviceBodyDecoderConfigSenml]
    """Settings for SenML."""
    meter: NotRequired[dict[str, Any]]
    """Settings of counting meters, by the id of the meter."""
    emon: NotRequired[dict[str, Any]]
    """Pulse counters of emon nodes, by `node/name`."""
    tasmota: NotRequired[dict[str, Any]]
    """Settings of the meter quantities that a Tasmota script reads, by `prefix.name` or by the name alone."""
    zigbee2mqtt: NotRequired[UpdateDeviceBodyDecoderConfigZigbee2mqtt]
    """Settings of Zigbee2MQTT."""
    zwavejs: NotRequired[UpdateDeviceBodyDecoderConfigZwavejs]
    """Settings of Z-Wave JS UI."""
    mapping: NotRequired[list[UpdateDeviceBodyDecoderConfigMapping]]
    """Mappings for numbers in messages that no device family reads, or that it reads differently; one entry for each number. A mapping has priority over all families on its topics."""


class UpdateDeviceBodyChannels(TypedDict):
    native_name: str
    """The device’s own name of the quantity."""
    counts_as: NotRequired[Optional[str]]
    """Role of the quantity: `import`, `export`, a part of them (`import/t1`), `gas`, `heat`, `water`, `production` (of an inverter), `charged` or `discharged` (of a battery), or `ignored`. Null removes the owner’s setting."""
    placement: NotRequired[Optional[Literal["grid", "production", "storage", "consumption", "excluded"]]]
    """Position of the measurement in the home. Null: the position of the device."""


class UpdateDeviceBody(TypedDict):
    type: NotRequired[str]
    """Type of the device, in the words of its owner, such as `electricity_meter`."""
    location: NotRequired[str]
    """Location of the device, in the words of its owner."""
    limit_kw: NotRequired[float]
    """Highest plausible load, in kW. If a register rises faster, the reading does not count until later readings confirm it."""
    register_max_kwh: NotRequired[Optional[float]]
    """Value at which the register restarts at 0, in kWh. Null: the register never restarts."""
    max_gap_minutes: NotRequired[float]
    """Longest silence over which power readings are integrated, in minutes."""
    timezone: NotRequired[Optional[str]]
    """IANA time zone of a device that reports local time. Null: the time zone of its owner."""
    decoder_config: NotRequired[UpdateDeviceBodyDecoderConfig]
    """Decoder settings, for facts that devices do not report themselves. Unknown members are stored."""
    placement: NotRequired[Literal["grid", "production", "storage", "consumption", "excluded"]]
    """Position of the device in its home. `excluded`: the device does not count."""
    upstream_device_id: NotRequired[Optional[str]]
    """Id of the upstream device, whose measurement includes this device. Null: none."""
    channels: NotRequired[list[UpdateDeviceBodyChannels]]
    """Settings of the device’s quantities. Quantities that are not listed do not change."""
    external_id: NotRequired[Optional[str]]
    """Name of the device at a utility or an administrator: a serial or asset number. Unique in an account. Null removes it."""
    certificate_sha256: NotRequired[Optional[str]]
    """SHA-256 of the client certificate with which the device logs in, in hex. Null: none is registered. If the broker accepts certificates, one with the device’s id as its name is then valid. Only utilities and administrators can register it (403)."""
    managed_by: NotRequired[Literal["owner", "utility"]]
    """Manager of the device. `owner`: the account that owns it. `utility`: the utility that paired it for the account, or to whose batch it belongs; the owner can then change only the `location` (403). A utility can hand a device over (`owner`); an administrator can set either value."""


class CreateDeviceEditBody(TypedDict):
    action: Literal["exclude", "add"]
    """`exclude`: excludes all readings of a time range, also those that arrive later. `add`: adds a register reading by a person. It counts like any late reading, and replaces a reading that the device sent for the same instant."""
    native_name: NotRequired[str]
    """The device’s own name of the quantity, as in `channels`. Required with `add`. Default with `exclude`: every quantity of the device."""
    start: NotRequired[str]
    """With `exclude`: start of the excluded range, inclusive. A reading is excluded if its time is in the range; an interval, if its end is in the range."""
    end: NotRequired[str]
    """With `exclude`: end of the excluded range, exclusive."""
    at: NotRequired[str]
    """With `add`: time of the reading."""
    kwh: NotRequired[float]
    """With `add`: value of the register, in kWh (in m³ if it counts a volume)."""
    reason: str
    """Reason for the edit, in the author’s words."""


class CreateGatewayBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    name: str
    """Name of the gateway, chosen by its owner."""


class UpdateGatewayBodyDecoderConfigSenml(TypedDict):
    """Settings for SenML."""

    topics: list[str]
    """MQTT topic filters on which SenML packs arrive."""


class UpdateGatewayBodyDecoderConfigZigbee2mqtt(TypedDict):
    """Settings of Zigbee2MQTT."""

    output: NotRequired[Literal["json", "attribute", "attribute_and_json"]]
    """Format of the messages (the setting `output` of Zigbee2MQTT)."""
    devices: NotRequired[list[str]]
    """With `attribute`: the names of the devices, which may contain slashes."""


class UpdateGatewayBodyDecoderConfigZwavejs(TypedDict):
    """Settings of Z-Wave JS UI."""

    temperature_unit: NotRequired[Literal["C", "F"]]
    """Temperature scale, if a message does not contain it."""


class UpdateGatewayBodyDecoderConfigMapping(TypedDict):
    topic: str
    """MQTT topic on the device’s own broker, or a filter: `+` stands for one level, and names the device."""
    device: NotRequired[str]
    """Name of the device. A `+` in it stands for the text of the topic’s wildcards. Default: `+`, or the whole topic if it has no wildcard."""
    path: NotRequired[str]
    """JSONPath (RFC 9535) of one value in the payload, which is JSON or a text such as `a=1,b=2`. Absent: the payload is a plain number."""
    where: NotRequired[dict[str, Any]]
    """Conditions for the payload: a JSONPath and its value each, such as `{"$.idx": 51}`. For topics on which several devices publish."""
    unit: Literal["kWh", "Wh", "MWh", "MJ", "GJ", "W", "kW", "m3", "l", "C", "F"]
    """Unit of the number."""
    scale: NotRequired[float]
    """Factor from the number to `unit`. Negative: a power with the opposite sign."""
    meaning: str
    """Meaning of the number. Energy and volumes are lifetime totals. `power`: signed, negative if energy flows to the grid. `production`: of a device that only produces."""
    circuit: NotRequired[str]
    """Word that distinguishes two quantities of one device with the same meaning."""
    time_path: NotRequired[str]
    """JSONPath of the time in the message. If it is absent, or there is no time at this path, the time of receipt is used."""
    time_unit: NotRequired[Literal["s", "ms", "iso"]]
    """Unix seconds or milliseconds, or ISO 8601. Default: detected from the form of the time, and from the size of a number."""


class UpdateGatewayBodyDecoderConfig(TypedDict):
    """Decoder settings, for facts that devices do not report themselves. Unknown members are stored."""

    tz: NotRequired[str]
    """IANA time zone of devices that report local time without one."""
    senml: NotRequired[UpdateGatewayBodyDecoderConfigSenml]
    """Settings for SenML."""
    meter: NotRequired[dict[str, Any]]
    """Settings of counting meters, by the id of the meter."""
    emon: NotRequired[dict[str, Any]]
    """Pulse counters of emon nodes, by `node/name`."""
    tasmota: NotRequired[dict[str, Any]]
    """Settings of the meter quantities that a Tasmota script reads, by `prefix.name` or by the name alone."""
    zigbee2mqtt: NotRequired[UpdateGatewayBodyDecoderConfigZigbee2mqtt]
    """Settings of Zigbee2MQTT."""
    zwavejs: NotRequired[UpdateGatewayBodyDecoderConfigZwavejs]
    """Settings of Z-Wave JS UI."""
    mapping: NotRequired[list[UpdateGatewayBodyDecoderConfigMapping]]
    """Mappings for numbers in messages that no device family reads, or that it reads differently; one entry for each number. A mapping has priority over all families on its topics."""


class UpdateGatewayBody(TypedDict):
    name: NotRequired[str]
    """Name of the gateway, chosen by its owner."""
    decoder_config: NotRequired[UpdateGatewayBodyDecoderConfig]
    """Decoder settings, for facts that devices do not report themselves. Unknown members are stored."""


class DecodeMessageBodyDecoderConfigSenml(TypedDict):
    """Settings for SenML."""

    topics: list[str]
    """MQTT topic filters on which SenML packs arrive."""


class DecodeMessageBodyDecoderConfigZigbee2mqtt(TypedDict):
    """Settings of Zigbee2MQTT."""

    output: NotRequired[Literal["json", "attribute", "attribute_and_json"]]
    """Format of the messages (the setting `output` of Zigbee2MQTT)."""
    devices: NotRequired[list[str]]
    """With `attribute`: the names of the devices, which may contain slashes."""


class DecodeMessageBodyDecoderConfigZwavejs(TypedDict):
    """Settings of Z-Wave JS UI."""

    temperature_unit: NotRequired[Literal["C", "F"]]
    """Temperature scale, if a message does not contain it."""


class DecodeMessageBodyDecoderConfigMapping(TypedDict):
    topic: str
    """MQTT topic on the device’s own broker, or a filter: `+` stands for one level, and names the device."""
    device: NotRequired[str]
    """Name of the device. A `+` in it stands for the text of the topic’s wildcards. Default: `+`, or the whole topic if it has no wildcard."""
    path: NotRequired[str]
    """JSONPath (RFC 9535) of one value in the payload, which is JSON or a text such as `a=1,b=2`. Absent: the payload is a plain number."""
    where: NotRequired[dict[str, Any]]
    """Conditions for the payload: a JSONPath and its value each, such as `{"$.idx": 51}`. For topics on which several devices publish."""
    unit: Literal["kWh", "Wh", "MWh", "MJ", "GJ", "W", "kW", "m3", "l", "C", "F"]
    """Unit of the number."""
    scale: NotRequired[float]
    """Factor from the number to `unit`. Negative: a power with the opposite sign."""
    meaning: str
    """Meaning of the number. Energy and volumes are lifetime totals. `power`: signed, negative if energy flows to the grid. `production`: of a device that only produces."""
    circuit: NotRequired[str]
    """Word that distinguishes two quantities of one device with the same meaning."""
    time_path: NotRequired[str]
    """JSONPath of the time in the message. If it is absent, or there is no time at this path, the time of receipt is used."""
    time_unit: NotRequired[Literal["s", "ms", "iso"]]
    """Unix seconds or milliseconds, or ISO 8601. Default: detected from the form of the time, and from the size of a number."""


class DecodeMessageBodyDecoderConfig(TypedDict):
    """Decoder settings for this message. Default: the settings of the gateway."""

    tz: NotRequired[str]
    """IANA time zone of devices that report local time without one."""
    senml: NotRequired[DecodeMessageBodyDecoderConfigSenml]
    """Settings for SenML."""
    meter: NotRequired[dict[str, Any]]
    """Settings of counting meters, by the id of the meter."""
    emon: NotRequired[dict[str, Any]]
    """Pulse counters of emon nodes, by `node/name`."""
    tasmota: NotRequired[dict[str, Any]]
    """Settings of the meter quantities that a Tasmota script reads, by `prefix.name` or by the name alone."""
    zigbee2mqtt: NotRequired[DecodeMessageBodyDecoderConfigZigbee2mqtt]
    """Settings of Zigbee2MQTT."""
    zwavejs: NotRequired[DecodeMessageBodyDecoderConfigZwavejs]
    """Settings of Z-Wave JS UI."""
    mapping: NotRequired[list[DecodeMessageBodyDecoderConfigMapping]]
    """Mappings for numbers in messages that no device family reads, or that it reads differently; one entry for each number. A mapping has priority over all families on its topics."""


class DecodeMessageBody(TypedDict):
    topic: str
    """MQTT topic, with or without the prefix of the gateway."""
    payload: NotRequired[str]
    """Payload, if it is text, up to 128 KiB. Exactly one of `payload` and `payload_b64` is required."""
    payload_b64: NotRequired[str]
    """Payload in base64."""
    retained: NotRequired[bool]
    """Whether the message was retained: the broker stored it and delivered it at subscription. Readings without their own time are then skipped."""
    decoder_config: NotRequired[DecodeMessageBodyDecoderConfig]
    """Decoder settings for this message. Default: the settings of the gateway."""


class CreateGroupBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the owner, a utility or an administrator. Default: the owner of the key."""
    name: str
    """Name of the group, chosen by its owner."""
    kind: NotRequired[Optional[str]]
    """Kind of group, such as `building` or `feeder`. Null: not given."""
    parent_group_id: NotRequired[Optional[str]]
    """Id of the parent group, which must have the same owner and must not be a subgroup of this group. A tree has at most 8 levels. Null: none."""


class UpdateGroupBody(TypedDict):
    name: NotRequired[str]
    """Name of the group, chosen by its owner."""
    kind: NotRequired[Optional[str]]
    """Kind of group, such as `building` or `feeder`. Null: not given."""
    parent_group_id: NotRequired[Optional[str]]
    """Id of the parent group, which must have the same owner and must not be a subgroup of this group. A tree has at most 8 levels. Null: none."""


class ChangeGroupUsersBody(TypedDict):
    add: NotRequired[list[str]]
    """Ids of the homes to add. Homes that are already in the group do not change."""
    remove: NotRequired[list[str]]
    """Ids of the homes to remove. Homes that are not in the group are ignored."""


class CreateImportBodyValueChannels(TypedDict):
    native_name: str
    """The device’s own name of the quantity."""
    counts_as: NotRequired[Optional[str]]
    """Role of the quantity: `import`, `export`, a part of them (`import/t1`), `gas`, `heat`, `water`, `production` (of an inverter), `charged` or `discharged` (of a battery), or `ignored`. Null removes the owner’s setting."""
    placement: NotRequired[Optional[Literal["grid", "production", "storage", "consumption", "excluded"]]]
    """Position of the measurement in the home. Null: the position of the device."""


class CreateImportBodyValueDecoderConfigSenml(TypedDict):
    """Settings for SenML."""

    topics: list[str]
    """MQTT topic filters on which SenML packs arrive."""


class CreateImportBodyValueDecoderConfigZigbee2mqtt(TypedDict):
    """Settings of Zigbee2MQTT."""

    output: NotRequired[Literal["json", "attribute", "attribute_and_json"]]
    """Format of the messages (the setting `output` of Zigbee2MQTT)."""
    devices: NotRequired[list[str]]
    """With `attribute`: the names of the devices, which may contain slashes."""


class CreateImportBodyValueDecoderConfigZwavejs(TypedDict):
    """Settings of Z-Wave JS UI."""

    temperature_unit: NotRequired[Literal["C", "F"]]
    """Temperature scale, if a message does not contain it."""


class CreateImportBodyValueDecoderConfigMapping(TypedDict):
    topic: str
    """MQTT topic on the device’s own broker, or a filter: `+` stands for one level, and names the device."""
    device: NotRequired[str]
    """Name of the device. A `+` in it stands for the text of the topic’s wildcards. Default: `+`, or the whole topic if it has no wildcard."""
    path: NotRequired[str]
    """JSONPath (RFC 9535) of one value in the payload, which is JSON or a text such as `a=1,b=2`. Absent: the payload is a plain number."""
    where: NotRequired[dict[str, Any]]
    """Conditions for the payload: a JSONPath and its value each, such as `{"$.idx": 51}`. For topics on which several devices publish."""
    unit: Literal["kWh", "Wh", "MWh", "MJ", "GJ", "W", "kW", "m3", "l", "C", "F"]
    """Unit of the number."""
    scale: NotRequired[float]
    """Factor from the number to `unit`. Negative: a power with the opposite sign."""
    meaning: str
    """Meaning of the number. Energy and volumes are lifetime totals. `power`: signed, negative if energy flows to the grid. `production`: of a device that only produces."""
    circuit: NotRequired[str]
    """Word that distinguishes two quantities of one device with the same meaning."""
    time_path: NotRequired[str]
    """JSONPath of the time in the message. If it is absent, or there is no time at this path, the time of receipt is used."""
    time_unit: NotRequired[Literal["s", "ms", "iso"]]
    """Unix seconds or milliseconds, or ISO 8601. Default: detected from the form of the time, and from the size of a number."""


class CreateImportBodyValueDecoderConfig(TypedDict):
    """Decoder settings, for facts that devices do not report themselves. Unknown members are stored."""

    tz: NotRequired[str]
    """IANA time zone of devices that report local time without one."""
    senml: NotRequired[CreateImportBodyValueDecoderConfigSenml]
    """Settings for SenML."""
    meter: NotRequired[dict[str, Any]]
    """Settings of counting meters, by the id of the meter."""
    emon: NotRequired[dict[str, Any]]
    """Pulse counters of emon nodes, by `node/name`."""
    tasmota: NotRequired[dict[str, Any]]
    """Settings of the meter quantities that a Tasmota script reads, by `prefix.name` or by the name alone."""
    zigbee2mqtt: NotRequired[CreateImportBodyValueDecoderConfigZigbee2mqtt]
    """Settings of Zigbee2MQTT."""
    zwavejs: NotRequired[CreateImportBodyValueDecoderConfigZwavejs]
    """Settings of Z-Wave JS UI."""
    mapping: NotRequired[list[CreateImportBodyValueDecoderConfigMapping]]
    """Mappings for numbers in messages that no device family reads, or that it reads differently; one entry for each number. A mapping has priority over all families on its topics."""


class CreateImportBodyValue(TypedDict):
    user_id: NotRequired[str]
    """Id of the device’s owner. Default, if `email` is absent as well: the owner of the key."""
    type: str
    """Type of the device, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Location of the device, in the words of its owner."""
    limit_kw: NotRequired[float]
    """Highest plausible load, in kW. If a register rises faster, the reading does not count until later readings confirm it."""
    register_max_kwh: NotRequired[float]
    """Value at which the register restarts at 0, in kWh. Default: the register never restarts."""
    max_gap_minutes: NotRequired[float]
    """Longest silence over which power readings are integrated, in minutes."""
    timezone: NotRequired[str]
    """IANA time zone of a device that reports local time. Default: the time zone of its owner."""
    placement: NotRequired[Literal["grid", "production", "storage", "consumption", "excluded"]]
    """Position of the device in its home. `excluded`: the device does not count. Default: a guess from the device’s type and messages."""
    upstream_device_id: NotRequired[str]
    """Id of the upstream device, whose measurement includes this device. Default: none."""
    channels: NotRequired[list[CreateImportBodyValueChannels]]
    """Settings of the device’s quantities. Quantities that are not listed do not change."""
    external_id: NotRequired[str]
    """Name of the device at a utility or an administrator: a serial or asset number. Unique in an account."""
    discovery_id: NotRequired[str]
    """Id of a discovered device to pair, which keeps using the credentials of its gateway."""
    email: NotRequired[str]
    """E-mail address of the device’s owner, instead of `user_id`."""
    decoder_config: NotRequired[CreateImportBodyValueDecoderConfig]
    """Decoder settings, for facts that devices do not report themselves. Unknown members are stored."""


class CreateProvisioningBatchBody(TypedDict):
    name: str
    """Name of the batch, chosen by its owner."""
    owner_user_id: NotRequired[str]
    """Id of the user for whom a device is created if a meter’s serial is not yet the `external_id` of a device. Null: such a meter is rejected. Default: null."""
    type: NotRequired[str]
    """Type of the created devices."""
    location: NotRequired[str]
    """Location of the created devices."""
    serials: NotRequired[list[str]]
    """Serials that may claim. Null: all serials. Default: null."""
    max_devices: int
    """Maximum number of meters that may claim a device."""
    valid_days: NotRequired[int]
    """Time for which meters may claim, in days."""


class CreateBillPeriodBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    device_id: NotRequired[str]
    """Id of a device to bill separately. Default: the home of the user."""
    start: str
    """First day of the period, in the time zone of the account."""
    end: str
    """Last day of the period, inclusive."""


class CreateTariffBodyCapacity(TypedDict):
    """Charge for the highest quarter-hour of a month. Default: none."""

    per_kw_month: Union[str, float]
    """Price per kW of the peak, per month."""
    months_averaged: NotRequired[int]
    """Number of months over which the peaks are averaged. Default: 1."""
    minimum_kw: NotRequired[Union[str, float]]
    """Minimum peak for the charge, in kW. Default: 0."""


CreateTariffBodyImportPeriods = TypedDict("CreateTariffBodyImportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class CreateTariffBodyImport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price per kWh."""
    periods: NotRequired[list[CreateTariffBodyImportPeriods]]
    """Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price per kWh is the price of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """Amount added to the price per kWh after `multiply`. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor for the price of the series, such as 1.19 for a tax. Default: 1."""


CreateTariffBodyExportPeriods = TypedDict("CreateTariffBodyExportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class CreateTariffBodyExport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price per kWh."""
    periods: NotRequired[list[CreateTariffBodyExportPeriods]]
    """Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price per kWh is the price of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """Amount added to the price per kWh after `multiply`. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor for the price of the series, such as 1.19 for a tax. Default: 1."""


CreateTariffBody = TypedDict("CreateTariffBody", {
    "user_id": "NotRequired[str]",
    "name": "str",
    "valid_from": "str",
    "currency": "str",
    "standing_per_day": "NotRequired[Union[str, float]]",
    "capacity": "NotRequired[CreateTariffBodyCapacity]",
    "import": "CreateTariffBodyImport",
    "export": "NotRequired[CreateTariffBodyExport]",
})


class CompareTariffsBodyTariffsCapacity(TypedDict):
    """Charge for the highest quarter-hour of a month. Default: none."""

    per_kw_month: Union[str, float]
    """Price per kW of the peak, per month."""
    months_averaged: NotRequired[int]
    """Number of months over which the peaks are averaged. Default: 1."""
    minimum_kw: NotRequired[Union[str, float]]
    """Minimum peak for the charge, in kW. Default: 0."""


CompareTariffsBodyTariffsImportPeriods = TypedDict("CompareTariffsBodyTariffsImportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class CompareTariffsBodyTariffsImport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price per kWh."""
    periods: NotRequired[list[CompareTariffsBodyTariffsImportPeriods]]
    """Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price per kWh is the price of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """Amount added to the price per kWh after `multiply`. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor for the price of the series, such as 1.19 for a tax. Default: 1."""


CompareTariffsBodyTariffsExportPeriods = TypedDict("CompareTariffsBodyTariffsExportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class CompareTariffsBodyTariffsExport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price per kWh."""
    periods: NotRequired[list[CompareTariffsBodyTariffsExportPeriods]]
    """Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price per kWh is the price of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """Amount added to the price per kWh after `multiply`. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor for the price of the series, such as 1.19 for a tax. Default: 1."""


CompareTariffsBodyTariffs = TypedDict("CompareTariffsBodyTariffs", {
    "name": "str",
    "currency": "str",
    "standing_per_day": "NotRequired[Union[str, float]]",
    "capacity": "NotRequired[CompareTariffsBodyTariffsCapacity]",
    "import": "CompareTariffsBodyTariffsImport",
    "export": "NotRequired[CompareTariffsBodyTariffsExport]",
})


class CompareTariffsBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    start: str
    """First day, in the time zone of the user."""
    end: str
    """Last day, inclusive. Within 36 months of `start`."""
    tariffs: list[CompareTariffsBodyTariffs]
    """Tariffs to compare, all in the same currency. If the user has a tariff in the range, its currency is required."""


# Cost of the range if this tariff had been in force throughout.
CompareTariffsAnswerAlternativesCost = TypedDict("CompareTariffsAnswerAlternativesCost", {
    "currency": "str",
    "total": "str",
    "import": "str",
    "export": "str",
    "standing": "str",
    "capacity": "NotRequired[str]",
    "estimated": "str",
    "missing_prices_kwh": "float",
})


class CompareTariffsAnswerAlternatives(TypedDict):
    name: str
    """Name of the tariff, as it was sent."""
    cost: CompareTariffsAnswerAlternativesCost
    """Cost of the range if this tariff had been in force throughout."""
    difference: Optional[str]
    """Total of this tariff minus the `current` total: negative if this tariff is cheaper. Null if `current` is null."""


class CompareTariffsAnswer(TypedDict):
    user_id: str
    """Id of the user who owns the object."""
    start: str
    """First day, in the time zone of the user."""
    end: str
    """Last day, inclusive."""
    currency: str
    """Currency of all amounts (ISO 4217)."""
    current: Cost
    """Cost of the range under the user’s tariffs. Null: no tariff was in force."""
    alternatives: list[CompareTariffsAnswerAlternatives]
    """The tariffs that were sent, in their order."""


class UpdateTariffBodyCapacity(TypedDict):
    per_kw_month: Union[str, float]
    """Price per kW of the peak, per month."""
    months_averaged: NotRequired[int]
    """Number of months over which the peaks are averaged. Default: 1."""
    minimum_kw: NotRequired[Union[str, float]]
    """Minimum peak for the charge, in kW. Default: 0."""


UpdateTariffBodyImportPeriods = TypedDict("UpdateTariffBodyImportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class UpdateTariffBodyImport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price per kWh."""
    periods: NotRequired[list[UpdateTariffBodyImportPeriods]]
    """Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price per kWh is the price of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """Amount added to the price per kWh after `multiply`. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor for the price of the series, such as 1.19 for a tax. Default: 1."""


UpdateTariffBodyExportPeriods = TypedDict("UpdateTariffBodyExportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class UpdateTariffBodyExport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price per kWh."""
    periods: NotRequired[list[UpdateTariffBodyExportPeriods]]
    """Prices by time of day, weekday and month. The first period that matches applies; the last period has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price per kWh is the price of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """Amount added to the price per kWh after `multiply`. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor for the price of the series, such as 1.19 for a tax. Default: 1."""


UpdateTariffBody = TypedDict("UpdateTariffBody", {
    "name": "NotRequired[str]",
    "valid_from": "NotRequired[str]",
    "currency": "NotRequired[str]",
    "standing_per_day": "NotRequired[Optional[Union[str, float]]]",
    "capacity": "NotRequired[Optional[UpdateTariffBodyCapacity]]",
    "import": "NotRequired[UpdateTariffBodyImport]",
    "export": "NotRequired[Optional[UpdateTariffBodyExport]]",
})


class WhatIfBodyBattery(TypedDict):
    """Battery in addition to the home’s existing devices."""

    capacity_kwh: Union[str, float]
    """Capacity of the battery, in kWh."""
    charge_kw: Union[str, float]
    """Maximum charging power, in kW."""
    discharge_kw: Union[str, float]
    """Maximum discharging power, in kW."""
    round_trip_efficiency: Union[str, float]
    """Share of the charged energy that is discharged again, 0.5 to 1."""
    initial_kwh: NotRequired[Union[str, float]]
    """Stored energy at the start, in kWh. Default: 0."""


class WhatIfBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    start: str
    """First day, in the time zone of the user."""
    end: str
    """Last day, inclusive. Within 36 months of `start`."""
    battery: NotRequired[WhatIfBodyBattery]
    """Battery in addition to the home’s existing devices."""
    production_scale: NotRequired[Union[str, float]]
    """Factor for the production, 0 to 10: 2 is twice as many panels. Default: 1."""


# Cost under the user’s tariffs. Absent if no tariff was in force.
WhatIfAnswerBeforeCost = TypedDict("WhatIfAnswerBeforeCost", {
    "currency": "str",
    "total": "str",
    "import": "str",
    "export": "str",
    "standing": "str",
    "capacity": "NotRequired[str]",
    "estimated": "str",
    "missing_prices_kwh": "float",
})


class WhatIfAnswerBefore(TypedDict):
    """The home without the change, in the quarter-hours with data."""

    grid_import_kwh: float
    """Energy from the grid, in kWh."""
    grid_export_kwh: float
    """Energy to the grid, in kWh."""
    self_consumed_kwh: Optional[float]
    """Production that was not exported, in kWh. Null: no production, or unknown."""
    autarky: Optional[float]
    """Part of the usage that did not come from the grid, 0 to 1. Null: no usage."""
    cost: NotRequired[WhatIfAnswerBeforeCost]
    """Cost under the user’s tariffs. Absent if no tariff was in force."""


# Cost under the user’s tariffs. Absent if no tariff was in force.
WhatIfAnswerAfterCost = TypedDict("WhatIfAnswerAfterCost", {
    "currency": "str",
    "total": "str",
    "import": "str",
    "export": "str",
    "standing": "str",
    "capacity": "NotRequired[str]",
    "estimated": "str",
    "missing_prices_kwh": "float",
})


class WhatIfAnswerAfter(TypedDict):
    """The home with the change, in the same quarter-hours."""

    grid_import_kwh: float
    """Energy from the grid, in kWh."""
    grid_export_kwh: float
    """Energy to the grid, in kWh."""
    self_consumed_kwh: Optional[float]
    """Production that was not exported, in kWh. Null: no production, or unknown."""
    autarky: Optional[float]
    """Part of the usage that did not come from the grid, 0 to 1. Null: no usage."""
    cost: NotRequired[WhatIfAnswerAfterCost]
    """Cost under the user’s tariffs. Absent if no tariff was in force."""


class WhatIfAnswerBattery(TypedDict):
    """Energy of the battery. Absent if the request had no battery."""

    charged_kwh: float
    """Energy into the battery, before the loss, in kWh."""
    discharged_kwh: float
    """Energy out of the battery, in kWh."""
    stored_kwh: float
    """Energy left in the battery at the end, in kWh. It has no value in the costs."""
    full_cycles: float
    """`discharged_kwh` ÷ `capacity_kwh`, with two decimals."""


class WhatIfAnswer(TypedDict):
    before: WhatIfAnswerBefore
    """The home without the change, in the quarter-hours with data."""
    after: WhatIfAnswerAfter
    """The home with the change, in the same quarter-hours."""
    battery: NotRequired[WhatIfAnswerBattery]
    """Energy of the battery. Absent if the request had no battery."""
    unknown_hours: float
    """Hours of the range so far without complete data of the home. They are excluded from `before` and `after`."""


class CreateEmissionSeriesBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    name: str
    """Name of the series, chosen by its owner, such as the name of the grid."""
    resolution_minutes: Literal[15, 30, 60]
    """Time for which each value applies, in minutes."""
    source: NotRequired[NewSeriesSource]
    """Source from which the service fetches the values. Fetched values do not replace uploaded values. Only utilities and administrators can use their own addresses."""
    check: NotRequired[bool]
    """Whether to test the source only. If true, the source is fetched and nothing is stored; the response (200) contains the first values that would be stored."""


class UpdateEmissionSeriesBody(TypedDict):
    name: NotRequired[str]
    """Name of the series, chosen by its owner."""
    source: NotRequired[Optional[NewSeriesSource]]
    """Source from which the service fetches the values. Fetched values do not replace uploaded values. Only utilities and administrators can use their own addresses. Omitted tokens and headers do not change. Null removes the source; the values remain."""


class PutIntensitiesBodyValue(TypedDict):
    starts_at: str
    """Start of the time for which the value applies: a multiple of the resolution in UTC. The value applies for one resolution."""
    grams_per_kwh: Union[str, float]
    """Grams of CO2 equivalent per kWh. The number may be negative."""


class PutIntensitiesAnswer(TypedDict):
    series_id: str
    """Id of the emission series."""
    stored: int
    """Number of values of the request that were stored."""


class CreatePriceSeriesBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    name: str
    """Name of the series, chosen by its owner, such as the name of the market."""
    resolution_minutes: Literal[15, 30, 60]
    """Time for which each value applies, in minutes."""
    source: NotRequired[NewSeriesSource]
    """Source from which the service fetches the values. Fetched values do not replace uploaded values. Only utilities and administrators can use their own addresses."""
    check: NotRequired[bool]
    """Whether to test the source only. If true, the source is fetched and nothing is stored; the response (200) contains the first values that would be stored."""
    currency: str
    """Currency of the prices (ISO 4217), such as `EUR`."""


class UpdatePriceSeriesBody(TypedDict):
    name: NotRequired[str]
    """Name of the series, chosen by its owner."""
    source: NotRequired[Optional[NewSeriesSource]]
    """Source from which the service fetches the values. Fetched values do not replace uploaded values. Only utilities and administrators can use their own addresses. Omitted tokens and headers do not change. Null removes the source; the values remain."""


class PutPricesBodyValue(TypedDict):
    starts_at: str
    """Start of the time for which the value applies: a multiple of the resolution in UTC. The value applies for one resolution."""
    per_kwh: Union[str, float]
    """Price per kWh. It may be negative."""


class PutPricesAnswer(TypedDict):
    series_id: str
    """Id of the price series."""
    stored: int
    """Number of values of the request that were stored."""


class CreateKeyBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    name: NotRequired[str]
    """Name of the key, chosen by its owner."""
    scopes: NotRequired[list[Literal["insights:read", "alerts:read", "alerts:write", "users:read", "users:write", "devices:read", "devices:write", "webhooks:read", "webhooks:write", "tariffs:read", "tariffs:write", "keys:write", "readings:read", "readings:write"]]]
    """Scopes of the key. Default: all scopes except those for single readings (`readings:…`), or all that a utility may give to its homeowners."""
    group_id: NotRequired[str]
    """Id of a group of the user: the key can read only its homes, the homes of its subgroups, and their totals. All scopes must then end in `:read`, without `readings:read`."""
    device_id: NotRequired[str]
    """Id of a device: the key can only write its readings. Its only scope is then `readings:write`, the default."""
    home_user_id: NotRequired[str]
    """Id of another account’s home of which the caller’s account is a member. The key can access only that home, which is also the default `user_id`, and ends with the membership. Default scopes: all that the membership gives, except those for single readings."""
    expires_at: NotRequired[str]
    """Expiry time of the key. Default: that of the key that creates it, or never."""
    allowed_addresses: NotRequired[list[str]]
    """IPv4 and IPv6 addresses and networks from which the key may be used. Default: the allowed addresses of the key that creates it. Empty: any address."""


class UpdateKeyBody(TypedDict):
    expires_at: NotRequired[Optional[str]]
    """Expiry time of the key. Null: never."""
    allowed_addresses: NotRequired[list[str]]
    """IPv4 and IPv6 addresses and networks from which the key may be used. Empty: any address."""


class RotateKeyBody(TypedDict):
    overlap_hours: NotRequired[float]
    """Time for which the old key stays valid, in hours. Default: 24."""
    expires_at: NotRequired[str]
    """Expiry time of the new key. Default: that of the key of the request, or never."""


class AcceptMembershipBody(TypedDict):
    token: str
    """Token from the link in the mail."""


class InviteMemberBody(TypedDict):
    email: str
    """Address to which the invitation is mailed."""
    access: Literal["read", "manage"]
    """`read`: can see everything in the home, but cannot export it. `manage`: can also change the home, except its members, keys and e-mail address, and cannot export or delete the account."""


class CreateAppBody(TypedDict):
    name: str
    """Name of the app, as the consent page shows it."""
    website: str
    """HTTPS address of a page about the app."""
    redirect_uris: list[str]
    """Addresses to which the browser is redirected: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, except for the port of a loopback address."""
    notification_url: NotRequired[Optional[str]]
    """HTTPS address for notifications of changed data. Null: none."""
    scopes: list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]
    """Scopes that the app may request from a home. Removed scopes end at once, also for issued tokens."""
    type: Literal["confidential", "public"]
    """`confidential`: the app runs on a server and has a secret. `public`: the app runs on a phone or desktop, without a secret."""


class UpdateAppBody(TypedDict):
    name: NotRequired[str]
    """Name of the app, as the consent page shows it."""
    website: NotRequired[str]
    """HTTPS address of a page about the app."""
    redirect_uris: NotRequired[list[str]]
    """Addresses to which the browser is redirected: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, except for the port of a loopback address."""
    notification_url: NotRequired[Optional[str]]
    """HTTPS address for notifications of changed data. Null: none."""
    scopes: NotRequired[list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]]
    """Scopes that the app may request from a home. Removed scopes end at once, also for issued tokens."""


# Cost under the user’s tariffs. Null: no tariff was in force.
Cost = Optional[CostValue]


CreatedEmissionSeries = Union[EmissionSeries, CheckedIntensities]


CreatedPriceSeries = Union[PriceSeries, CheckedPrices]


# Emissions of the energy from the grid, from the user’s emission series. Null: the user has no emission series.
Emissions = Optional[EmissionsValue]


# What a webhook is sent: tell them apart by `type`.
EnergyEvent = Union["UsageUpdatedEvent", "AlertTriggeredEvent", "DeviceConnectedEvent", "UserCreatedEvent", "RemarkRaisedEvent", "WebhookTestEvent"]


SendReadingsBody = Union[list[SentReading], SentReading]


CreateImportBody = list[CreateImportBodyValue]


PutIntensitiesBody = list[PutIntensitiesBodyValue]


PutPricesBody = list[PutPricesBodyValue]

__all__ = [
    "Act",
    "Alert",
    "AlertPreviewData",
    "AlertPreview",
    "AlertTriggeredEventDataDevices",
    "AlertTriggeredEventData",
    "AlertTriggeredEvent",
    "App",
    "AuthorizationApp",
    "Authorization",
    "BillAdjustment",
    "BillEdit",
    "BillEnergyRegisters",
    "BillEnergy",
    "BillPeriod",
    "BillPeriodDetailsDifference",
    "BillPeriodDetailsVersions",
    "BillPeriodDetailsCorrections",
    "BillPeriodDetails",
    "BillStatementRegisters",
    "BillStatement",
    "ChangedGroup",
    "CheckedIntensities",
    "CheckedPrices",
    "CommodityUsage",
    "ComparedDay",
    "ComparedKwh",
    "ComparedWatts",
    "CostValue",
    "Cost",
    "CreatedApp",
    "CreatedEmissionSeries",
    "CreatedGatewayMqtt",
    "CreatedGateway",
    "CreatedKey",
    "CreatedPriceSeries",
    "CreatedProvisioningBatchMqtt",
    "CreatedProvisioningBatch",
    "DeliveryAttempts",
    "Delivery",
    "Device",
    "DeviceConnectedEventData",
    "DeviceConnectedEvent",
    "DeviceDetailsChannels",
    "DeviceDetails",
    "DeviceImportDiffering",
    "DeviceImport",
    "DeviceQuality",
    "DeviceReading",
    "DeviceReadings",
    "DeviceUsageDataTemperatureC",
    "DeviceUsageData",
    "DeviceUsage",
    "DiscoveredDeviceQuantities",
    "DiscoveredDevice",
    "EmissionSeries",
    "EmissionsValue",
    "Emissions",
    "EnergyInsightsDateRange",
    "EnergyInsights",
    "ErrorBodyDetails",
    "ErrorBody",
    "FleetDevice",
    "FleetSilenceUnwatched",
    "FleetSilenceData",
    "FleetSilenceGroups",
    "FleetSilence",
    "ForecastForecastCost",
    "ForecastForecastPast",
    "ForecastForecast",
    "Forecast",
    "Gateway",
    "Group",
    "GroupEnergyInsightsDateRange",
    "GroupEnergyInsights",
    "ImportCredentialsCredentials",
    "ImportCredentials",
    "Intensity",
    "JudgedMessageReadings",
    "JudgedMessageAsks",
    "JudgedMessageWould",
    "JudgedMessageMembersProposed",
    "JudgedMessageMembers",
    "JudgedMessage",
    "Key",
    "ListedUserDevices",
    "ListedUser",
    "Member",
    "Membership",
    "Message",
    "MonthQualityFindings",
    "MonthQualityRejections",
    "MonthQuality",
    "MonthlyAnalyticsData",
    "MonthlyAnalytics",
    "NewSeriesSource",
    "PairedDeviceMqtt",
    "PairedDevice",
    "Price",
    "PriceSeries",
    "ProvisioningBatch",
    "RatesPeriods",
    "Rates",
    "ReadingEdit",
    "RegisterReading",
    "RejectedRow",
    "Remark",
    "RemarkRaisedEventData",
    "RemarkRaisedEvent",
    "Remarks",
    "RotatedKey",
    "SentDeliveryAttempts",
    "SentDeliveryRequest",
    "SentDelivery",
    "SentReading",
    "SentReadingsRejected",
    "SentReadings",
    "SeriesSource",
    "SummarySummary",
    "Summary",
    "TariffCapacity",
    "Tariff",
    "UnreadMessagesExample",
    "UnreadMessages",
    "Usage",
    "UsageUpdatedEventDataHours",
    "UsageUpdatedEventData",
    "UsageUpdatedEvent",
    "User",
    "UserCreatedEvent",
    "Webhook",
    "WebhookTestEventData",
    "WebhookTestEvent",
    "EnergyEvent",
    "PostEnergyInsightsBody",
    "CreateAlertBody",
    "CreateAlertAnswer",
    "PreviewAlertBody",
    "UpdateAlertBody",
    "CreateUserBody",
    "CreateUserAnswer",
    "UpdateUserBody",
    "CreateWebhookBody",
    "CreateWebhookAnswer",
    "UpdateWebhookBody",
    "CreateDeviceBodyChannels",
    "CreateDeviceBody",
    "UpdateDeviceBodyDecoderConfigSenml",
    "UpdateDeviceBodyDecoderConfigZigbee2mqtt",
    "UpdateDeviceBodyDecoderConfigZwavejs",
    "UpdateDeviceBodyDecoderConfigMapping",
    "UpdateDeviceBodyDecoderConfig",
    "UpdateDeviceBodyChannels",
    "UpdateDeviceBody",
    "SendReadingsBody",
    "CreateDeviceEditBody",
    "CreateGatewayBody",
    "UpdateGatewayBodyDecoderConfigSenml",
    "UpdateGatewayBodyDecoderConfigZigbee2mqtt",
    "UpdateGatewayBodyDecoderConfigZwavejs",
    "UpdateGatewayBodyDecoderConfigMapping",
    "UpdateGatewayBodyDecoderConfig",
    "UpdateGatewayBody",
    "DecodeMessageBodyDecoderConfigSenml",
    "DecodeMessageBodyDecoderConfigZigbee2mqtt",
    "DecodeMessageBodyDecoderConfigZwavejs",
    "DecodeMessageBodyDecoderConfigMapping",
    "DecodeMessageBodyDecoderConfig",
    "DecodeMessageBody",
    "CreateGroupBody",
    "UpdateGroupBody",
    "ChangeGroupUsersBody",
    "CreateImportBodyValueChannels",
    "CreateImportBodyValueDecoderConfigSenml",
    "CreateImportBodyValueDecoderConfigZigbee2mqtt",
    "CreateImportBodyValueDecoderConfigZwavejs",
    "CreateImportBodyValueDecoderConfigMapping",
    "CreateImportBodyValueDecoderConfig",
    "CreateImportBodyValue",
    "CreateImportBody",
    "CreateProvisioningBatchBody",
    "CreateBillPeriodBody",
    "CreateTariffBodyCapacity",
    "CreateTariffBodyImportPeriods",
    "CreateTariffBodyImport",
    "CreateTariffBodyExportPeriods",
    "CreateTariffBodyExport",
    "CreateTariffBody",
    "CompareTariffsBodyTariffsCapacity",
    "CompareTariffsBodyTariffsImportPeriods",
    "CompareTariffsBodyTariffsImport",
    "CompareTariffsBodyTariffsExportPeriods",
    "CompareTariffsBodyTariffsExport",
    "CompareTariffsBodyTariffs",
    "CompareTariffsBody",
    "CompareTariffsAnswerAlternativesCost",
    "CompareTariffsAnswerAlternatives",
    "CompareTariffsAnswer",
    "UpdateTariffBodyCapacity",
    "UpdateTariffBodyImportPeriods",
    "UpdateTariffBodyImport",
    "UpdateTariffBodyExportPeriods",
    "UpdateTariffBodyExport",
    "UpdateTariffBody",
    "WhatIfBodyBattery",
    "WhatIfBody",
    "WhatIfAnswerBeforeCost",
    "WhatIfAnswerBefore",
    "WhatIfAnswerAfterCost",
    "WhatIfAnswerAfter",
    "WhatIfAnswerBattery",
    "WhatIfAnswer",
    "CreateEmissionSeriesBody",
    "UpdateEmissionSeriesBody",
    "PutIntensitiesBodyValue",
    "PutIntensitiesBody",
    "PutIntensitiesAnswer",
    "CreatePriceSeriesBody",
    "UpdatePriceSeriesBody",
    "PutPricesBodyValue",
    "PutPricesBody",
    "PutPricesAnswer",
    "CreateKeyBody",
    "UpdateKeyBody",
    "RotateKeyBody",
    "AcceptMembershipBody",
    "InviteMemberBody",
    "CreateAppBody",
    "UpdateAppBody",
]
