# Generated from the OpenAPI document by `npm run client`: do not edit. A test holds it to the document.
"""What the service takes and answers."""
from __future__ import annotations

from typing import Any, Literal, NotRequired, Optional, TypedDict, Union

class Act(TypedDict):
    audit_id: str
    """Id of the entry."""
    at: str
    """When it was done."""
    actor_user_id: Optional[str]
    """Id of the user who did it. Null: an operator at the command line, the service itself, or somebody who was not signed in. `erased_…`: the account is gone."""
    actor_key_id: Optional[str]
    """Id of the API key or session that was used. Null: none was."""
    address: Optional[str]
    """Where it came from: an IP address, or `cli`. Null: not known, or it follows from another entry."""
    action: str
    """What was done, such as `key.created`."""
    target: Optional[str]
    """Id of what was changed. Null: nothing that has one."""
    details: dict[str, Any]
    """Members of the request, and the values of some."""


class Alert(TypedDict):
    alert_id: str
    """Id of the alert."""
    user_id: str
    """Id of the user that it belongs to."""
    type: Literal["peak_usage", "daily_usage", "monthly_usage", "daily_cost", "monthly_cost", "no_data"]
    """What the alert watches: what is used in any clock hour (`peak_usage`), in a day or in a month, what a day or a month costs, or the silence of a device (`no_data`)."""
    threshold_kwh: NotRequired[float]
    """Usage above which the alert fires, in kWh. Only in alerts on usage."""
    threshold: NotRequired[str]
    """Total cost above which the alert fires, in the currency of the tariff that holds: a decimal with up to 9 places, as text. Only in alerts on costs."""
    threshold_hours: NotRequired[int]
    """Silence after which the alert fires, in hours. Only in alerts of type `no_data`."""
    delivery: Literal["email", "sms", "webhook"]
    """How the user is told."""
    status: Literal["active", "paused"]
    """A paused alert does not fire."""
    created_at: str
    """When it was created."""


class AlertPreviewData(TypedDict):
    period_start: str
    """Start of the period. For `no_data`: when the device was last heard."""
    period_end: Optional[str]
    """End of the period, exclusive. Null for a silence that goes on."""
    kwh_used: NotRequired[float]
    """What was used in the period, in kWh. Only with types on usage."""
    cost: NotRequired[str]
    """What the period cost in total. Only with types on costs."""
    currency: NotRequired[str]
    """Currency of the cost (ISO 4217). Only with types on costs."""
    device_id: NotRequired[str]
    """Id of the silent device. Only with type `no_data`."""


class AlertPreview(TypedDict):
    user_id: str
    """Id of the user that it belongs to."""
    data: list[AlertPreviewData]
    """Periods of the last 90 days in which the alert would have fired."""


class AlertTriggeredEventDataDevices(TypedDict):
    device_id: str
    """Id of the device."""
    kwh_used: float
    """Its import in the period, in kWh."""


class AlertTriggeredEventData(TypedDict):
    """What the event is about."""

    alert_id: str
    """Id of the alert that fired."""
    user_id: str
    """Id of the user that the event is about."""
    type: Literal["peak_usage", "daily_usage", "monthly_usage", "daily_cost", "monthly_cost", "no_data"]
    """Type of the alert."""
    threshold_kwh: NotRequired[float]
    """Threshold of the alert, in kWh. Only in alerts on usage."""
    kwh_used: NotRequired[float]
    """What the home used in the period by the time the alert fired, in kWh. Only in alerts on usage."""
    threshold: NotRequired[str]
    """Threshold of the alert, a decimal in the currency of the tariff that holds. Only in alerts on costs."""
    cost: NotRequired[str]
    """What the period cost in total by the time the alert fired. Only in alerts on costs."""
    currency: NotRequired[str]
    """Currency of the cost (ISO 4217). Only in alerts on costs."""
    threshold_hours: NotRequired[Optional[int]]
    """Length of the silence that the alert waits for, in hours. Only in alerts of type `no_data`."""
    period_start: str
    """Start of the hour, day or month. For `no_data`: when the device was last heard."""
    period_end: Optional[str]
    """End of the period, exclusive. Null for a silence that goes on."""
    devices: list[AlertTriggeredEventDataDevices]
    """Devices that took part, the largest share first. For `no_data`: the silent device."""


class AlertTriggeredEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["alert.triggered"]
    """Type of the event."""
    created_at: str
    """When the event happened."""
    environment: Literal["live", "sandbox"]
    """Which installation it happened in."""
    data: AlertTriggeredEventData
    """What the event is about."""


class App(TypedDict):
    name: str
    """Name that the page of consent shows."""
    website: str
    """HTTPS address of a page about the app."""
    redirect_uris: list[str]
    """Addresses to which a browser returns: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, but for the port of a loopback address."""
    notification_url: Optional[str]
    """HTTPS address for notices that data changed. Null: none."""
    scopes: list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]
    """Scopes that the app may ask a home for. Fewer scopes hold at once, also for tokens that were issued."""
    app_id: str
    """Id of the app."""
    client_id: str
    """Identifies the app at `/oauth/authorize` and `/oauth/token`."""
    user_id: str
    """Account that registered the app."""
    type: Literal["confidential", "public"]
    """`confidential`: runs on a server and keeps a secret. `public`: runs on a phone or desktop, without one."""
    created_at: str
    """When it was created."""


class AuthorizationApp(TypedDict):
    """The app that was let in."""

    app_id: str
    """Id of the app."""
    name: str
    """Name of the app."""
    website: str
    """Address of a page about the app."""


class Authorization(TypedDict):
    authorization_id: str
    """Id of the authorization."""
    app: AuthorizationApp
    """The app that was let in."""
    scopes: list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]
    """What the app may do in the home now."""
    created_at: str
    """When it was created."""
    expires_at: Optional[str]
    """When it ends. Null: when somebody ends it."""
    last_used_at: Optional[str]
    """Latest request of the app, to the minute. Null: none yet."""


class BillAdjustment(TypedDict):
    bill_period_id: str
    """Id of the period that was corrected after it was closed."""
    start: str
    """Its first day."""
    end: str
    """Its last day."""
    import_kwh: str
    """By how much its import changed. In kWh with six decimals, as text."""
    export_kwh: str
    """By how much its export changed. In kWh with six decimals, as text."""


class BillEdit(TypedDict):
    edit_id: str
    """Id of the edit."""
    device_id: str
    """Id of the device that it is about."""
    action: Literal["exclude", "add"]
    """Whether readings are passed over, or one was read by hand."""
    native_name: Optional[str]
    """The quantity. Null: every quantity of the device."""
    start: str
    """From this time on; of `add`: when it was read."""
    end: Optional[str]
    """Up to this time, exclusive. Null: of `add`."""
    kwh: Optional[str]
    """What the register showed, in kWh with six decimals, as text. Null: of `exclude`."""
    reason: str
    """Why, in the words of its author."""
    author: Optional[Literal["homeowner", "utility", "admin"]]
    """What its author is; `GET /v1/devices/{device_id}/edits` has the id. Null: the account was erased."""


class BillEnergyRegisters(TypedDict):
    device_id: str
    """Id of the device."""
    channel: str
    """What it measures, such as `import/t1`."""
    native_name: str
    """What the device calls it."""
    direction: Literal["import", "export"]
    """What it counts as."""
    at_start: Optional[RegisterReading]
    """At the start of the period. Null: not known."""
    at_end: Optional[RegisterReading]
    """At the end of the period. Null: not known."""
    energy_kwh: Optional[str]
    """What it counted in between, in kWh with six decimals, as text: with a reset, a rollover or a swap not the difference of the two. Null: not known any more."""


class BillEnergy(TypedDict):
    import_kwh: str
    """What flowed in within the period. In kWh with six decimals, as text."""
    export_kwh: str
    """What flowed out within the period. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Part of `import_kwh` that was spread over silences of more than an hour. In kWh with six decimals, as text."""
    intervals: int
    """Quarter-hours of the period."""
    intervals_known: int
    """Of these: of which the import is known, at least in part."""
    intervals_estimated: int
    """Of these: of which some of the import is estimated."""
    registers: list[BillEnergyRegisters]
    """The registers that count, and what they showed."""
    import_beside_registers_kwh: str
    """Part of `import_kwh` that no register tells. In kWh with six decimals, as text."""
    export_beside_registers_kwh: str
    """Part of `export_kwh` that no register tells. In kWh with six decimals, as text."""
    edits: NotRequired[list[BillEdit]]
    """Edits of readings in force that are about a time of the period, up to 1,000. Left out of statements that were recorded before statements had them."""


class BillPeriod(TypedDict):
    bill_period_id: str
    """Id of the bill period."""
    user_id: str
    """Id of the user that it belongs to."""
    device_id: Optional[str]
    """The device that is billed by itself. Null: the home, at its connection point."""
    start: str
    """First day of the period, in the time zone of the account."""
    end: str
    """Last day of the period, inclusive."""
    timezone: str
    """IANA time zone of its days: that of the account when the period was made."""
    status: Literal["open", "closed"]
    """What changes of the days of a `closed` period is billed with the next open one."""
    created_at: str
    """When it was created."""
    closed_at: Optional[str]
    """When it was closed. Null: it is open."""
    version: int
    """Number of the last version."""
    recorded_at: str
    """When that was known."""
    import_kwh: str
    """What flowed in within the period. In kWh with six decimals, as text."""
    export_kwh: str
    """What flowed out within the period. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Part of `import_kwh` that was spread over silences of more than an hour. In kWh with six decimals, as text."""
    billed_import_kwh: str
    """`import_kwh` and adjustments of others. In kWh with six decimals, as text."""
    billed_export_kwh: str
    """`export_kwh` and adjustments of others. In kWh with six decimals, as text."""
    sha256: str
    """SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal."""


class BillPeriodDetailsDifference(TypedDict):
    """What is known now, less what was told first."""

    import_kwh: str
    """Of what flowed in. In kWh with six decimals, as text."""
    export_kwh: str
    """Of what flowed out. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Of the part that is estimated. In kWh with six decimals, as text."""


class BillPeriodDetailsVersions(TypedDict):
    version: int
    """Number of the version."""
    cause: Literal["first", "again", "closing"]
    """Why it was told: first, again while the period was open, or as it was closed."""
    recorded_at: str
    """When this was known."""
    import_kwh: str
    """What flowed in within the period. In kWh with six decimals, as text."""
    export_kwh: str
    """What flowed out within the period. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Part of `import_kwh` that was spread over silences of more than an hour. In kWh with six decimals, as text."""
    import_change_kwh: str
    """By how much the import changed since the version before; of the first all of it. In kWh with six decimals, as text."""
    export_change_kwh: str
    """The same of the export. In kWh with six decimals, as text."""
    sha256: str
    """SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal."""


class BillPeriodDetailsCorrections(TypedDict):
    told_in: Optional[str]
    """Id of the period that bills it. Null: none that is open begins after this one."""
    status: Literal["told", "waiting"]
    """Whether that period was closed with it."""
    import_kwh: str
    """By how much the import changed. In kWh with six decimals, as text."""
    export_kwh: str
    """By how much the export changed. In kWh with six decimals, as text."""


class BillPeriodDetails(TypedDict):
    bill_period_id: str
    """Id of the bill period."""
    user_id: str
    """Id of the user that it belongs to."""
    device_id: Optional[str]
    """The device that is billed by itself. Null: the home, at its connection point."""
    start: str
    """First day of the period, in the time zone of the account."""
    end: str
    """Last day of the period, inclusive."""
    timezone: str
    """IANA time zone of its days: that of the account when the period was made."""
    status: Literal["open", "closed"]
    """What changes of the days of a `closed` period is billed with the next open one."""
    created_at: str
    """When it was created."""
    closed_at: Optional[str]
    """When it was closed. Null: it is open."""
    first_told: BillStatement
    """What was told first."""
    last_told: BillStatement
    """What was told last."""
    known_now: BillEnergy
    """What is known of the period now."""
    difference: BillPeriodDetailsDifference
    """What is known now, less what was told first."""
    versions: list[BillPeriodDetailsVersions]
    """All that was told of the period, in order. Their changes add up to the last one."""
    adjustments: list[BillAdjustment]
    """Corrections of closed periods that were billed with this one or, while it is open, wait for it."""
    corrections: list[BillPeriodDetailsCorrections]
    """What changed of this period after it was closed. With what it was closed with they add up to `known_now`."""


class BillStatementRegisters(TypedDict):
    device_id: str
    """Id of the device."""
    channel: str
    """What it measures, such as `import/t1`."""
    native_name: str
    """What the device calls it."""
    direction: Literal["import", "export"]
    """What it counts as."""
    at_start: Optional[RegisterReading]
    """At the start of the period. Null: not known."""
    at_end: Optional[RegisterReading]
    """At the end of the period. Null: not known."""
    energy_kwh: Optional[str]
    """What it counted in between, in kWh with six decimals, as text: with a reset, a rollover or a swap not the difference of the two. Null: not known any more."""


class BillStatement(TypedDict):
    bill_period_id: str
    """Id of the bill period."""
    user_id: str
    """Id of the user that it belongs to."""
    device_id: Optional[str]
    """The device that is billed by itself. Null: the home, at its connection point."""
    start: str
    """First day of the period, in the time zone of the account."""
    end: str
    """Last day of the period, inclusive."""
    timezone: str
    """IANA time zone of its days: that of the account when the period was made."""
    version: int
    """Number of the version, from 1."""
    cause: Literal["first", "again", "closing"]
    """Why it was told: first, again while the period was open, or as it was closed."""
    starts_at: str
    """Start of the first day."""
    ends_at: str
    """End of the last day."""
    recorded_at: str
    """When this was known."""
    import_kwh: str
    """What flowed in within the period. In kWh with six decimals, as text."""
    export_kwh: str
    """What flowed out within the period. In kWh with six decimals, as text."""
    estimated_kwh: str
    """Part of `import_kwh` that was spread over silences of more than an hour. In kWh with six decimals, as text."""
    intervals: int
    """Quarter-hours of the period."""
    intervals_known: int
    """Of these: of which the import is known, at least in part."""
    intervals_estimated: int
    """Of these: of which some of the import is estimated."""
    registers: list[BillStatementRegisters]
    """The registers that count, and what they showed."""
    import_beside_registers_kwh: str
    """Part of `import_kwh` that no register tells. In kWh with six decimals, as text."""
    export_beside_registers_kwh: str
    """Part of `export_kwh` that no register tells. In kWh with six decimals, as text."""
    edits: NotRequired[list[BillEdit]]
    """Edits of readings in force that are about a time of the period, up to 1,000. Left out of statements that were recorded before statements had them."""
    adjustments: list[BillAdjustment]
    """Corrections of closed periods that are billed with this one."""
    billed_import_kwh: str
    """`import_kwh` and the adjustments. In kWh with six decimals, as text."""
    billed_export_kwh: str
    """`export_kwh` and the adjustments. In kWh with six decimals, as text."""
    previous_sha256: Optional[str]
    """`sha256` of the version before. Null: there is none."""
    sha256: str
    """SHA-256 of the statement without this member, in the canonical form of RFC 8785; hexadecimal."""


class ChangedGroup(TypedDict):
    group_id: str
    """Id of the group."""
    added: int
    """How many homes were added."""
    removed: int
    """How many were removed."""
    members: int
    """How many homes are in it, without those of groups below it."""


class CheckedIntensities(TypedDict):
    intensities: list[Intensity]
    """The first values that would be stored, up to 100."""
    count: int
    """How many values would be stored."""
    rejected: list[RejectedRow]
    """The first rows that would not be stored, up to 100."""


class CheckedPrices(TypedDict):
    prices: list[Price]
    """The first values that would be stored, up to 100."""
    count: int
    """How many values would be stored."""
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
    """Hour with the highest usage, as `HH:00`; over several days the hour of the day. A row by hour, half-hour or quarter-hour names its own start. Null: nothing was used, or no hour qualifies."""
    kwh_used: NotRequired[float]
    """What was used, in kWh, where it is measured as energy."""
    m3_used: NotRequired[float]
    """What was used, in m³, where it is measured as volume."""
    estimated_kwh: NotRequired[float]
    """Part of `kwh_used` that is estimated, in kWh."""
    estimated_m3: NotRequired[float]
    """Part of `m3_used` that is estimated, in m³."""
    coverage: NotRequired[Optional[float]]
    """Part of the expected time that is known, 0 to 1. Null: nothing is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all of it is known. Null: nothing is expected yet."""


class ComparedDay(TypedDict):
    date: str
    """Compared day."""
    kwh: float
    """Usage of that day, in kWh."""


class ComparedKwh(TypedDict):
    at: str
    """End of the hours that the value is about."""
    kwh: float
    """Energy of these 24 hours, in kWh."""


class ComparedWatts(TypedDict):
    at: str
    """End of the hours that the value is about."""
    watts: int
    """Level of these hours, in watts."""


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
    """Name that the page of consent shows."""
    website: str
    """HTTPS address of a page about the app."""
    redirect_uris: list[str]
    """Addresses to which a browser returns: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, but for the port of a loopback address."""
    notification_url: Optional[str]
    """HTTPS address for notices that data changed. Null: none."""
    scopes: list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]
    """Scopes that the app may ask a home for. Fewer scopes hold at once, also for tokens that were issued."""
    app_id: str
    """Id of the app."""
    client_id: str
    """Identifies the app at `/oauth/authorize` and `/oauth/token`."""
    user_id: str
    """Account that registered the app."""
    type: Literal["confidential", "public"]
    """`confidential`: runs on a server and keeps a secret. `public`: runs on a phone or desktop, without one."""
    created_at: str
    """When it was created."""
    client_secret: NotRequired[str]
    """Shown once. A public app has none."""


class CreatedGatewayMqtt(TypedDict):
    """How the gateway signs in to the broker."""

    username: str
    """MQTT user name."""
    password: str
    """MQTT password. It is not shown again."""
    topic_prefix: str
    """What the topics of the gateway must begin with."""


class CreatedGateway(TypedDict):
    gateway_id: str
    """Id of the gateway."""
    user_id: str
    """Id of the user that it belongs to."""
    name: str
    """What its owner calls the gateway."""
    decoder_config: dict[str, Any]
    """Settings for the decoders, as they were given."""
    managed_by: Literal["owner", "utility"]
    """`utility` while a device that the utility manages comes through it: its owner then changes the name alone (403). Otherwise `owner`."""
    created_at: str
    """When it was created."""
    mqtt: CreatedGatewayMqtt
    """How the gateway signs in to the broker."""


class CreatedKey(TypedDict):
    key_id: str
    """Id of the key."""
    prefix: str
    """The first characters of the key, to recognise it by."""
    scopes: list[Literal["insights:read", "alerts:read", "alerts:write", "users:read", "users:write", "devices:read", "devices:write", "webhooks:read", "webhooks:write", "tariffs:read", "tariffs:write", "keys:write", "readings:read", "readings:write"]]
    """What the key may do. The role of its owner decides whose data it reaches."""
    expires_at: Optional[str]
    """When the key ends. Null: never."""
    group_id: NotRequired[str]
    """The group whose homes are all that the key reads. Only of keys that are limited to one."""
    device_id: NotRequired[str]
    """The device whose readings are all that the key writes. Only of keys that are limited to one."""
    home_user_id: NotRequired[str]
    """The home of another account that is all that the key reaches. Only of keys that a member made for it."""
    allowed_addresses: list[str]
    """Addresses and networks that the key may be used from. None: everywhere."""
    key: str
    """The key itself. It is not shown again."""


class CreatedProvisioningBatchMqtt(TypedDict):
    """What meters of the batch are made with."""

    username: str
    """MQTT user name of all meters of the batch, until they have their own."""
    password: str
    """MQTT password of the batch. It is not shown again."""
    claim_topic: str
    """Where a meter publishes its claim."""
    reply_topic: str
    """Where it is answered, on its own connection alone."""


class CreatedProvisioningBatch(TypedDict):
    batch_id: str
    """Id of the batch."""
    user_id: str
    """Id of the user that it belongs to."""
    owner_user_id: Optional[str]
    """Id of the user that gets a meter whose serial no device has as its `external_id`. Null: such a meter is refused."""
    name: str
    """What you call the batch."""
    type: str
    """Type of the devices that are made."""
    location: str
    """Location of the devices that are made."""
    serial_count: Optional[int]
    """How many serials alone may claim. Null: any may."""
    max_devices: int
    """How many meters may claim a device."""
    claimed: int
    """How many have."""
    expires_at: str
    """When nothing claims with it any more."""
    revoked_at: Optional[str]
    """When it was revoked. Null: it was not."""
    created_at: str
    """When it was created."""
    mqtt: CreatedProvisioningBatchMqtt
    """What meters of the batch are made with."""


class DeliveryAttempts(TypedDict):
    at: str
    """When it was tried."""
    response_status: Optional[int]
    """Status code of the receiver. Null: no answer."""
    duration_ms: float
    """How long the attempt took, in milliseconds."""
    error: Optional[str]
    """Why the attempt failed. Null: it succeeded."""


class Delivery(TypedDict):
    delivery_id: str
    """Id of the delivery."""
    event_id: str
    """Id of the event: `id` of its body, the same in every attempt."""
    event: str
    """Type of the event."""
    status: Literal["pending", "succeeded", "failed"]
    """`failed` once all retries have failed."""
    attempts: list[DeliveryAttempts]
    """The attempts so far, oldest first."""
    next_attempt_at: Optional[str]
    """When it is tried next. Null: it is not, or the subscription is paused."""


class Device(TypedDict):
    device_id: str
    """Id of the device."""
    type: str
    """What kind of device it is, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Where the device is, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """`inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected."""
    last_seen_at: Optional[str]
    """When its last valid reading was received. Null: never."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Where the device sits in its home. `excluded`: it does not count."""
    upstream_device_id: Optional[str]
    """Id of the device whose measurement includes this one. Null: none."""
    attention: list[Literal["unknown_quantity", "faulty", "silent", "placement_guessed", "swap_guessed"]]
    """What its owner should look at. Empty: nothing."""


class DeviceConnectedEventData(TypedDict):
    """What the event is about."""

    device_id: str
    """Id of the device."""
    user_id: str
    """Id of the user that the event is about."""
    type: str
    """What kind of device it is, in the words of its owner."""
    location: str
    """Where the device is, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """State of the device."""
    last_seen_at: str
    """When its first valid message arrived."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Where the device sits in its home."""
    upstream_device_id: Optional[str]
    """Id of the device whose measurement includes this one. Null: none."""


class DeviceConnectedEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["device.connected"]
    """Type of the event."""
    created_at: str
    """When the event happened."""
    environment: Literal["live", "sandbox"]
    """Which installation it happened in."""
    data: DeviceConnectedEventData
    """What the event is about."""


class DeviceDetailsChannels(TypedDict):
    native_name: str
    """What the device calls the quantity."""
    unit: Optional[str]
    """Unit of `last_value`. Null: the device does not say."""
    last_value: Optional[float]
    """The last value. Null: there is none."""
    last_at: Optional[str]
    """When that value was measured. Null: there is none."""
    counts_as: Optional[str]
    """What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water`, `production` (an inverter’s), `charged` or `discharged` (a battery’s), or `ignored`. Null: not known, and not counted."""
    asked: bool
    """Whether its owner should say what it counts as: its name says nothing. With a `counts_as` it counts as it did before such names stopped counting."""
    placement: Optional[Literal["grid", "production", "storage", "consumption", "excluded"]]
    """Where the quantity is measured. Null: where its device is."""
    counted: bool
    """Whether its energy counts. False for a part of a total that counts, for a power next to a register, and if it is not known what the quantity is."""


class DeviceDetails(TypedDict):
    device_id: str
    """Id of the device."""
    type: str
    """What kind of device it is, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Where the device is, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """`inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected."""
    last_seen_at: Optional[str]
    """When its last valid reading was received. Null: never."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Where the device sits in its home. `excluded`: it does not count."""
    upstream_device_id: Optional[str]
    """Id of the device whose measurement includes this one. Null: none."""
    attention: list[Literal["unknown_quantity", "faulty", "silent", "placement_guessed", "swap_guessed"]]
    """What its owner should look at. Empty: nothing."""
    user_id: str
    """Id of the user that it belongs to."""
    limit_kw: float
    """Highest plausible load, in kW. A register that rises faster is held until later readings confirm it."""
    register_max_kwh: Optional[float]
    """Value at which the register starts again at 0, in kWh. Null: it never does."""
    max_gap_minutes: float
    """Longest silence that power readings are integrated over, in minutes."""
    timezone: Optional[str]
    """IANA time zone of a device that reports local time. Null: that of its owner."""
    decoder_config: dict[str, Any]
    """Settings for the decoders, as they were given."""
    channels: list[DeviceDetailsChannels]
    """The quantities that the device reports."""
    is_computed: bool
    """Whether what it consumed is computed with these settings by now: within seconds of a change, of months of frequent readings within minutes. Until then its older past is computed with them, and what is later as before."""
    external_id: Optional[str]
    """What a utility or an administrator calls the device: a serial or asset number. Once in an account. Null: it has none."""
    certificate_sha256: Optional[str]
    """SHA-256 of the client certificate that the device logs in with, in hex. Null: a certificate that has its id as name, where the broker takes certificates."""
    managed_by: Literal["owner", "utility"]
    """Who manages the device: its `owner`, or the `utility` that paired it for the account or whose batch it claimed. Of the latter its owner changes the `location` alone (403)."""
    created_at: str
    """When it was created."""


class DeviceImportDiffering(TypedDict):
    row: str
    """The row: `line 3` of CSV, its place in the list from 0 of JSON."""
    device_id: str
    """Id of the device."""
    members: list[str]
    """Members that the row gives and the device has otherwise."""


class DeviceImport(TypedDict):
    import_id: str
    """Id of the import."""
    state: Literal["completed"]
    """An import is carried out as a whole before it is answered, or refused."""
    created_at: str
    """When it was created."""
    rows: int
    """How many rows it had."""
    created: int
    """How many devices it made."""
    existing: int
    """How many rows were devices that were there already; they are left as they are."""
    users_created: int
    """How many accounts it made."""
    differing: list[DeviceImportDiffering]
    """Rows whose devices were there already with other settings. Change those with `PATCH /v1/devices/{device_id}`."""
    credentials: Literal["waiting", "gone"]
    """`waiting`: the passwords can be fetched, once, within a day. `gone`: they were fetched or not fetched, or there are none."""


class DeviceQuality(TypedDict):
    device_id: str
    """Id of the device."""
    data: list[MonthQuality]
    """One row a month, in order of time."""


class DeviceReading(TypedDict):
    ts: str
    """When it was taken; of an interval, its end."""
    channel: str
    """Channel of the device, such as `import`."""
    native_name: str
    """What the device calls the quantity."""
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
    """Whether a thermostat was heating: 1, or 0 if not."""
    humidity_percent: NotRequired[float]
    """Relative humidity, in percent."""
    verdict: Literal["counted", "baseline", "excluded", "not_counted", "unknown", "lower_kept", "glitch", "overlap", "late_news", "passed_over", "taken_back", "jitter", "reset", "rollover", "swap", "held"]
    """What the reading was taken for. `counted`: its energy counts. `baseline`: energy counts from it on. `excluded`: an edit passes it over. `not_counted`: another quantity counts. `unknown`: nobody has said what the quantity is. `lower_kept`: it counts, and a higher value for the same time does not. The others are findings of `GET /v1/devices/{device_id}/quality`."""
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
    """Import of the device, in kWh. Null: it reports no energy."""
    peak_hour: Optional[str]
    """Hour with the highest usage, as `HH:00`; over several days the hour of the day. A row by hour, half-hour or quarter-hour names its own start. Null: nothing was used, or no hour qualifies."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: not known."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: not known."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: not known."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy into storage, in kWh. Null: not known."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy out of storage, in kWh. Null: not known."""
    consumption_kwh: NotRequired[Optional[float]]
    """What consumption devices used, in kWh. Null: not known."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: not known."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used."""
    estimated_kwh: NotRequired[Optional[float]]
    """Part of `kwh_used` that is estimated, in kWh. Null: not known."""
    coverage: NotRequired[Optional[float]]
    """Part of the expected time that is known, 0 to 1. Null: nothing is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all of it is known. Null: nothing is expected yet."""
    export_kwh: NotRequired[Optional[float]]
    """Export of the device, in kWh. Null: not known."""
    estimate: NotRequired[Optional[Literal["like_days", "line"]]]
    """With `gaps=like_days`: how the estimated energy of the row was found. `like_days`: of a long silence by the shape of like days, at least in part. `line`: all of it was spread evenly. Null: nothing in it is estimated."""
    temperature_c: NotRequired[Optional[DeviceUsageDataTemperatureC]]
    """Room temperature that a thermostat measured. Null: not known."""
    setpoint_c: NotRequired[Optional[float]]
    """Mean of the set temperature, weighted by time, in °C. Null: not known."""
    heating_minutes: NotRequired[Optional[float]]
    """How long a thermostat was heating, in minutes. Null: not known."""


class DeviceUsage(TypedDict):
    device_id: str
    """Id of the device."""
    data: list[DeviceUsageData]
    """The rows, oldest first."""


class DiscoveredDeviceQuantities(TypedDict):
    channel: str
    """Name of the channel."""
    kind: str
    """What is measured, with its unit, such as `power_w`."""
    counts: Optional[Literal["import", "export"]]
    """What it will count as once the device is paired. Null: nothing."""


class DiscoveredDevice(TypedDict):
    discovery_id: str
    """Id to pair the device with: `discovery_id` of `POST /v1/devices`."""
    gateway_id: str
    """Id of the gateway that it was heard through."""
    family: str
    """Which messages it sends, such as `tasmota`."""
    native_id: str
    """What the device calls itself."""
    channels: list[str]
    """Names of its channels."""
    quantities: list[DiscoveredDeviceQuantities]
    """The quantities on its channels."""
    awaits: Optional[str]
    """Filter of topics, below the gateway’s prefix, on which its values were announced and none was received yet. Null: values are received."""
    first_seen_at: str
    """When it was first heard."""
    last_seen_at: str
    """When it was last heard."""


class EmissionSeries(TypedDict):
    series_id: str
    """Id of the emission series."""
    user_id: str
    """Id of the user that it belongs to."""
    name: str
    """What the owner calls it, such as the grid that the intensities are of."""
    resolution_minutes: Literal[15, 30, 60]
    """For how long each value holds, in minutes."""
    source: NotRequired[SeriesSource]
    """Where the series fetches its values. Absent: it does not, or the caller may not change it."""
    last_fetched_at: NotRequired[Optional[str]]
    """When values were last fetched. Null: never yet."""
    next_fetch_at: NotRequired[str]
    """When the source is fetched next."""
    last_error: NotRequired[Optional[str]]
    """What was wrong with the last fetch, or with rows of its answer. Null: nothing."""


class EmissionsValue(TypedDict):
    kg_co2e: str
    """Kilograms of CO2 equivalent, with 3 decimals."""
    missing_kwh: float
    """Energy whose intensity is not known, in kWh. It is not in `kg_co2e`."""


class EnergyInsightsDateRange(TypedDict):
    """The days that the summary is about."""

    start: str
    """First day."""
    end: str
    """Last day, inclusive: today."""


class EnergyInsights(TypedDict):
    user_id: str
    """Id of the user that it belongs to."""
    data: NotRequired[Union[list[Usage], list[CommodityUsage]]]
    """The rows, oldest first. Rows about which nothing is known are left out."""
    date_range: NotRequired[EnergyInsightsDateRange]
    """The days that the summary is about."""
    peak_usage_time: NotRequired[Optional[str]]
    """Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies."""
    kwh_used: NotRequired[float]
    """What was used, in kWh, where it is measured as energy."""
    m3_used: NotRequired[float]
    """What was used, in m³, where it is measured as volume."""
    estimated_kwh: NotRequired[Union[float, Optional[float]]]
    """Part of `kwh_used` that is estimated, in kWh."""
    estimated_m3: NotRequired[float]
    """Part of `m3_used` that is estimated, in m³."""
    coverage: NotRequired[Optional[float]]
    """Part of the expected time that is known, 0 to 1. Null: nothing is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all of it is known. Null: nothing is expected yet."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: not known."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: not known."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: not known."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy into storage, in kWh. Null: not known."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy out of storage, in kWh. Null: not known."""
    consumption_kwh: NotRequired[Optional[float]]
    """What consumption devices used, in kWh. Null: not known."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: not known."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used."""


class ErrorBodyDetails(TypedDict):
    field: str
    """Path of the member, parameter or header, such as `channels.0.counts_as`."""
    message: str
    """What is wrong with it."""


class ErrorBody(TypedDict):
    error: str
    """What went wrong, for a person to read."""
    status: int
    """Status code of the answer."""
    code: str
    """What went wrong, for a program: a word of the list of errors, such as `key_revoked`. It does not change."""
    doc_url: str
    """Where the reference explains the error."""
    details: NotRequired[list[ErrorBodyDetails]]
    """Each mistake in the request."""
    retry_after: NotRequired[int]
    """With 429: seconds to wait before the next request."""
    incident: NotRequired[str]
    """With 500: id of the request in the log of the service."""


class FleetDevice(TypedDict):
    device_id: str
    """Id of the device."""
    type: str
    """What kind of device it is, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Where the device is, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """`inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected."""
    last_seen_at: Optional[str]
    """When its last valid reading was received. Null: never."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Where the device sits in its home. `excluded`: it does not count."""
    upstream_device_id: Optional[str]
    """Id of the device whose measurement includes this one. Null: none."""
    attention: list[Literal["unknown_quantity", "faulty", "silent", "placement_guessed", "swap_guessed"]]
    """What its owner should look at. Empty: nothing."""
    user_id: str
    """Id of the user that it belongs to."""
    email: Optional[str]
    """E-mail address of its owner. Null: the key has no `users:read`."""
    family: str
    """Which messages it sends, such as `tasmota`. `native`: those of the service itself, without a gateway."""
    gateway_id: Optional[str]
    """Id of the gateway that it comes through. Null: it logs in itself."""
    silent_since: Optional[str]
    """When its silence began: when it was last heard, or paired where it never was. Null: it was heard within the last hour."""
    created_at: str
    """When it was created."""


FleetSilenceUnwatched = TypedDict("FleetSilenceUnwatched", {
    "from": "str",
    "to": "str",
})


class FleetSilenceData(TypedDict):
    starts_at: str
    """Start of the hour or day."""
    devices: int
    """How many devices fell silent in it."""
    outage: int
    """Of these as part of an outage of many homes."""
    gateway: int
    """Of these with others of their gateway."""
    home: int
    """Of these with others of their home."""
    device: int
    """Of these alone."""
    habit: int
    """Of these as they do again and again."""
    unsure: int
    """Of all of these, those of which the kind is unsure."""


class FleetSilenceGroups(TypedDict):
    kind: Literal["outage", "gateway", "home", "device", "habit"]
    """`outage`: of many homes; `gateway`, `home`: of one; `device`: one alone; `habit`: one that often is silent."""
    sure: bool
    """Whether the rule is sure of the kind. Else `because` says what the doubt is."""
    because: Literal["beyond_chance", "whole_gateway", "whole_home", "others_go_on", "often_silent", "part_of_gateway", "part_of_home", "only_device", "others_stopped_too"]
    """`beyond_chance`: more homes at once than chance allows; `whole_gateway`, `whole_home`: all of its devices; `others_go_on`: others of its home were heard; `often_silent`: alone several times in the week before. Unsure: `part_of_gateway`, `part_of_home`: some of its devices; `only_device`: nothing else of its home could have been heard; `others_stopped_too`: unusually many homes stopped about then."""
    first_at: str
    """When the first of its devices was last heard."""
    last_at: str
    """When the last of them was."""
    devices: int
    """How many devices it has."""
    homes: int
    """Of how many homes they are."""
    heard_again: int
    """How many of them were heard again."""
    user_id: Optional[str]
    """Id of the user. Null: there are several."""
    gateway_id: Optional[str]
    """Id of the gateway. Null: none, or several."""
    device_ids: list[str]
    """Ids of its devices, the first to stop first; 20 at most."""


class FleetSilence(TypedDict):
    silent_after_minutes: int
    """Shorter silences are not noted, in minutes."""
    devices: int
    """How many devices there are in reach."""
    homes: int
    """How many homes have one of them."""
    unwatched: list[FleetSilenceUnwatched]
    """When no worker looked. Silences that began and ended within are not known."""
    data: list[FleetSilenceData]
    """Hours or days in which devices fell silent, oldest first."""
    groups: list[FleetSilenceGroups]
    """What stopped together, the most devices first, then the latest."""
    groups_left_out: int
    """How many groups more there are."""


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
    """Usage that this forecast would have expected on the same day of that month, in kWh."""
    actual_kwh: float
    """What the home then used, in kWh."""
    last_year_kwh: Optional[float]
    """What it used in the same month of the year before, in kWh. Null: unknown."""


class ForecastForecast(TypedDict):
    start: str
    """First day of the current month."""
    end: str
    """Last day of the current month."""
    days_over: int
    """How many days of the month are over."""
    so_far_kwh: float
    """What the home has used in the month so far, in kWh."""
    expected_kwh: float
    """What the home will probably have used at the end of the month, in kWh."""
    low_kwh: float
    """Lower end of the range in which the usage of the month will probably lie, in kWh."""
    high_kwh: float
    """Upper end of this range, in kWh."""
    range_percent: int
    """Of 100 months, how many lie within the range."""
    cost: Optional[ForecastForecastCost]
    """What the month will probably cost. Null: no tariff, or for too few days."""
    past: list[ForecastForecastPast]
    """Earlier months of the home with the same forecast, the latest first."""
    mean_error: Optional[float]
    """Mean error of the forecast in these months, as a share of their usage. Null: there are none."""


class Forecast(TypedDict):
    timezone: str
    """IANA time zone of the user, in which the days are."""
    forecast: Optional[ForecastForecast]
    """Forecast of the current month. Null: too few days of the home are known."""


class Gateway(TypedDict):
    gateway_id: str
    """Id of the gateway."""
    user_id: str
    """Id of the user that it belongs to."""
    name: str
    """What its owner calls the gateway."""
    decoder_config: dict[str, Any]
    """Settings for the decoders, as they were given."""
    managed_by: Literal["owner", "utility"]
    """`utility` while a device that the utility manages comes through it: its owner then changes the name alone (403). Otherwise `owner`."""
    created_at: str
    """When it was created."""


class Group(TypedDict):
    group_id: str
    """Id of the group."""
    user_id: str
    """Id of the user that it belongs to."""
    name: str
    """What its owner calls the group."""
    kind: Optional[str]
    """What sort of group it is, such as `building` or `feeder`. Null: not said."""
    parent_group_id: Optional[str]
    """The group that it is a part of: a group of the same owner, not below this one, in a tree of 8 levels at most. Null: none."""
    members: int
    """How many homes are in it, without those of groups below it."""
    created_at: str
    """When it was created."""


class GroupEnergyInsightsDateRange(TypedDict):
    """The days that the summary is about."""

    start: str
    """First day."""
    end: str
    """Last day, inclusive: today."""


class GroupEnergyInsights(TypedDict):
    group_id: str
    """Id of the group."""
    homes: int
    """How many homes it is about: each once, with those of groups below it."""
    data: NotRequired[list[Usage]]
    """The rows, oldest first. Rows about which nothing is known are left out."""
    date_range: NotRequired[GroupEnergyInsightsDateRange]
    """The days that the summary is about."""
    kwh_used: NotRequired[float]
    """What the homes used, in kWh."""
    peak_usage_time: NotRequired[Optional[str]]
    """Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: not known."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: not known."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: not known."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy into storage, in kWh. Null: not known."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy out of storage, in kWh. Null: not known."""
    consumption_kwh: NotRequired[Optional[float]]
    """What consumption devices used, in kWh. Null: not known."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: not known."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used."""
    estimated_kwh: NotRequired[Optional[float]]
    """Part of `kwh_used` that is estimated, in kWh. Null: not known."""
    coverage: NotRequired[Optional[float]]
    """Part of the expected time that is known, 0 to 1. Null: nothing is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all of it is known. Null: nothing is expected yet."""


class ImportCredentialsCredentials(TypedDict):
    row: str
    """The row: `line 3` of CSV, its place in the list from 0 of JSON."""
    external_id: Optional[str]
    """What you call the device. Null: it has no such name."""
    device_id: str
    """Id of the device."""
    username: str
    """MQTT user name."""
    password: str
    """MQTT password. It is not shown again."""
    topic: str
    """Topic that the device publishes its readings on."""


class ImportCredentials(TypedDict):
    import_id: str
    """Id of the import."""
    credentials: list[ImportCredentialsCredentials]
    """What each new device signs in to the broker with."""


class Intensity(TypedDict):
    starts_at: str
    """From when on the value holds. It holds for the resolution of the series."""
    grams_per_kwh: str
    """Grams of CO2 equivalent of a kWh. A decimal with up to 9 places, as text."""


class JudgedMessageReadings(TypedDict):
    device: str
    """Id of the device, as the message has it."""
    channel: str
    """What it is of: `import`, `export/t1`, `gas/m3`, `room`."""
    kind: str
    """What it is, with its unit: `energy_total_kwh`, `power_w`, `temperature_c`."""
    value: Union[float, bool]
    """In the unit that the kind names."""
    ts: Optional[str]
    """Time that the message has. `null`: that of its receipt."""


class JudgedMessageAsks(TypedDict):
    device: str
    """Id of the device, as the message has it."""
    native_name: str
    """How the device calls it."""
    unit: Optional[str]
    """Its unit, where the message says it."""
    value: Union[float, bool]
    """In the unit that the kind names."""


class JudgedMessageWould(TypedDict):
    family: str
    """Family of devices that would read more of it."""
    decoder_config: dict[str, Any]
    """The setting. A zone, a unit or a number in it is an example."""


class JudgedMessageMembersProposed(TypedDict):
    unit: str
    """As `unit` of a `mapping`."""
    meaning: str
    """As `meaning` of a `mapping`."""


class JudgedMessageMembers(TypedDict):
    path: Optional[str]
    """JSONPath of the place. `null`: the payload is a plain number."""
    value: Union[float, str]
    """What is there."""
    may_be_time: bool
    """Whether it can be the time of the message."""
    proposed: Optional[JudgedMessageMembersProposed]
    """What it may be, by the unit in its name. `null`: nothing says so."""


class JudgedMessage(TypedDict):
    outcome: Literal["read", "asked", "refused", "nothing", "nobody"]
    """`read`: something counts. `asked`: nothing counts until its owner says what it is. `refused`: a family knows it, and cannot use it. `nothing`: a family knows it, and it is of no interest. `nobody`: no family knows it."""
    topic: str
    """The topic without the prefix of the gateway."""
    family: Optional[str]
    """Family of devices that reads it."""
    readings: list[JudgedMessageReadings]
    """What is read."""
    asks: list[JudgedMessageAsks]
    """What counts for nothing until its owner says what it is."""
    refused: list[str]
    """Why the message, or a part of it, cannot be used."""
    left_out: int
    """Readings that are left out, since the broker had kept the message."""
    would: list[JudgedMessageWould]
    """Which setting would help."""
    members: list[JudgedMessageMembers]
    """Places that a `mapping` of the `decoder_config` can name."""


class Key(TypedDict):
    key_id: str
    """Id of the key."""
    prefix: str
    """The first characters of the key, to recognise it by."""
    scopes: list[Literal["insights:read", "alerts:read", "alerts:write", "users:read", "users:write", "devices:read", "devices:write", "webhooks:read", "webhooks:write", "tariffs:read", "tariffs:write", "keys:write", "readings:read", "readings:write"]]
    """What the key may do. The role of its owner decides whose data it reaches."""
    expires_at: Optional[str]
    """When the key ends. Null: never."""
    group_id: NotRequired[str]
    """The group whose homes are all that the key reads. Only of keys that are limited to one."""
    device_id: NotRequired[str]
    """The device whose readings are all that the key writes. Only of keys that are limited to one."""
    home_user_id: NotRequired[str]
    """The home of another account that is all that the key reaches. Only of keys that a member made for it."""
    allowed_addresses: list[str]
    """Addresses and networks that the key may be used from. None: everywhere."""
    name: Optional[str]
    """What its owner calls the key. Null: it has no name."""
    created_at: str
    """When it was created."""
    last_used_at: Optional[str]
    """When the key was last used. Null: never."""


class ListedUserDevices(TypedDict):
    """Its devices, counted. Only with `include=devices`."""

    total: int
    """How many devices the account has."""
    silent: int
    """How many of them were not heard for 24 hours."""
    faulty: int
    """How many of them are faulty."""


class ListedUser(TypedDict):
    user_id: str
    """Id of the user."""
    email: str
    """E-mail address. That of the first administrator is `admin@localhost`."""
    role: Literal["homeowner", "utility", "admin"]
    """What the user may do: its own data, that of the homeowners it enrolled, or all."""
    created_at: str
    """When the account was created."""
    phone: Optional[str]
    """Phone number in E.164 form. Null: none was given."""
    timezone: str
    """IANA time zone of the user. Alerts use its hours, days and months, as do requests with `tz=account`."""
    plan: Literal["free", "developer", "enterprise"]
    """Plan that sets the rate limits of the account."""
    emission_series_id: Optional[str]
    """Emission series by which the emissions of the home are computed. Null: none."""
    remarks_by_mail: bool
    """Whether the user gets a mail about each new remark on its home."""
    pending_email: NotRequired[str]
    """E-mail address that the account will have once the link of a mail to it was used. Only while it waits, at most 7 days."""
    devices: NotRequired[ListedUserDevices]
    """Its devices, counted. Only with `include=devices`."""


class Member(TypedDict):
    member_id: str
    """Id of the membership."""
    email: str
    """Address of the member’s account; of an invitation, the address that it was mailed to."""
    access: Literal["read", "manage"]
    """`read`: sees everything of the home, without its export. `manage`: changes it, too, but not its members, keys or e-mail address, and cannot export or delete the account."""
    status: Literal["invited", "active"]
    """`invited` until the invitation is accepted."""
    created_at: str
    """When it was created."""
    expires_at: Optional[str]
    """When the invitation ends. Null: it was accepted."""
    accepted_at: Optional[str]
    """When the invitation was accepted. Null: it was not yet."""
    last_used_at: Optional[str]
    """When a key that the member made for the home was last used. Null: never."""


class Membership(TypedDict):
    member_id: str
    """Id of the membership."""
    home_user_id: str
    """Id of the home’s account. Requests of a session name it as `user_id`."""
    home_email: str
    """E-mail address of the home’s account."""
    access: Literal["read", "manage"]
    """`read`: sees everything of the home, without its export. `manage`: changes it, too, but not its members, keys or e-mail address, and cannot export or delete the account."""
    accepted_at: str
    """When the invitation was accepted."""


class Message(TypedDict):
    message: str
    """What was done, for a person to read."""


class MonthQualityFindings(TypedDict):
    """What readings were taken for that were not plainly counted."""

    glitches: int
    """Readings that were false: what came before and after them fits."""
    overlaps: int
    """Interval readings that overlap one that counts."""
    late_news: int
    """Readings in which a frozen source told all that it had kept back, spread over the time since."""
    passed_over: int
    """Readings that such a source had repeated meanwhile."""
    taken_back: int
    """Readings that showed that the one before them was false."""
    jitter: int
    """Small steps back, as of a register that loses its fraction."""
    resets: int
    """The register began again from zero."""
    rollovers: int
    """The register passed its maximum."""
    swaps: int
    """Another register took over: the history is split there, and nothing is counted over the step."""
    held: int
    """Readings that are implausible, and wait for the next ones to say what they were."""


class MonthQualityRejections(TypedDict):
    reason: str
    """Why they were refused."""
    count: int
    """How many."""


class MonthQuality(TypedDict):
    month: str
    """Month of the time zone `tz`, as `YYYY-MM`."""
    intervals_expected: int
    """Quarter-hours of the month that are over, from the first that the device told of on. What is expected is time, not messages: a register that sends when it changes tells of the time before, too."""
    intervals_received: int
    """Of these: known throughout, by readings at most an hour apart."""
    intervals_estimated: int
    """Of these: with energy that was spread over a silence of more than an hour."""
    intervals_partial: int
    """Of these: known for a part of the time, or of the channels."""
    intervals_missing: int
    """Of these: of which nothing is known."""
    import_kwh: float
    """What flowed in, in kWh, to the mWh."""
    export_kwh: float
    """What flowed out, in kWh, to the mWh."""
    estimated_import_kwh: float
    """Part of `import_kwh` that was spread over silences, in kWh."""
    estimated_export_kwh: float
    """Part of `export_kwh` that was spread over silences, in kWh."""
    readings: int
    """Readings that count."""
    late_readings: int
    """Readings that came when a later one of their channel was stored already."""
    corrected_hours: int
    """Hours whose energy changed after it was known."""
    import_change_kwh: float
    """By how much that changed the import of the month, in kWh."""
    export_change_kwh: float
    """By how much that changed the export of the month, in kWh."""
    findings: MonthQualityFindings
    """What readings were taken for that were not plainly counted."""
    excluded_readings: int
    """Readings of the month that edits pass over, as long as readings are kept."""
    added_readings: int
    """Readings of the month that a person read, and that edits added."""
    edits: list[str]
    """Ids of the edits in force that are about a time of the month."""
    rejected: int
    """Messages and elements that were refused in the month, of the last 90 days."""
    rejections: list[MonthQualityRejections]
    """The reasons, the most frequent first."""


class MonthlyAnalyticsData(TypedDict):
    month: str
    """Month of the time zone `tz`, as `YYYY-MM`."""
    kwh_used: float
    """What the home used in the month, in kWh."""
    avg_daily_kwh: float
    """Mean of the days about which something is known, in kWh."""
    peak_hour: Optional[str]
    """Hour of the day with the highest usage in the month. Null: none qualifies."""
    change_kwh: Optional[float]
    """Change against the month before, in kWh. Null: nothing is known of that month."""
    change_percent: Optional[float]
    """Change against the month before, in percent. Null: nothing was used, or is known, in that month."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    partial: NotRequired[Literal[True]]
    """The month is not over, and is compared with the same days of the month before."""


class MonthlyAnalytics(TypedDict):
    user_id: str
    """Id of the user that it belongs to."""
    data: list[MonthlyAnalyticsData]
    """The months, oldest first. Months without data are left out."""


class NewSeriesSource(TypedDict):
    preset: NotRequired[str]
    """A public source, by name, such as `awattar_de`, `energi_data_service_dk1`, `octopus_agile_c`, `entsoe_fr`, or `carbon_intensity_gb` for emissions. Its address, times and units are known."""
    token: NotRequired[str]
    """Token of the preset, such as that of ENTSO-E. It is stored encrypted and never returned."""
    url: NotRequired[str]
    """HTTPS address of the values, without credentials."""
    format: NotRequired[Literal["json", "csv", "xml"]]
    """Format of its answers."""
    items: NotRequired[str]
    """JSON: path of the list of rows, such as `$.data`; default: the whole answer. XML: name of the element that contains a row. Not for CSV."""
    starts_at: NotRequired[str]
    """Where a row has the start of its value: JSONPath from the row, CSV column, or XML element. It is ISO 8601, or Unix seconds or milliseconds."""
    value: NotRequired[str]
    """Where a row has the price, or the grams of CO2 equivalent, of a kWh."""
    scale: NotRequired[Union[str, float]]
    """Factor on the values, such as 0.001 for prices of a MWh. Default: 1."""
    timezone: NotRequired[str]
    """IANA time zone of `at`, and of times without an offset in the answer. Default: UTC."""
    headers: NotRequired[dict[str, Any]]
    """Headers of the request, such as a key. They are stored encrypted and never returned."""
    at: NotRequired[list[str]]
    """Times of day at which it is fetched, HH:MM, up to 24."""


class PairedDeviceMqtt(TypedDict):
    """How the device signs in to the broker. Not with `discovery_id`: its gateway signs in."""

    username: str
    """MQTT user name."""
    password: str
    """MQTT password. It is not shown again."""
    topic: str
    """Topic that the device publishes its readings on."""


class PairedDevice(TypedDict):
    device_id: str
    """Id of the device."""
    type: str
    """What kind of device it is, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Where the device is, in the words of its owner."""
    status: Literal["active", "inactive", "faulty"]
    """`inactive` until the first reading and after 24 h of silence; `faulty` when the device says so, or when most of its last readings were rejected."""
    last_seen_at: Optional[str]
    """When its last valid reading was received. Null: never."""
    placement: Literal["grid", "production", "storage", "consumption", "excluded"]
    """Where the device sits in its home. `excluded`: it does not count."""
    upstream_device_id: Optional[str]
    """Id of the device whose measurement includes this one. Null: none."""
    attention: list[Literal["unknown_quantity", "faulty", "silent", "placement_guessed", "swap_guessed"]]
    """What its owner should look at. Empty: nothing."""
    mqtt: NotRequired[PairedDeviceMqtt]
    """How the device signs in to the broker. Not with `discovery_id`: its gateway signs in."""


class Price(TypedDict):
    starts_at: str
    """From when on the value holds. It holds for the resolution of the series."""
    per_kwh: str
    """Price of a kWh. A decimal with up to 9 places, as text."""


class PriceSeries(TypedDict):
    series_id: str
    """Id of the price series."""
    user_id: str
    """Id of the user that it belongs to."""
    name: str
    """What the owner calls it, such as the market that the prices are of."""
    currency: str
    """Currency of the prices (ISO 4217), such as `EUR`."""
    resolution_minutes: Literal[15, 30, 60]
    """For how long each value holds, in minutes."""
    source: NotRequired[SeriesSource]
    """Where the series fetches its values. Absent: it does not, or the caller may not change it."""
    last_fetched_at: NotRequired[Optional[str]]
    """When values were last fetched. Null: never yet."""
    next_fetch_at: NotRequired[str]
    """When the source is fetched next."""
    last_error: NotRequired[Optional[str]]
    """What was wrong with the last fetch, or with rows of its answer. Null: nothing."""


class ProvisioningBatch(TypedDict):
    batch_id: str
    """Id of the batch."""
    user_id: str
    """Id of the user that it belongs to."""
    owner_user_id: Optional[str]
    """Id of the user that gets a meter whose serial no device has as its `external_id`. Null: such a meter is refused."""
    name: str
    """What you call the batch."""
    type: str
    """Type of the devices that are made."""
    location: str
    """Location of the devices that are made."""
    serial_count: Optional[int]
    """How many serials alone may claim. Null: any may."""
    max_devices: int
    """How many meters may claim a device."""
    claimed: int
    """How many have."""
    expires_at: str
    """When nothing claims with it any more."""
    revoked_at: Optional[str]
    """When it was revoked. Null: it was not."""
    created_at: str
    """When it was created."""


RatesPeriods = TypedDict("RatesPeriods", {
    "per_kwh": "str",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class Rates(TypedDict):
    per_kwh: NotRequired[str]
    """Price of a kWh. A decimal with up to 9 places, as text."""
    periods: NotRequired[list[RatesPeriods]]
    """Prices by the clock, weekday and month. The first that fits holds; the last one has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price of a kWh is that of the series × `multiply` + `add`."""
    add: NotRequired[str]
    """What is added to the price of a kWh after that. Default: 0. A decimal with up to 9 places, as text."""
    multiply: NotRequired[str]
    """Factor on the price of the series, such as 1.19 for a tax. Default: 1. A decimal with up to 9 places, as text."""


class ReadingEdit(TypedDict):
    edit_id: str
    """Id of the edit."""
    device_id: str
    """Id of the device."""
    action: Literal["exclude", "add"]
    """`exclude`: readings of a time are passed over, whenever they come. `add`: a person read a register; it counts as any reading that comes late, and in the place of one that was sent for the same instant."""
    native_name: Optional[str]
    """What the device calls the quantity, as its `channels` do. Null: every quantity of the device."""
    start: Optional[str]
    """Of `exclude`: from this time on. Readings have the time at which they were taken; of intervals that is their end."""
    end: Optional[str]
    """Of `exclude`: up to this time, which is not excluded any more."""
    at: Optional[str]
    """Of `add`: when it was read."""
    kwh: Optional[float]
    """Of `add`: what the register showed, in kWh (m³ where it counts a volume)."""
    reason: str
    """Why, in the words of who edits."""
    status: Literal["in_force", "revoked"]
    """A `revoked` edit has no effect any more, and stays to be seen."""
    is_computed: bool
    """Whether consumption is computed so by now: within seconds of a change, of months of frequent readings within minutes."""
    author: Optional[str]
    """Id of the user who made it; `clock`: the clock of a host was set back, and what it received without a time in that stretch would count twice. A register goes on from its first reading in the stretch. Null: the account was erased."""
    created_at: str
    """When it was created."""
    revoked_by: Optional[str]
    """Id of the user who revoked it. Null: nobody, or the account was erased."""
    revoked_at: Optional[str]
    """When it was revoked. Null: it was not."""


RegisterReading = TypedDict("RegisterReading", {
    "kwh": "str",
    "at": "str",
    "is": "Literal['measured', 'by_hand', 'interpolated', 'last']",
})


class RejectedRow(TypedDict):
    row: int
    """Number of the row in the answer, from 1."""
    message: str
    """What is wrong with it."""


class Remark(TypedDict):
    kind: Union[Union[Union[Union[Union[Literal["stays_on"], Literal["night_rose"]], Literal["device_uses_more"]], Literal["production_missing"]], Literal["unusual_day"]], Literal["cheaper_tariff"]]
    """What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months."""
    since: NotRequired[str]
    """Start of the condition."""
    until: NotRequired[str]
    """Time up to which the condition is known."""
    least_w: NotRequired[int]
    """Lowest power of the home since then, in watts."""
    usual_w: NotRequired[int]
    """Median of the same value on the days that it is compared with, in watts."""
    device_id: NotRequired[Union[Optional[str], str]]
    """Id of the device that it is about, or that causes most of a rise. Null: unknown."""
    location: NotRequired[Union[Optional[str], str]]
    """Where this device is. Null: unknown."""
    compared: NotRequired[Union[Union[Union[list[ComparedWatts], list[ComparedKwh]], list[ComparedKwh]], list[ComparedDay]]]
    """Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself."""
    quiet_w: NotRequired[int]
    """Mean power of the quietest two hours of the last day, in watts."""
    kwh: NotRequired[float]
    """Usage of the device in the last 24 hours, or of the home on the day, in kWh."""
    usual_kwh: NotRequired[float]
    """Median of the same value on the days that it is compared with, in kWh."""
    expected_kwh: NotRequired[float]
    """Energy that the panels would have produced since then on a poor day, in kWh."""
    is_silent: NotRequired[bool]
    """Whether the production is unknown, instead of known to be 0."""
    date: NotRequired[str]
    """The day, in the time zone of the user."""
    weekday: NotRequired[int]
    """Its weekday: 1 is Monday."""
    start: NotRequired[str]
    """First day of the comparison, in the time zone of the user."""
    end: NotRequired[str]
    """Last day of the comparison, inclusive."""
    tariff_id: NotRequired[str]
    """Id of the cheaper tariff."""
    name: NotRequired[str]
    """Its name."""
    currency: NotRequired[str]
    """Currency of both amounts (ISO 4217)."""
    paid: NotRequired[str]
    """Cost of these months by the tariffs that held, a decimal."""
    would_have_paid: NotRequired[str]
    """Cost of these months by the cheaper tariff, a decimal."""


class RemarkRaisedEventData(TypedDict):
    kind: Union[Union[Union[Union[Union[Literal["stays_on"], Literal["night_rose"]], Literal["device_uses_more"]], Literal["production_missing"]], Literal["unusual_day"]], Literal["cheaper_tariff"]]
    """What the remark is about. `stays_on`: a load that used to be off at times; `night_rose`: the quietest two hours; `device_uses_more`: a device whose usage hardly varies; `production_missing`: panels that produce nothing; `unusual_day`: a day with far more usage than its weekday has; `cheaper_tariff`: a tariff that would have cost less in the last twelve whole months."""
    since: NotRequired[str]
    """Start of the condition."""
    until: NotRequired[str]
    """Time up to which the condition is known."""
    least_w: NotRequired[int]
    """Lowest power of the home since then, in watts."""
    usual_w: NotRequired[int]
    """Median of the same value on the days that it is compared with, in watts."""
    device_id: NotRequired[Union[Optional[str], str]]
    """Id of the device that it is about, or that causes most of a rise. Null: unknown."""
    location: NotRequired[Union[Optional[str], str]]
    """Where this device is. Null: unknown."""
    compared: NotRequired[Union[Union[Union[list[ComparedWatts], list[ComparedKwh]], list[ComparedKwh]], list[ComparedDay]]]
    """Values of earlier days, oldest first. With `at`, the last one is the value of the remark itself."""
    user_id: str
    """Id of the user that the remark is about."""
    quiet_w: NotRequired[int]
    """Mean power of the quietest two hours of the last day, in watts."""
    kwh: NotRequired[float]
    """Usage of the device in the last 24 hours, or of the home on the day, in kWh."""
    usual_kwh: NotRequired[float]
    """Median of the same value on the days that it is compared with, in kWh."""
    expected_kwh: NotRequired[float]
    """Energy that the panels would have produced since then on a poor day, in kWh."""
    is_silent: NotRequired[bool]
    """Whether the production is unknown, instead of known to be 0."""
    date: NotRequired[str]
    """The day, in the time zone of the user."""
    weekday: NotRequired[int]
    """Its weekday: 1 is Monday."""
    start: NotRequired[str]
    """First day of the comparison, in the time zone of the user."""
    end: NotRequired[str]
    """Last day of the comparison, inclusive."""
    tariff_id: NotRequired[str]
    """Id of the cheaper tariff."""
    name: NotRequired[str]
    """Its name."""
    currency: NotRequired[str]
    """Currency of both amounts (ISO 4217)."""
    paid: NotRequired[str]
    """Cost of these months by the tariffs that held, a decimal."""
    would_have_paid: NotRequired[str]
    """Cost of these months by the cheaper tariff, a decimal."""


class RemarkRaisedEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["remark.raised"]
    """Type of the event."""
    created_at: str
    """When the event happened."""
    environment: Literal["live", "sandbox"]
    """Which installation it happened in."""
    data: RemarkRaisedEventData
    """What the event is about."""


class Remarks(TypedDict):
    timezone: str
    """IANA time zone of the user, in which the days are."""
    remarks: list[Remark]
    """Current remarks on the home, the most urgent first. Empty: nothing is unusual."""


class RotatedKey(TypedDict):
    key_id: str
    """Id of the key."""
    prefix: str
    """The first characters of the key, to recognise it by."""
    scopes: list[Literal["insights:read", "alerts:read", "alerts:write", "users:read", "users:write", "devices:read", "devices:write", "webhooks:read", "webhooks:write", "tariffs:read", "tariffs:write", "keys:write", "readings:read", "readings:write"]]
    """What the key may do. The role of its owner decides whose data it reaches."""
    expires_at: Optional[str]
    """When the key ends. Null: never."""
    group_id: NotRequired[str]
    """The group whose homes are all that the key reads. Only of keys that are limited to one."""
    device_id: NotRequired[str]
    """The device whose readings are all that the key writes. Only of keys that are limited to one."""
    home_user_id: NotRequired[str]
    """The home of another account that is all that the key reaches. Only of keys that a member made for it."""
    allowed_addresses: list[str]
    """Addresses and networks that the key may be used from. None: everywhere."""
    key: str
    """The key itself. It is not shown again."""
    old_expires_at: str
    """When the old key ends."""


class SentDeliveryAttempts(TypedDict):
    at: str
    """When it was tried."""
    response_status: Optional[int]
    """Status code of the receiver. Null: no answer."""
    duration_ms: float
    """How long the attempt took, in milliseconds."""
    error: Optional[str]
    """Why the attempt failed. Null: it succeeded."""


class SentDeliveryRequest(TypedDict):
    """What is sent."""

    url: str
    """Where the next try would go: the address of the subscription."""
    headers: dict[str, Any]
    """Headers of the request. With a signature only where the address is `https://catcher.example`."""
    body: str
    """The body, the same at every try: the event."""


class SentDelivery(TypedDict):
    delivery_id: str
    """Id of the delivery."""
    event_id: str
    """Id of the event: `id` of its body, the same in every attempt."""
    event: str
    """Type of the event."""
    status: Literal["pending", "succeeded", "failed"]
    """`failed` once all retries have failed."""
    attempts: list[SentDeliveryAttempts]
    """The attempts so far, oldest first."""
    next_attempt_at: Optional[str]
    """When it is tried next. Null: it is not, or the subscription is paused."""
    request: SentDeliveryRequest
    """What is sent."""


class SentReading(TypedDict):
    ts: Union[str, float]
    """When it was measured: ISO 8601 with a zone, Unix seconds or Unix milliseconds. Of an interval: its end."""
    energy_total_kwh: NotRequired[float]
    """What the register shows, in kWh."""
    energy_kwh: NotRequired[float]
    """Energy of an interval, in kWh. Needs `interval_s`."""
    interval_s: NotRequired[float]
    """Length of the interval, in seconds."""
    power_w: NotRequired[float]
    """Power, in watts."""
    channel: NotRequired[str]
    """Which circuit or direction is measured. Default: `import`."""
    temperature_c: NotRequired[float]
    """Temperature, in °C."""
    setpoint_c: NotRequired[float]
    """Set temperature, in °C."""
    heating: NotRequired[bool]
    """Whether it heats."""
    humidity_percent: NotRequired[float]
    """Relative humidity, in percent."""


class SentReadingsRejected(TypedDict):
    index: int
    """Position of the element in the body, from 0."""
    reason: str
    """Why it, or a quantity of it, was not stored."""


class SentReadings(TypedDict):
    stored: int
    """How many readings were stored: one for each quantity of an element."""
    duplicates: int
    """How many were stored already."""
    rejected: list[SentReadingsRejected]
    """Elements that were not stored."""


class SeriesSource(TypedDict):
    preset: NotRequired[str]
    """A public source, by name, such as `awattar_de`, `energi_data_service_dk1`, `octopus_agile_c`, `entsoe_fr`, or `carbon_intensity_gb` for emissions. Its address, times and units are known."""
    url: NotRequired[str]
    """HTTPS address of the values, without credentials."""
    format: NotRequired[Literal["json", "csv", "xml"]]
    """Format of its answers."""
    items: NotRequired[str]
    """JSON: path of the list of rows, such as `$.data`; default: the whole answer. XML: name of the element that contains a row. Not for CSV."""
    starts_at: NotRequired[str]
    """Where a row has the start of its value: JSONPath from the row, CSV column, or XML element. It is ISO 8601, or Unix seconds or milliseconds."""
    value: NotRequired[str]
    """Where a row has the price, or the grams of CO2 equivalent, of a kWh."""
    scale: NotRequired[str]
    """Factor on the values, such as 0.001 for prices of a MWh. Default: 1."""
    timezone: NotRequired[str]
    """IANA time zone of `at`, and of times without an offset in the answer. Default: UTC."""
    at: NotRequired[list[str]]
    """Times of day at which it is fetched, HH:MM, up to 24."""


class SummarySummary(TypedDict):
    """The members that `metrics` and `include` ask for."""

    total_kwh: NotRequired[float]
    """What the home used, in kWh."""
    avg_daily_kwh: NotRequired[float]
    """Mean of the days with data, in kWh."""
    peak_usage_time: NotRequired[Optional[str]]
    """Hour with the highest usage, as `HH:00`; over several days the hour of the day. Null: nothing was used, or no hour qualifies."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: not known."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: not known."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: not known."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy into storage, in kWh. Null: not known."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy out of storage, in kWh. Null: not known."""
    consumption_kwh: NotRequired[Optional[float]]
    """What consumption devices used, in kWh. Null: not known."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: not known."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used."""
    estimated_kwh: NotRequired[Optional[float]]
    """Part of `kwh_used` that is estimated, in kWh. Null: not known."""
    coverage: NotRequired[Optional[float]]
    """Part of the expected time that is known, 0 to 1. Null: nothing is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all of it is known. Null: nothing is expected yet."""


class Summary(TypedDict):
    summary: SummarySummary
    """The members that `metrics` and `include` ask for."""


class TariffCapacity(TypedDict):
    """What the highest quarter-hour of a month costs. Default: nothing."""

    per_kw_month: str
    """Price of a kW of the peak, for a month. A decimal with up to 9 places, as text."""
    months_averaged: NotRequired[int]
    """Over how many months the peaks are averaged. Default: 1."""
    minimum_kw: NotRequired[float]
    """What a peak counts as at least, in kW. Default: 0."""


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
    """Its topic, below the gateway's prefix."""
    payload: str
    """Its payload, of which the first 4 KiB are kept."""
    encoding: Literal["utf-8", "base64"]
    """What `payload` is: the text, or bytes that are none."""
    payload_bytes: int
    """How long the whole payload was, in bytes."""
    received_at: str
    """When it was received."""


class UnreadMessages(TypedDict):
    shape: str
    """Topic below the gateway's prefix, where `+` stands for what tells one device from others, and `#` for what follows. `#` alone: of all further shapes."""
    count: int
    """How many messages, since the first."""
    first_seen_at: str
    """When the first of them was received."""
    last_seen_at: str
    """When the last of them was received."""
    example: Optional[UnreadMessagesExample]
    """One of them, kept for 24 hours. Null: none is kept, as of what receivers hear of neighbours by radio; or the key is limited to a group of homes."""


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
    """What the home used, in kWh. Null: not known, while something in `include` is."""
    peak_hour: Optional[str]
    """Hour with the highest usage, as `HH:00`; over several days the hour of the day. A row by hour, half-hour or quarter-hour names its own start. Null: nothing was used, or no hour qualifies."""
    cost: NotRequired[Cost]
    emissions: NotRequired[Emissions]
    grid_import_kwh: NotRequired[Optional[float]]
    """Energy from the grid, in kWh. Null: not known."""
    grid_export_kwh: NotRequired[Optional[float]]
    """Energy to the grid, in kWh. Null: not known."""
    production_kwh: NotRequired[Optional[float]]
    """Energy that the home produced, in kWh. Null: not known."""
    charged_kwh: NotRequired[Optional[float]]
    """Energy into storage, in kWh. Null: not known."""
    discharged_kwh: NotRequired[Optional[float]]
    """Energy out of storage, in kWh. Null: not known."""
    consumption_kwh: NotRequired[Optional[float]]
    """What consumption devices used, in kWh. Null: not known."""
    untracked_kwh: NotRequired[Optional[float]]
    """`kwh_used` without `consumption_kwh`, in kWh; may be negative. Null: not known."""
    self_consumed_kwh: NotRequired[Optional[float]]
    """Production that was not exported, in kWh. Null: not known."""
    autarky: NotRequired[Optional[float]]
    """Part of the usage that did not come from the grid, 0 to 1. Null: not known, or nothing was used."""
    estimated_kwh: NotRequired[Optional[float]]
    """Part of `kwh_used` that is estimated, in kWh. Null: not known."""
    coverage: NotRequired[Optional[float]]
    """Part of the expected time that is known, 0 to 1. Null: nothing is expected yet."""
    complete: NotRequired[Optional[bool]]
    """Whether all of it is known. Null: nothing is expected yet."""


class UsageUpdatedEventDataHours(TypedDict):
    date: str
    """Day of the hour, in UTC."""
    hour: str
    """Start of the hour, in UTC, as `HH:00`."""
    kwh_used: float
    """What the home used in the hour, in kWh. Replaces what was reported before."""


class UsageUpdatedEventData(TypedDict):
    """What the event is about."""

    user_id: str
    """Id of the user that the event is about."""
    hours: list[UsageUpdatedEventDataHours]
    """The hours that changed since the last event, at most 1,000. Further hours follow in the next event."""
    updated_at: str
    """When these values were read."""


class UsageUpdatedEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["usage.updated"]
    """Type of the event."""
    created_at: str
    """When the event happened."""
    environment: Literal["live", "sandbox"]
    """Which installation it happened in."""
    data: UsageUpdatedEventData
    """What the event is about."""


class User(TypedDict):
    user_id: str
    """Id of the user."""
    email: str
    """E-mail address. That of the first administrator is `admin@localhost`."""
    role: Literal["homeowner", "utility", "admin"]
    """What the user may do: its own data, that of the homeowners it enrolled, or all."""
    created_at: str
    """When the account was created."""
    phone: Optional[str]
    """Phone number in E.164 form. Null: none was given."""
    timezone: str
    """IANA time zone of the user. Alerts use its hours, days and months, as do requests with `tz=account`."""
    plan: Literal["free", "developer", "enterprise"]
    """Plan that sets the rate limits of the account."""
    emission_series_id: Optional[str]
    """Emission series by which the emissions of the home are computed. Null: none."""
    remarks_by_mail: bool
    """Whether the user gets a mail about each new remark on its home."""
    pending_email: NotRequired[str]
    """E-mail address that the account will have once the link of a mail to it was used. Only while it waits, at most 7 days."""


class UserCreatedEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["user.created"]
    """Type of the event."""
    created_at: str
    """When the event happened."""
    environment: Literal["live", "sandbox"]
    """Which installation it happened in."""
    data: User
    """What the event is about."""


class Webhook(TypedDict):
    webhook_id: str
    """Id of the subscription."""
    event: Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]
    """The first of `events`."""
    events: list[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]
    """Events that are subscribed to."""
    url: str
    """HTTPS address that events are sent to."""
    status: Literal["active", "paused"]
    """Nothing is sent while it is paused. Events wait up to 7 days, and are sent when it is resumed."""
    created_at: str
    """When it was created."""


class WebhookTestEventData(TypedDict):
    """What the event is about."""

    webhook_id: str
    """Id of the subscription that is tested."""


class WebhookTestEvent(TypedDict):
    id: str
    """Id of the event, the same in every attempt."""
    type: Literal["webhook.test"]
    """Type of the event."""
    created_at: str
    """When the event happened."""
    environment: Literal["live", "sandbox"]
    """Which installation it happened in."""
    data: WebhookTestEventData
    """What the event is about."""


class PostEnergyInsightsBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    interval: NotRequired[Literal["day", "week", "month", "year"]]
    """The current calendar day, week, month or year, up to now. Required unless `start` and `end` are given."""
    start: NotRequired[str]
    """First day of the range, in the time zone `tz`. Needs `end`."""
    end: NotRequired[str]
    """Last day of the range, inclusive. Needs `start`."""
    tz: NotRequired[str]
    """IANA time zone of the days and hours. `account`: the time zone of the user."""
    include: NotRequired[str]
    """What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name."""
    metrics: NotRequired[list[Literal["kwh_used", "peak_hour"]]]
    """Which members the summary has: `total_kwh` and `avg_daily_kwh`, `peak_usage_time`, or all."""


class CreateAlertBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    type: Literal["peak_usage", "daily_usage", "monthly_usage", "daily_cost", "monthly_cost", "no_data"]
    """What the alert watches: what is used in any clock hour (`peak_usage`), in a day or in a month, what a day or a month costs, or the silence of a device (`no_data`)."""
    threshold_kwh: NotRequired[float]
    """Usage above which the alert fires, in kWh. Only with types on usage, and required there."""
    threshold: NotRequired[Union[str, float]]
    """Total cost above which the alert fires, in the currency of the tariff that holds. Only with types on costs, and required there."""
    threshold_hours: NotRequired[int]
    """Silence after which the alert fires, in hours. Only with type `no_data`, and required there."""
    delivery: Literal["email", "sms", "webhook"]
    """How the user is told."""


class CreateAlertAnswer(TypedDict):
    alert_id: str
    """Id of the alert."""
    status: str
    """`active`: the alert watches from now on."""


class UpdateAlertBody(TypedDict):
    threshold_kwh: NotRequired[float]
    """Usage above which the alert fires, in kWh. Only with types on usage, and required there."""
    threshold: NotRequired[Union[str, float]]
    """Total cost above which the alert fires, in the currency of the tariff that holds. Only with types on costs, and required there."""
    threshold_hours: NotRequired[int]
    """Silence after which the alert fires, in hours. Only with type `no_data`, and required there."""
    delivery: NotRequired[Literal["email", "sms", "webhook"]]
    """How the user is told."""
    status: NotRequired[Literal["active", "paused"]]
    """A paused alert does not fire."""


class PreviewAlertBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    type: Literal["peak_usage", "daily_usage", "monthly_usage", "daily_cost", "monthly_cost", "no_data"]
    """What the alert watches: what is used in any clock hour (`peak_usage`), in a day or in a month, what a day or a month costs, or the silence of a device (`no_data`)."""
    threshold_kwh: NotRequired[float]
    """Usage above which the alert fires, in kWh. Only with types on usage, and required there."""
    threshold: NotRequired[Union[str, float]]
    """Total cost above which the alert fires, in the currency of the tariff that holds. Only with types on costs, and required there."""
    threshold_hours: NotRequired[int]
    """Silence after which the alert fires, in hours. Only with type `no_data`, and required there."""


class CreateUserBody(TypedDict):
    email: str
    """E-mail address. No other account may have it, in whatever case."""
    role: Literal["homeowner", "utility", "admin"]
    """What the user may do: its own data, that of the homeowners it enrolled, or all."""
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
    """`created`."""


class UpdateUserBody(TypedDict):
    email: NotRequired[str]
    """E-mail address. No other account may have it, in whatever case."""
    phone: NotRequired[Optional[str]]
    """Phone number in E.164 form. Null removes it."""
    role: NotRequired[Literal["homeowner", "utility", "admin"]]
    """What the user may do: its own data, that of the homeowners it enrolled, or all."""
    timezone: NotRequired[str]
    """IANA time zone of the user, such as Europe/Berlin. Default: UTC."""
    plan: NotRequired[Literal["free", "developer", "enterprise"]]
    """Plan that sets the rate limits of the account."""
    emission_series_id: NotRequired[Optional[str]]
    """Emission series of the user, of its utility or of an administrator, for `include=emissions`. Null removes it."""
    remarks_by_mail: NotRequired[bool]
    """Whether the user gets a mail about each new remark on its home, in the language of `Accept-Language` (en, de, es, fr or nl) of the request that switches them on."""


class CreateWebhookBody(TypedDict):
    event: NotRequired[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]
    """Event that is subscribed to. Not together with `events`."""
    events: NotRequired[list[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]]
    """Events that are subscribed to, each once, instead of `event`."""
    url: str
    """HTTPS address that events are sent to, without credentials. `https://catcher.example` is answered by the service itself: to see events without a server."""
    auth_token: str
    """Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never answered."""


class CreateWebhookAnswer(TypedDict):
    webhook_id: str
    """Id of the subscription."""
    status: str
    """`active`: events are sent from now on."""


class UpdateWebhookBody(TypedDict):
    event: NotRequired[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]
    """Event that is subscribed to. Not together with `events`."""
    events: NotRequired[list[Literal["usage.updated", "alert.triggered", "device.connected", "user.created", "remark.raised"]]]
    """Events that are subscribed to, each once, instead of `event`."""
    url: NotRequired[str]
    """HTTPS address that events are sent to, without credentials. `https://catcher.example` is answered by the service itself: to see events without a server."""
    auth_token: NotRequired[str]
    """Secret that signs the events: `whsec_` and base64 of 24 to 64 bytes, or 8 to 256 printable ASCII characters. It is never answered."""
    status: NotRequired[Literal["active", "paused"]]
    """Nothing is sent while it is paused. Events wait up to 7 days, and are sent when it is resumed."""


class CreateDeviceBodyChannels(TypedDict):
    native_name: str
    """What the device calls the quantity."""
    counts_as: NotRequired[Optional[str]]
    """What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water`, `production` (an inverter’s), `charged` or `discharged` (a battery’s), or `ignored`. Null takes back what was said."""
    placement: NotRequired[Optional[Literal["grid", "production", "storage", "consumption", "excluded"]]]
    """Where the quantity is measured. Null: where its device is."""


class CreateDeviceBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    type: str
    """What kind of device it is, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Where the device is, in the words of its owner."""
    limit_kw: NotRequired[float]
    """Highest plausible load, in kW. A register that rises faster is held until later readings confirm it."""
    register_max_kwh: NotRequired[float]
    """Value at which the register starts again at 0, in kWh. Default: it never does."""
    max_gap_minutes: NotRequired[float]
    """Longest silence that power readings are integrated over, in minutes."""
    timezone: NotRequired[str]
    """IANA time zone of a device that reports local time. Default: that of its owner."""
    placement: NotRequired[Literal["grid", "production", "storage", "consumption", "excluded"]]
    """Where the device sits in its home. `excluded`: it does not count. Default: a guess from what it is."""
    upstream_device_id: NotRequired[str]
    """Id of the device whose measurement includes this one. Default: none."""
    channels: NotRequired[list[CreateDeviceBodyChannels]]
    """What quantities of the device count as. Those that are not named stay as they are."""
    external_id: NotRequired[str]
    """What a utility or an administrator calls the device: a serial or asset number. Once in an account."""
    discovery_id: NotRequired[str]
    """Pairs this discovered device, which keeps the credentials of its gateway."""


class UpdateDeviceBodyDecoderConfigSenml(TypedDict):
    """Where SenML is published."""

    topics: list[str]
    """MQTT topic filters on which SenML packs arrive."""


class UpdateDeviceBodyDecoderConfigZigbee2mqtt(TypedDict):
    """How Zigbee2MQTT publishes."""

    output: NotRequired[Literal["json", "attribute", "attribute_and_json"]]
    """How it publishes (its setting `output`)."""
    devices: NotRequired[list[str]]
    """With `attribute`: the names of its devices, which may contain slashes."""


class UpdateDeviceBodyDecoderConfigZwavejs(TypedDict):
    """How Z-Wave JS UI publishes."""

    temperature_unit: NotRequired[Literal["C", "F"]]
    """Scale of its temperatures, where a message does not say."""


class UpdateDeviceBodyDecoderConfigMapping(TypedDict):
    topic: str
    """MQTT topic, as the device’s own broker has it, or a filter: `+` stands for one level, and names the device."""
    device: NotRequired[str]
    """What the device is called. `+` in it is what the wildcards of the topic stand for. Default: `+`, or the whole topic where it has none."""
    path: NotRequired[str]
    """JSONPath (RFC 9535) of one place in the payload, JSON or a text such as `a=1,b=2`. Left out: the payload is a plain number."""
    where: NotRequired[dict[str, Any]]
    """What the payload must say, each a JSONPath and its value: `{"$.idx": 51}`. For topics on which several devices publish."""
    unit: Literal["kWh", "Wh", "MWh", "MJ", "GJ", "W", "kW", "m3", "l", "C", "F"]
    """Unit of the number."""
    scale: NotRequired[float]
    """How many of that unit 1 is. Below 0: a power whose sign is the other way round."""
    meaning: str
    """What the number is. Energy and volumes are lifetime totals. `power`: signed, below 0 where energy flows to the grid. `production`: of a device that only produces."""
    circuit: NotRequired[str]
    """A word that tells two quantities of one device apart that mean the same."""
    time_path: NotRequired[str]
    """JSONPath of the message’s own time. Left out, or no time there: that of its receipt."""
    time_unit: NotRequired[Literal["s", "ms", "iso"]]
    """Unix seconds or milliseconds, or ISO 8601. Default: told by its form, and a number by its size."""


class UpdateDeviceBodyDecoderConfig(TypedDict):
    """Settings for the decoders, for what devices do not report themselves. Unknown members are kept."""

    tz: NotRequired[str]
    """IANA time zone of devices that report local time without one."""
    senml: NotRequired[UpdateDeviceBodyDecoderConfigSenml]
    """Where SenML is published."""
    meter: NotRequired[dict[str, Any]]
    """Meters that count, by the id of the meter."""
    emon: NotRequired[dict[str, Any]]
    """Pulse counters of emon nodes, by `node/name`."""
    tasmota: NotRequired[dict[str, Any]]
    """Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone."""
    zigbee2mqtt: NotRequired[UpdateDeviceBodyDecoderConfigZigbee2mqtt]
    """How Zigbee2MQTT publishes."""
    zwavejs: NotRequired[UpdateDeviceBodyDecoderConfigZwavejs]
    """How Z-Wave JS UI publishes."""
    mapping: NotRequired[list[UpdateDeviceBodyDecoderConfigMapping]]
    """Numbers on topics that no family of devices reads, or not as they are meant: one entry each. It goes before every family on the topics that it names."""


class UpdateDeviceBodyChannels(TypedDict):
    native_name: str
    """What the device calls the quantity."""
    counts_as: NotRequired[Optional[str]]
    """What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water`, `production` (an inverter’s), `charged` or `discharged` (a battery’s), or `ignored`. Null takes back what was said."""
    placement: NotRequired[Optional[Literal["grid", "production", "storage", "consumption", "excluded"]]]
    """Where the quantity is measured. Null: where its device is."""


class UpdateDeviceBody(TypedDict):
    type: NotRequired[str]
    """What kind of device it is, in the words of its owner, such as `electricity_meter`."""
    location: NotRequired[str]
    """Where the device is, in the words of its owner."""
    limit_kw: NotRequired[float]
    """Highest plausible load, in kW. A register that rises faster is held until later readings confirm it."""
    register_max_kwh: NotRequired[Optional[float]]
    """Value at which the register starts again at 0, in kWh. Null: it never does."""
    max_gap_minutes: NotRequired[float]
    """Longest silence that power readings are integrated over, in minutes."""
    timezone: NotRequired[Optional[str]]
    """IANA time zone of a device that reports local time. Null: that of its owner."""
    decoder_config: NotRequired[UpdateDeviceBodyDecoderConfig]
    """Settings for the decoders, for what devices do not report themselves. Unknown members are kept."""
    placement: NotRequired[Literal["grid", "production", "storage", "consumption", "excluded"]]
    """Where the device sits in its home. `excluded`: it does not count."""
    upstream_device_id: NotRequired[Optional[str]]
    """Id of the device whose measurement includes this one. Null: none."""
    channels: NotRequired[list[UpdateDeviceBodyChannels]]
    """What quantities of the device count as. Those that are not named stay as they are."""
    external_id: NotRequired[Optional[str]]
    """What a utility or an administrator calls the device: a serial or asset number. Once in an account. Null removes it."""
    certificate_sha256: NotRequired[Optional[str]]
    """SHA-256 of the client certificate that the device logs in with, in hex. Null: a certificate that has its id as name, where the broker takes certificates. Registered by utilities and administrators alone (403)."""
    managed_by: NotRequired[Literal["owner", "utility"]]
    """Who manages the device: its `owner`, or the `utility` that paired it for the account or whose batch it claimed. Of the latter its owner changes the `location` alone (403). A utility can hand a device over (`owner`), an administrator set either."""


class CreateDeviceEditBody(TypedDict):
    action: Literal["exclude", "add"]
    """`exclude`: readings of a time are passed over, whenever they come. `add`: a person read a register; it counts as any reading that comes late, and in the place of one that was sent for the same instant."""
    native_name: NotRequired[str]
    """What the device calls the quantity, as its `channels` do. Needed with `add`. Default with `exclude`: every quantity of the device."""
    start: NotRequired[str]
    """Of `exclude`: from this time on. Readings have the time at which they were taken; of intervals that is their end."""
    end: NotRequired[str]
    """Of `exclude`: up to this time, which is not excluded any more."""
    at: NotRequired[str]
    """Of `add`: when it was read."""
    kwh: NotRequired[float]
    """Of `add`: what the register showed, in kWh (m³ where it counts a volume)."""
    reason: str
    """Why, in the words of who edits."""


class CreateGatewayBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    name: str
    """What its owner calls the gateway."""


class UpdateGatewayBodyDecoderConfigSenml(TypedDict):
    """Where SenML is published."""

    topics: list[str]
    """MQTT topic filters on which SenML packs arrive."""


class UpdateGatewayBodyDecoderConfigZigbee2mqtt(TypedDict):
    """How Zigbee2MQTT publishes."""

    output: NotRequired[Literal["json", "attribute", "attribute_and_json"]]
    """How it publishes (its setting `output`)."""
    devices: NotRequired[list[str]]
    """With `attribute`: the names of its devices, which may contain slashes."""


class UpdateGatewayBodyDecoderConfigZwavejs(TypedDict):
    """How Z-Wave JS UI publishes."""

    temperature_unit: NotRequired[Literal["C", "F"]]
    """Scale of its temperatures, where a message does not say."""


class UpdateGatewayBodyDecoderConfigMapping(TypedDict):
    topic: str
    """MQTT topic, as the device’s own broker has it, or a filter: `+` stands for one level, and names the device."""
    device: NotRequired[str]
    """What the device is called. `+` in it is what the wildcards of the topic stand for. Default: `+`, or the whole topic where it has none."""
    path: NotRequired[str]
    """JSONPath (RFC 9535) of one place in the payload, JSON or a text such as `a=1,b=2`. Left out: the payload is a plain number."""
    where: NotRequired[dict[str, Any]]
    """What the payload must say, each a JSONPath and its value: `{"$.idx": 51}`. For topics on which several devices publish."""
    unit: Literal["kWh", "Wh", "MWh", "MJ", "GJ", "W", "kW", "m3", "l", "C", "F"]
    """Unit of the number."""
    scale: NotRequired[float]
    """How many of that unit 1 is. Below 0: a power whose sign is the other way round."""
    meaning: str
    """What the number is. Energy and volumes are lifetime totals. `power`: signed, below 0 where energy flows to the grid. `production`: of a device that only produces."""
    circuit: NotRequired[str]
    """A word that tells two quantities of one device apart that mean the same."""
    time_path: NotRequired[str]
    """JSONPath of the message’s own time. Left out, or no time there: that of its receipt."""
    time_unit: NotRequired[Literal["s", "ms", "iso"]]
    """Unix seconds or milliseconds, or ISO 8601. Default: told by its form, and a number by its size."""


class UpdateGatewayBodyDecoderConfig(TypedDict):
    """Settings for the decoders, for what devices do not report themselves. Unknown members are kept."""

    tz: NotRequired[str]
    """IANA time zone of devices that report local time without one."""
    senml: NotRequired[UpdateGatewayBodyDecoderConfigSenml]
    """Where SenML is published."""
    meter: NotRequired[dict[str, Any]]
    """Meters that count, by the id of the meter."""
    emon: NotRequired[dict[str, Any]]
    """Pulse counters of emon nodes, by `node/name`."""
    tasmota: NotRequired[dict[str, Any]]
    """Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone."""
    zigbee2mqtt: NotRequired[UpdateGatewayBodyDecoderConfigZigbee2mqtt]
    """How Zigbee2MQTT publishes."""
    zwavejs: NotRequired[UpdateGatewayBodyDecoderConfigZwavejs]
    """How Z-Wave JS UI publishes."""
    mapping: NotRequired[list[UpdateGatewayBodyDecoderConfigMapping]]
    """Numbers on topics that no family of devices reads, or not as they are meant: one entry each. It goes before every family on the topics that it names."""


class UpdateGatewayBody(TypedDict):
    name: NotRequired[str]
    """What its owner calls the gateway."""
    decoder_config: NotRequired[UpdateGatewayBodyDecoderConfig]
    """Settings for the decoders, for what devices do not report themselves. Unknown members are kept."""


class DecodeMessageBodyDecoderConfigSenml(TypedDict):
    """Where SenML is published."""

    topics: list[str]
    """MQTT topic filters on which SenML packs arrive."""


class DecodeMessageBodyDecoderConfigZigbee2mqtt(TypedDict):
    """How Zigbee2MQTT publishes."""

    output: NotRequired[Literal["json", "attribute", "attribute_and_json"]]
    """How it publishes (its setting `output`)."""
    devices: NotRequired[list[str]]
    """With `attribute`: the names of its devices, which may contain slashes."""


class DecodeMessageBodyDecoderConfigZwavejs(TypedDict):
    """How Z-Wave JS UI publishes."""

    temperature_unit: NotRequired[Literal["C", "F"]]
    """Scale of its temperatures, where a message does not say."""


class DecodeMessageBodyDecoderConfigMapping(TypedDict):
    topic: str
    """MQTT topic, as the device’s own broker has it, or a filter: `+` stands for one level, and names the device."""
    device: NotRequired[str]
    """What the device is called. `+` in it is what the wildcards of the topic stand for. Default: `+`, or the whole topic where it has none."""
    path: NotRequired[str]
    """JSONPath (RFC 9535) of one place in the payload, JSON or a text such as `a=1,b=2`. Left out: the payload is a plain number."""
    where: NotRequired[dict[str, Any]]
    """What the payload must say, each a JSONPath and its value: `{"$.idx": 51}`. For topics on which several devices publish."""
    unit: Literal["kWh", "Wh", "MWh", "MJ", "GJ", "W", "kW", "m3", "l", "C", "F"]
    """Unit of the number."""
    scale: NotRequired[float]
    """How many of that unit 1 is. Below 0: a power whose sign is the other way round."""
    meaning: str
    """What the number is. Energy and volumes are lifetime totals. `power`: signed, below 0 where energy flows to the grid. `production`: of a device that only produces."""
    circuit: NotRequired[str]
    """A word that tells two quantities of one device apart that mean the same."""
    time_path: NotRequired[str]
    """JSONPath of the message’s own time. Left out, or no time there: that of its receipt."""
    time_unit: NotRequired[Literal["s", "ms", "iso"]]
    """Unix seconds or milliseconds, or ISO 8601. Default: told by its form, and a number by its size."""


class DecodeMessageBodyDecoderConfig(TypedDict):
    """Settings to read it with. Default: those of the gateway."""

    tz: NotRequired[str]
    """IANA time zone of devices that report local time without one."""
    senml: NotRequired[DecodeMessageBodyDecoderConfigSenml]
    """Where SenML is published."""
    meter: NotRequired[dict[str, Any]]
    """Meters that count, by the id of the meter."""
    emon: NotRequired[dict[str, Any]]
    """Pulse counters of emon nodes, by `node/name`."""
    tasmota: NotRequired[dict[str, Any]]
    """Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone."""
    zigbee2mqtt: NotRequired[DecodeMessageBodyDecoderConfigZigbee2mqtt]
    """How Zigbee2MQTT publishes."""
    zwavejs: NotRequired[DecodeMessageBodyDecoderConfigZwavejs]
    """How Z-Wave JS UI publishes."""
    mapping: NotRequired[list[DecodeMessageBodyDecoderConfigMapping]]
    """Numbers on topics that no family of devices reads, or not as they are meant: one entry each. It goes before every family on the topics that it names."""


class DecodeMessageBody(TypedDict):
    topic: str
    """MQTT topic, with or without the prefix of the gateway."""
    payload: NotRequired[str]
    """The payload, where it is text, up to 128 KiB. One of this and `payload_b64`."""
    payload_b64: NotRequired[str]
    """The payload in base64."""
    retained: NotRequired[bool]
    """The broker had kept it, and delivered it at subscription: what has no time of its own is left out."""
    decoder_config: NotRequired[DecodeMessageBodyDecoderConfig]
    """Settings to read it with. Default: those of the gateway."""


class CreateGroupBody(TypedDict):
    user_id: NotRequired[str]
    """Id of its owner, a utility or an administrator. Default: the owner of the key."""
    name: str
    """What its owner calls the group."""
    kind: NotRequired[Optional[str]]
    """What sort of group it is, such as `building` or `feeder`. Null: not said."""
    parent_group_id: NotRequired[Optional[str]]
    """The group that it is a part of: a group of the same owner, not below this one, in a tree of 8 levels at most. Null: none."""


class UpdateGroupBody(TypedDict):
    name: NotRequired[str]
    """What its owner calls the group."""
    kind: NotRequired[Optional[str]]
    """What sort of group it is, such as `building` or `feeder`. Null: not said."""
    parent_group_id: NotRequired[Optional[str]]
    """The group that it is a part of: a group of the same owner, not below this one, in a tree of 8 levels at most. Null: none."""


class ChangeGroupUsersBody(TypedDict):
    add: NotRequired[list[str]]
    """Ids of the homes to add. Those that are in the group already stay."""
    remove: NotRequired[list[str]]
    """Ids of the homes to remove. Those that are not in it change nothing."""


class CreateImportBodyValueChannels(TypedDict):
    native_name: str
    """What the device calls the quantity."""
    counts_as: NotRequired[Optional[str]]
    """What the quantity counts as: `import`, `export`, a part of one (`import/t1`), `gas`, `heat`, `water`, `production` (an inverter’s), `charged` or `discharged` (a battery’s), or `ignored`. Null takes back what was said."""
    placement: NotRequired[Optional[Literal["grid", "production", "storage", "consumption", "excluded"]]]
    """Where the quantity is measured. Null: where its device is."""


class CreateImportBodyValueDecoderConfigSenml(TypedDict):
    """Where SenML is published."""

    topics: list[str]
    """MQTT topic filters on which SenML packs arrive."""


class CreateImportBodyValueDecoderConfigZigbee2mqtt(TypedDict):
    """How Zigbee2MQTT publishes."""

    output: NotRequired[Literal["json", "attribute", "attribute_and_json"]]
    """How it publishes (its setting `output`)."""
    devices: NotRequired[list[str]]
    """With `attribute`: the names of its devices, which may contain slashes."""


class CreateImportBodyValueDecoderConfigZwavejs(TypedDict):
    """How Z-Wave JS UI publishes."""

    temperature_unit: NotRequired[Literal["C", "F"]]
    """Scale of its temperatures, where a message does not say."""


class CreateImportBodyValueDecoderConfigMapping(TypedDict):
    topic: str
    """MQTT topic, as the device’s own broker has it, or a filter: `+` stands for one level, and names the device."""
    device: NotRequired[str]
    """What the device is called. `+` in it is what the wildcards of the topic stand for. Default: `+`, or the whole topic where it has none."""
    path: NotRequired[str]
    """JSONPath (RFC 9535) of one place in the payload, JSON or a text such as `a=1,b=2`. Left out: the payload is a plain number."""
    where: NotRequired[dict[str, Any]]
    """What the payload must say, each a JSONPath and its value: `{"$.idx": 51}`. For topics on which several devices publish."""
    unit: Literal["kWh", "Wh", "MWh", "MJ", "GJ", "W", "kW", "m3", "l", "C", "F"]
    """Unit of the number."""
    scale: NotRequired[float]
    """How many of that unit 1 is. Below 0: a power whose sign is the other way round."""
    meaning: str
    """What the number is. Energy and volumes are lifetime totals. `power`: signed, below 0 where energy flows to the grid. `production`: of a device that only produces."""
    circuit: NotRequired[str]
    """A word that tells two quantities of one device apart that mean the same."""
    time_path: NotRequired[str]
    """JSONPath of the message’s own time. Left out, or no time there: that of its receipt."""
    time_unit: NotRequired[Literal["s", "ms", "iso"]]
    """Unix seconds or milliseconds, or ISO 8601. Default: told by its form, and a number by its size."""


class CreateImportBodyValueDecoderConfig(TypedDict):
    """Settings for the decoders, for what devices do not report themselves. Unknown members are kept."""

    tz: NotRequired[str]
    """IANA time zone of devices that report local time without one."""
    senml: NotRequired[CreateImportBodyValueDecoderConfigSenml]
    """Where SenML is published."""
    meter: NotRequired[dict[str, Any]]
    """Meters that count, by the id of the meter."""
    emon: NotRequired[dict[str, Any]]
    """Pulse counters of emon nodes, by `node/name`."""
    tasmota: NotRequired[dict[str, Any]]
    """Quantities of meters that a Tasmota script reads, by `prefix.name` or by the name alone."""
    zigbee2mqtt: NotRequired[CreateImportBodyValueDecoderConfigZigbee2mqtt]
    """How Zigbee2MQTT publishes."""
    zwavejs: NotRequired[CreateImportBodyValueDecoderConfigZwavejs]
    """How Z-Wave JS UI publishes."""
    mapping: NotRequired[list[CreateImportBodyValueDecoderConfigMapping]]
    """Numbers on topics that no family of devices reads, or not as they are meant: one entry each. It goes before every family on the topics that it names."""


class CreateImportBodyValue(TypedDict):
    user_id: NotRequired[str]
    """Id of the user that the device is of. Default, without `email` too: the owner of the key."""
    type: str
    """What kind of device it is, in the words of its owner, such as `electricity_meter`."""
    location: str
    """Where the device is, in the words of its owner."""
    limit_kw: NotRequired[float]
    """Highest plausible load, in kW. A register that rises faster is held until later readings confirm it."""
    register_max_kwh: NotRequired[float]
    """Value at which the register starts again at 0, in kWh. Default: it never does."""
    max_gap_minutes: NotRequired[float]
    """Longest silence that power readings are integrated over, in minutes."""
    timezone: NotRequired[str]
    """IANA time zone of a device that reports local time. Default: that of its owner."""
    placement: NotRequired[Literal["grid", "production", "storage", "consumption", "excluded"]]
    """Where the device sits in its home. `excluded`: it does not count. Default: a guess from what it is."""
    upstream_device_id: NotRequired[str]
    """Id of the device whose measurement includes this one. Default: none."""
    channels: NotRequired[list[CreateImportBodyValueChannels]]
    """What quantities of the device count as. Those that are not named stay as they are."""
    external_id: NotRequired[str]
    """What a utility or an administrator calls the device: a serial or asset number. Once in an account."""
    discovery_id: NotRequired[str]
    """Pairs this discovered device, which keeps the credentials of its gateway."""
    email: NotRequired[str]
    """E-mail address of the user that the device is of, in place of `user_id`."""
    decoder_config: NotRequired[CreateImportBodyValueDecoderConfig]
    """Settings for the decoders, for what devices do not report themselves. Unknown members are kept."""


class CreateProvisioningBatchBody(TypedDict):
    name: str
    """What you call the batch."""
    owner_user_id: NotRequired[str]
    """Id of the user that gets a meter whose serial no device has as its `external_id`. Null: such a meter is refused. Default: null."""
    type: NotRequired[str]
    """Type of the devices that are made."""
    location: NotRequired[str]
    """Location of the devices that are made."""
    serials: NotRequired[list[str]]
    """The only serials that may claim. Null: any. Default: null."""
    max_devices: int
    """How many meters may claim a device."""
    valid_days: NotRequired[int]
    """For how many days meters may claim."""


class CreateBillPeriodBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    device_id: NotRequired[str]
    """Bills this device by itself. Default: the home of the user."""
    start: str
    """First day of the period, in the time zone of the account."""
    end: str
    """Last day of the period, inclusive."""


class CreateTariffBodyCapacity(TypedDict):
    """What the highest quarter-hour of a month costs. Default: nothing."""

    per_kw_month: Union[str, float]
    """Price of a kW of the peak, for a month."""
    months_averaged: NotRequired[int]
    """Over how many months the peaks are averaged. Default: 1."""
    minimum_kw: NotRequired[Union[str, float]]
    """What a peak counts as at least, in kW. Default: 0."""


CreateTariffBodyImportPeriods = TypedDict("CreateTariffBodyImportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class CreateTariffBodyImport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price of a kWh."""
    periods: NotRequired[list[CreateTariffBodyImportPeriods]]
    """Prices by the clock, weekday and month. The first that fits holds; the last one has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price of a kWh is that of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """What is added to the price of a kWh after that. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor on the price of the series, such as 1.19 for a tax. Default: 1."""


CreateTariffBodyExportPeriods = TypedDict("CreateTariffBodyExportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class CreateTariffBodyExport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price of a kWh."""
    periods: NotRequired[list[CreateTariffBodyExportPeriods]]
    """Prices by the clock, weekday and month. The first that fits holds; the last one has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price of a kWh is that of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """What is added to the price of a kWh after that. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor on the price of the series, such as 1.19 for a tax. Default: 1."""


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


class UpdateTariffBodyCapacity(TypedDict):
    per_kw_month: Union[str, float]
    """Price of a kW of the peak, for a month."""
    months_averaged: NotRequired[int]
    """Over how many months the peaks are averaged. Default: 1."""
    minimum_kw: NotRequired[Union[str, float]]
    """What a peak counts as at least, in kW. Default: 0."""


UpdateTariffBodyImportPeriods = TypedDict("UpdateTariffBodyImportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class UpdateTariffBodyImport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price of a kWh."""
    periods: NotRequired[list[UpdateTariffBodyImportPeriods]]
    """Prices by the clock, weekday and month. The first that fits holds; the last one has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price of a kWh is that of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """What is added to the price of a kWh after that. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor on the price of the series, such as 1.19 for a tax. Default: 1."""


UpdateTariffBodyExportPeriods = TypedDict("UpdateTariffBodyExportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class UpdateTariffBodyExport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price of a kWh."""
    periods: NotRequired[list[UpdateTariffBodyExportPeriods]]
    """Prices by the clock, weekday and month. The first that fits holds; the last one has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price of a kWh is that of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """What is added to the price of a kWh after that. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor on the price of the series, such as 1.19 for a tax. Default: 1."""


UpdateTariffBody = TypedDict("UpdateTariffBody", {
    "name": "NotRequired[str]",
    "valid_from": "NotRequired[str]",
    "currency": "NotRequired[str]",
    "standing_per_day": "NotRequired[Optional[Union[str, float]]]",
    "capacity": "NotRequired[Optional[UpdateTariffBodyCapacity]]",
    "import": "NotRequired[UpdateTariffBodyImport]",
    "export": "NotRequired[Optional[UpdateTariffBodyExport]]",
})


class CompareTariffsBodyTariffsCapacity(TypedDict):
    """What the highest quarter-hour of a month costs. Default: nothing."""

    per_kw_month: Union[str, float]
    """Price of a kW of the peak, for a month."""
    months_averaged: NotRequired[int]
    """Over how many months the peaks are averaged. Default: 1."""
    minimum_kw: NotRequired[Union[str, float]]
    """What a peak counts as at least, in kW. Default: 0."""


CompareTariffsBodyTariffsImportPeriods = TypedDict("CompareTariffsBodyTariffsImportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class CompareTariffsBodyTariffsImport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price of a kWh."""
    periods: NotRequired[list[CompareTariffsBodyTariffsImportPeriods]]
    """Prices by the clock, weekday and month. The first that fits holds; the last one has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price of a kWh is that of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """What is added to the price of a kWh after that. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor on the price of the series, such as 1.19 for a tax. Default: 1."""


CompareTariffsBodyTariffsExportPeriods = TypedDict("CompareTariffsBodyTariffsExportPeriods", {
    "per_kwh": "Union[str, float]",
    "days": "NotRequired[list[int]]",
    "from": "NotRequired[str]",
    "to": "NotRequired[str]",
    "months": "NotRequired[list[int]]",
})


class CompareTariffsBodyTariffsExport(TypedDict):
    per_kwh: NotRequired[Union[str, float]]
    """Price of a kWh."""
    periods: NotRequired[list[CompareTariffsBodyTariffsExportPeriods]]
    """Prices by the clock, weekday and month. The first that fits holds; the last one has no condition."""
    series_id: NotRequired[str]
    """Id of the price series. The price of a kWh is that of the series × `multiply` + `add`."""
    add: NotRequired[Union[str, float]]
    """What is added to the price of a kWh after that. Default: 0."""
    multiply: NotRequired[Union[str, float]]
    """Factor on the price of the series, such as 1.19 for a tax. Default: 1."""


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
    """Tariffs to compare, all in one currency: that of the user’s tariffs in the range, if there is one."""


# What the range would have cost, had this tariff held in all of it.
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
    """What the range would have cost, had this tariff held in all of it."""
    difference: Optional[str]
    """Its total less the `current` one: negative if it is cheaper. Null where `current` is."""


class CompareTariffsAnswer(TypedDict):
    user_id: str
    """Id of the user that it belongs to."""
    start: str
    """First day, in the time zone of the user."""
    end: str
    """Last day, inclusive."""
    currency: str
    """Currency of all amounts (ISO 4217)."""
    current: Cost
    """What the range costs by the tariffs of the user. Null: none held."""
    alternatives: list[CompareTariffsAnswerAlternatives]
    """The tariffs that were sent, in their order."""


class WhatIfBodyBattery(TypedDict):
    """A battery beside what the home has."""

    capacity_kwh: Union[str, float]
    """What it can store, in kWh."""
    charge_kw: Union[str, float]
    """Most that it charges, in kW."""
    discharge_kw: Union[str, float]
    """Most that it discharges, in kW."""
    round_trip_efficiency: Union[str, float]
    """Part of the charged energy that comes out again, 0.5 to 1."""
    initial_kwh: NotRequired[Union[str, float]]
    """What it stores at the start, in kWh. Default: 0."""


class WhatIfBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    start: str
    """First day, in the time zone of the user."""
    end: str
    """Last day, inclusive. Within 36 months of `start`."""
    battery: NotRequired[WhatIfBodyBattery]
    """A battery beside what the home has."""
    production_scale: NotRequired[Union[str, float]]
    """Factor of the production, 0 to 10: 2 is twice as many panels. Default: 1."""


# What it costs by the tariffs of the user. Absent if none held.
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
    """The home as it was, in the quarter-hours that are known."""

    grid_import_kwh: float
    """Energy from the grid, in kWh."""
    grid_export_kwh: float
    """Energy to the grid, in kWh."""
    self_consumed_kwh: Optional[float]
    """Production that was not exported, in kWh. Null: the home has no production, or it is not known."""
    autarky: Optional[float]
    """Part of the usage that did not come from the grid, 0 to 1. Null: nothing was used."""
    cost: NotRequired[WhatIfAnswerBeforeCost]
    """What it costs by the tariffs of the user. Absent if none held."""


# What it costs by the tariffs of the user. Absent if none held.
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
    """Production that was not exported, in kWh. Null: the home has no production, or it is not known."""
    autarky: Optional[float]
    """Part of the usage that did not come from the grid, 0 to 1. Null: nothing was used."""
    cost: NotRequired[WhatIfAnswerAfterCost]
    """What it costs by the tariffs of the user. Absent if none held."""


class WhatIfAnswerBattery(TypedDict):
    """What the battery did. Absent if none was asked about."""

    charged_kwh: float
    """Energy into it, before the loss, in kWh."""
    discharged_kwh: float
    """Energy out of it, in kWh."""
    stored_kwh: float
    """Energy left in it at the end, in kWh. It is worth nothing."""
    full_cycles: float
    """`discharged_kwh` ÷ `capacity_kwh`, with two decimals."""


class WhatIfAnswer(TypedDict):
    before: WhatIfAnswerBefore
    """The home as it was, in the quarter-hours that are known."""
    after: WhatIfAnswerAfter
    """The home with the change, in the same quarter-hours."""
    battery: NotRequired[WhatIfAnswerBattery]
    """What the battery did. Absent if none was asked about."""
    unknown_hours: float
    """Hours of the range so far that are passed over on both sides, because something of the home is not known."""


class CreatePriceSeriesBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    name: str
    """What the owner calls it, such as the market that the prices are of."""
    resolution_minutes: Literal[15, 30, 60]
    """For how long each value holds, in minutes."""
    source: NotRequired[NewSeriesSource]
    """Where the series fetches its values. It does not replace values that were put. Own addresses are for utilities and administrators."""
    check: NotRequired[bool]
    """True: nothing is stored. The source is fetched, and the answer (200) has the first values that it would store."""
    currency: str
    """Currency of the prices (ISO 4217), such as `EUR`."""


class UpdatePriceSeriesBody(TypedDict):
    name: NotRequired[str]
    """What the owner calls it."""
    source: NotRequired[Optional[NewSeriesSource]]
    """Where the series fetches its values. It does not replace values that were put. Own addresses are for utilities and administrators. A token or headers that are not sent stay. Null ends it; the values stay."""


class PutPricesBodyValue(TypedDict):
    starts_at: str
    """From when on the value holds: a multiple of the resolution in UTC. It holds for the resolution only."""
    per_kwh: Union[str, float]
    """Price of a kWh. It may be negative."""


class PutPricesAnswer(TypedDict):
    series_id: str
    """Id of the price series."""
    stored: int
    """How many values were stored: those of the request."""


class CreateEmissionSeriesBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    name: str
    """What the owner calls it, such as the grid that the intensities are of."""
    resolution_minutes: Literal[15, 30, 60]
    """For how long each value holds, in minutes."""
    source: NotRequired[NewSeriesSource]
    """Where the series fetches its values. It does not replace values that were put. Own addresses are for utilities and administrators."""
    check: NotRequired[bool]
    """True: nothing is stored. The source is fetched, and the answer (200) has the first values that it would store."""


class UpdateEmissionSeriesBody(TypedDict):
    name: NotRequired[str]
    """What the owner calls it."""
    source: NotRequired[Optional[NewSeriesSource]]
    """Where the series fetches its values. It does not replace values that were put. Own addresses are for utilities and administrators. A token or headers that are not sent stay. Null ends it; the values stay."""


class PutIntensitiesBodyValue(TypedDict):
    starts_at: str
    """From when on the value holds: a multiple of the resolution in UTC. It holds for the resolution only."""
    grams_per_kwh: Union[str, float]
    """Grams of CO2 equivalent of a kWh. The number may be negative."""


class PutIntensitiesAnswer(TypedDict):
    series_id: str
    """Id of the emission series."""
    stored: int
    """How many values were stored: those of the request."""


class CreateKeyBody(TypedDict):
    user_id: NotRequired[str]
    """Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member."""
    name: NotRequired[str]
    """What its owner calls the key."""
    scopes: NotRequired[list[Literal["insights:read", "alerts:read", "alerts:write", "users:read", "users:write", "devices:read", "devices:write", "webhooks:read", "webhooks:write", "tariffs:read", "tariffs:write", "keys:write", "readings:read", "readings:write"]]]
    """What the key may do. Default: all but those of single readings (`readings:…`), or what a utility may give to its homeowners."""
    group_id: NotRequired[str]
    """A group of the user: the key reads only its homes, those of the groups below it, and their sums. Its scopes must then end in `:read`; `readings:read` is not among them."""
    device_id: NotRequired[str]
    """A device: the key writes its readings and does nothing else. Its scopes are then `readings:write`, the default."""
    home_user_id: NotRequired[str]
    """The home of another account, of which the caller’s account is a member: the key reaches that home alone, which is meant without `user_id`, and ends with the membership. Default scopes: all that the membership gives, but those of single readings."""
    expires_at: NotRequired[str]
    """When the key ends. Default: never."""
    allowed_addresses: NotRequired[list[str]]
    """Addresses and networks that the key may be used from, IPv4 and IPv6. Default: those of the key that makes it; none: everywhere."""


class UpdateKeyBody(TypedDict):
    expires_at: NotRequired[Optional[str]]
    """When the key ends. Null: never."""
    allowed_addresses: NotRequired[list[str]]
    """Addresses and networks that the key may be used from, IPv4 and IPv6. None: everywhere."""


class RotateKeyBody(TypedDict):
    overlap_hours: NotRequired[float]
    """How long the old key goes on, in hours. Default: 24."""
    expires_at: NotRequired[str]
    """When the new key ends. Default: never."""


class InviteMemberBody(TypedDict):
    email: str
    """Address to which the invitation is mailed."""
    access: Literal["read", "manage"]
    """`read`: sees everything of the home, without its export. `manage`: changes it, too, but not its members, keys or e-mail address, and cannot export or delete the account."""


class AcceptMembershipBody(TypedDict):
    token: str
    """Token of the link in the mail."""


class CreateAppBody(TypedDict):
    name: str
    """Name that the page of consent shows."""
    website: str
    """HTTPS address of a page about the app."""
    redirect_uris: list[str]
    """Addresses to which a browser returns: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, but for the port of a loopback address."""
    notification_url: NotRequired[Optional[str]]
    """HTTPS address for notices that data changed. Null: none."""
    scopes: list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]
    """Scopes that the app may ask a home for. Fewer scopes hold at once, also for tokens that were issued."""
    type: Literal["confidential", "public"]
    """`confidential`: runs on a server and keeps a secret. `public`: runs on a phone or desktop, without one."""


class UpdateAppBody(TypedDict):
    name: NotRequired[str]
    """Name that the page of consent shows."""
    website: NotRequired[str]
    """HTTPS address of a page about the app."""
    redirect_uris: NotRequired[list[str]]
    """Addresses to which a browser returns: HTTPS, and for `public` also http with a loopback address (127.0.0.1, [::1] or localhost). Compared exactly, but for the port of a loopback address."""
    notification_url: NotRequired[Optional[str]]
    """HTTPS address for notices that data changed. Null: none."""
    scopes: NotRequired[list[Literal["insights:read", "devices:read", "alerts:read", "alerts:write", "readings:read", "readings:write", "webhooks:read", "webhooks:write"]]]
    """Scopes that the app may ask a home for. Fewer scopes hold at once, also for tokens that were issued."""


# What it costs by the tariffs of the user. Null: no tariff held.
Cost = Optional[CostValue]


CreatedEmissionSeries = Union[EmissionSeries, CheckedIntensities]


CreatedPriceSeries = Union[PriceSeries, CheckedPrices]


# Emissions of the energy from the grid, by the emission series of the user. Null: the user has none.
Emissions = Optional[EmissionsValue]


# What a webhook is sent: tell them apart by `type`.
EnergyEvent = Union["UsageUpdatedEvent", "AlertTriggeredEvent", "DeviceConnectedEvent", "UserCreatedEvent", "RemarkRaisedEvent", "WebhookTestEvent"]


SendReadingsBody = Union[list[SentReading], SentReading]


CreateImportBody = list[CreateImportBodyValue]


PutPricesBody = list[PutPricesBodyValue]


PutIntensitiesBody = list[PutIntensitiesBodyValue]

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
    "UpdateAlertBody",
    "PreviewAlertBody",
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
    "UpdateTariffBodyCapacity",
    "UpdateTariffBodyImportPeriods",
    "UpdateTariffBodyImport",
    "UpdateTariffBodyExportPeriods",
    "UpdateTariffBodyExport",
    "UpdateTariffBody",
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
    "WhatIfBodyBattery",
    "WhatIfBody",
    "WhatIfAnswerBeforeCost",
    "WhatIfAnswerBefore",
    "WhatIfAnswerAfterCost",
    "WhatIfAnswerAfter",
    "WhatIfAnswerBattery",
    "WhatIfAnswer",
    "CreatePriceSeriesBody",
    "UpdatePriceSeriesBody",
    "PutPricesBodyValue",
    "PutPricesBody",
    "PutPricesAnswer",
    "CreateEmissionSeriesBody",
    "UpdateEmissionSeriesBody",
    "PutIntensitiesBodyValue",
    "PutIntensitiesBody",
    "PutIntensitiesAnswer",
    "CreateKeyBody",
    "UpdateKeyBody",
    "RotateKeyBody",
    "InviteMemberBody",
    "AcceptMembershipBody",
    "CreateAppBody",
    "UpdateAppBody",
]
