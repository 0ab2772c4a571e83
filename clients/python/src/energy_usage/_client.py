# Generated from the OpenAPI document by `npm run client`: do not edit. A test holds it to the document.
"""Every operation of the service, as a method."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from . import types
from ._transport import CallOptions, Pages, Transport


class EnergyClient(Transport):
    """Every operation of the service, as a method."""

    def get_energy_insights(
        self,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        user_id: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        commodity: str | None = None,
        **options: Unpack[CallOptions],
    ) -> types.EnergyInsights:
        """Usage by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        commodity: What was used. Of `include`, all but electricity takes only estimated and coverage.
        """
        return self._json("GET", "/v1/energy-insights", query={"start": start, "end": end, "group_by": group_by, "user_id": user_id, "tz": tz, "include": include, "commodity": commodity}, is_safe=True, options=options)

    def get_energy_insights_csv(
        self,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        user_id: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        commodity: str | None = None,
        **options: Unpack[CallOptions],
    ) -> str:
        """Usage by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. As CSV.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        commodity: What was used. Of `include`, all but electricity takes only estimated and coverage.
        """
        return self._text("GET", "/v1/energy-insights", query={"start": start, "end": end, "group_by": group_by, "user_id": user_id, "tz": tz, "include": include, "commodity": commodity}, accept="text/csv", is_safe=True, options=options)

    def get_energy_insights_xlsx(
        self,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        user_id: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        commodity: str | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """Usage by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. As a spreadsheet (XLSX).

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        commodity: What was used. Of `include`, all but electricity takes only estimated and coverage.
        """
        return self._bytes("GET", "/v1/energy-insights", query={"start": start, "end": end, "group_by": group_by, "user_id": user_id, "tz": tz, "include": include, "commodity": commodity}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def get_energy_insights_green_button(
        self,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        user_id: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        commodity: str | None = None,
        **options: Unpack[CallOptions],
    ) -> str:
        """Usage by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. As a Green Button feed.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        commodity: What was used. Of `include`, all but electricity takes only estimated and coverage.
        """
        return self._text("GET", "/v1/energy-insights", query={"start": start, "end": end, "group_by": group_by, "user_id": user_id, "tz": tz, "include": include, "commodity": commodity}, accept="application/atom+xml", is_safe=True, options=options)

    def post_energy_insights(
        self,
        body: types.PostEnergyInsightsBody,
        **options: Unpack[CallOptions],
    ) -> types.Summary:
        """Summary of a user’s usage over the calendar interval of now, to date, or between two dates."""
        return self._json("POST", "/v1/energy-insights", body=body, is_safe=True, options=options)

    def monthly_analytics(
        self,
        *,
        user_id: str | None = None,
        months: int | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> types.MonthlyAnalytics:
        """A user’s months, each beside the one before.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        months: How many months, the current one included.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        """
        return self._json("GET", "/v1/analytics/monthly", query={"user_id": user_id, "months": months, "tz": tz, "include": include}, is_safe=True, options=options)

    def monthly_analytics_csv(
        self,
        *,
        user_id: str | None = None,
        months: int | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> str:
        """A user’s months, each beside the one before. As CSV.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        months: How many months, the current one included.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        """
        return self._text("GET", "/v1/analytics/monthly", query={"user_id": user_id, "months": months, "tz": tz, "include": include}, accept="text/csv", is_safe=True, options=options)

    def monthly_analytics_xlsx(
        self,
        *,
        user_id: str | None = None,
        months: int | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """A user’s months, each beside the one before. As a spreadsheet (XLSX).

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        months: How many months, the current one included.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        """
        return self._bytes("GET", "/v1/analytics/monthly", query={"user_id": user_id, "months": months, "tz": tz, "include": include}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def list_remarks(
        self,
        *,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> types.Remarks:
        """Current remarks on a user’s home: what is unusual, stays on, is missing or would have cost less, with what it is compared with.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        """
        return self._json("GET", "/v1/remarks", query={"user_id": user_id}, is_safe=True, options=options)

    def get_forecast(
        self,
        *,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> types.Forecast:
        """What a user’s home will have used, and paid, at the end of the month: a value, a range, and the errors of the same forecast in earlier months.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        """
        return self._json("GET", "/v1/forecast", query={"user_id": user_id}, is_safe=True, options=options)

    def create_alert(
        self,
        body: types.CreateAlertBody,
        **options: Unpack[CallOptions],
    ) -> types.CreateAlertAnswer:
        """Sets a threshold on a user’s usage or costs."""
        return self._json("POST", "/v1/alerts", body=body, options=options)

    def list_alerts(
        self,
        *,
        user_id: str,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Alert]:
        """Alerts of a user, page by page.

        user_id: Id of the user. Required.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/alerts", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_alert(
        self,
        alert_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Alert:
        """One alert."""
        return self._json("GET", f"/v1/alerts/{self._segment(alert_id)}", is_safe=True, options=options)

    def update_alert(
        self,
        alert_id: str,
        body: types.UpdateAlertBody,
        **options: Unpack[CallOptions],
    ) -> types.Alert:
        """Changes an alert’s threshold, delivery or status."""
        return self._json("PATCH", f"/v1/alerts/{self._segment(alert_id)}", body=body, options=options)

    def delete_alert(
        self,
        alert_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Removes an alert."""
        return self._json("DELETE", f"/v1/alerts/{self._segment(alert_id)}", is_safe=True, options=options)

    def preview_alert(
        self,
        body: types.PreviewAlertBody,
        **options: Unpack[CallOptions],
    ) -> types.AlertPreview:
        """Says on which periods of the last 90 days an alert would have fired; makes none."""
        return self._json("POST", "/v1/alerts/preview", body=body, is_safe=True, options=options)

    def create_user(
        self,
        body: types.CreateUserBody,
        **options: Unpack[CallOptions],
    ) -> types.CreateUserAnswer:
        """Creates an account: a utility enrols homeowners, an administrator anyone."""
        return self._json("POST", "/v1/users", body=body, options=options)

    def list_users(
        self,
        *,
        search: str | None = None,
        role: str | None = None,
        plan: str | None = None,
        has_attention: str | None = None,
        silent: str | None = None,
        include: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.ListedUser]:
        """The accounts that the caller reaches, page by page. What is asked about their devices needs `devices:read`, too.

        search: Part of the e-mail address, in any case. Default: every account.
        role: Only accounts of this role. Default: of any.
        plan: Only accounts on this plan. Default: on any.
        has_attention: Only accounts with (`true`) or without (`false`) a device that wants its owner. Default: all.
        silent: Only accounts with (`true`) or without (`false`) a device that was silent for 24 hours. Default: all.
        include: `devices`: adds how many devices each account has. Default: nothing.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/users", query={"search": search, "role": role, "plan": plan, "has_attention": has_attention, "silent": silent, "include": include, "limit": limit}, is_safe=True, options=options)

    def get_user(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> types.User:
        """One account."""
        return self._json("GET", f"/v1/users/{self._segment(user_id)}", is_safe=True, options=options)

    def update_user(
        self,
        user_id: str,
        body: types.UpdateUserBody,
        **options: Unpack[CallOptions],
    ) -> types.User:
        """Changes an account. Role and plan are an administrator’s to change. A changed `email` needs keys:write, too, and holds once a mail to it was used, within 7 days; until then it is the `pending_email`, which the present address as `email` withdraws. An administrator’s change holds at once. A changed address or role ends all keys and sessions of the account."""
        return self._json("PATCH", f"/v1/users/{self._segment(user_id)}", body=body, options=options)

    def delete_user(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Removes an account with all that is known of it."""
        return self._json("DELETE", f"/v1/users/{self._segment(user_id)}", is_safe=True, options=options)

    def export_user(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """Everything that is known of an account as a ZIP of JSON and CSV files; secrets are left out."""
        return self._bytes("GET", f"/v1/users/{self._segment(user_id)}/export", accept="application/zip", is_safe=True, options=options)

    def create_webhook(
        self,
        body: types.CreateWebhookBody,
        **options: Unpack[CallOptions],
    ) -> types.CreateWebhookAnswer:
        """Subscribes the caller to one event or several."""
        return self._json("POST", "/v1/webhooks", body=body, options=options)

    def list_webhooks(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Webhook]:
        """The caller’s own subscriptions, page by page.

        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/webhooks", query={"limit": limit}, is_safe=True, options=options)

    def update_webhook(
        self,
        webhook_id: str,
        body: types.UpdateWebhookBody,
        **options: Unpack[CallOptions],
    ) -> types.Webhook:
        """Pauses or resumes a subscription, or changes its events, address or secret (both secrets are valid for 24 h)."""
        return self._json("PATCH", f"/v1/webhooks/{self._segment(webhook_id)}", body=body, options=options)

    def delete_webhook(
        self,
        webhook_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends a subscription."""
        return self._json("DELETE", f"/v1/webhooks/{self._segment(webhook_id)}", is_safe=True, options=options)

    def webhook_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Delivery]:
        """Deliveries of a subscription with all their tries, the youngest first, of the last 30 days.

        limit: Most items in the answer.
        """
        return self._pages("GET", f"/v1/webhooks/{self._segment(webhook_id)}/deliveries", query={"limit": limit}, is_safe=True, options=options)

    def get_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> types.SentDelivery:
        """One delivery of a subscription, with what is sent."""
        return self._json("GET", f"/v1/webhooks/{self._segment(webhook_id)}/deliveries/{self._segment(delivery_id)}", is_safe=True, options=options)

    def retry_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Delivery:
        """Tries a delivery again, at once and with all its retries; that of a paused subscription when it is resumed."""
        return self._json("POST", f"/v1/webhooks/{self._segment(webhook_id)}/deliveries/{self._segment(delivery_id)}/retry", options=options)

    def test_webhook(
        self,
        webhook_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Delivery:
        """Queues an event webhook.test for a subscription; its delivery says how it went."""
        return self._json("POST", f"/v1/webhooks/{self._segment(webhook_id)}/test", options=options)

    def create_device(
        self,
        body: types.CreateDeviceBody,
        **options: Unpack[CallOptions],
    ) -> types.PairedDevice:
        """Pairs a device; its MQTT password is shown here and never again. One that was discovered through a gateway goes on with the gateway’s credentials."""
        return self._json("POST", "/v1/devices", body=body, options=options)

    def list_devices(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Device]:
        """The devices of a user, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/devices", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def discovered_devices(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.DiscoveredDevice]:
        """Devices heard through a user’s gateways that are not paired, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/devices/discovered", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_device(
        self,
        device_id: str,
        **options: Unpack[CallOptions],
    ) -> types.DeviceDetails:
        """One device with its settings."""
        return self._json("GET", f"/v1/devices/{self._segment(device_id)}", is_safe=True, options=options)

    def update_device(
        self,
        device_id: str,
        body: types.UpdateDeviceBody,
        **options: Unpack[CallOptions],
    ) -> types.DeviceDetails:
        """Changes a device. Limits, and what its channels count as, hold for its past, too: it is computed anew within seconds."""
        return self._json("PATCH", f"/v1/devices/{self._segment(device_id)}", body=body, options=options)

    def delete_device(
        self,
        device_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends a device and its credentials; what it consumed stays in its owner’s history."""
        return self._json("DELETE", f"/v1/devices/{self._segment(device_id)}", is_safe=True, options=options)

    def device_usage(
        self,
        device_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        gaps: str | None = None,
        **options: Unpack[CallOptions],
    ) -> types.DeviceUsage:
        """Usage of one device, and the climate that a thermostat reports; without dates the last 30 days.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        gaps: How the energy of silences of a register of a day or longer lies in the rows. `line`: spread evenly, as it is counted everywhere. `like_days`: by the shape of like days of the four weeks before, where there are enough of them; each row then has `estimate`. Only `estimated` and `coverage` can be included with it, and the range has 36 months at most.
        """
        return self._json("GET", f"/v1/devices/{self._segment(device_id)}/usage", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "include": include, "gaps": gaps}, is_safe=True, options=options)

    def device_usage_csv(
        self,
        device_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        gaps: str | None = None,
        **options: Unpack[CallOptions],
    ) -> str:
        """Usage of one device, and the climate that a thermostat reports; without dates the last 30 days. As CSV.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        gaps: How the energy of silences of a register of a day or longer lies in the rows. `line`: spread evenly, as it is counted everywhere. `like_days`: by the shape of like days of the four weeks before, where there are enough of them; each row then has `estimate`. Only `estimated` and `coverage` can be included with it, and the range has 36 months at most.
        """
        return self._text("GET", f"/v1/devices/{self._segment(device_id)}/usage", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "include": include, "gaps": gaps}, accept="text/csv", is_safe=True, options=options)

    def device_usage_xlsx(
        self,
        device_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        gaps: str | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """Usage of one device, and the climate that a thermostat reports; without dates the last 30 days. As a spreadsheet (XLSX).

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        gaps: How the energy of silences of a register of a day or longer lies in the rows. `line`: spread evenly, as it is counted everywhere. `like_days`: by the shape of like days of the four weeks before, where there are enough of them; each row then has `estimate`. Only `estimated` and `coverage` can be included with it, and the range has 36 months at most.
        """
        return self._bytes("GET", f"/v1/devices/{self._segment(device_id)}/usage", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "include": include, "gaps": gaps}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def device_usage_green_button(
        self,
        device_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        gaps: str | None = None,
        **options: Unpack[CallOptions],
    ) -> str:
        """Usage of one device, and the climate that a thermostat reports; without dates the last 30 days. As a Green Button feed.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        gaps: How the energy of silences of a register of a day or longer lies in the rows. `line`: spread evenly, as it is counted everywhere. `like_days`: by the shape of like days of the four weeks before, where there are enough of them; each row then has `estimate`. Only `estimated` and `coverage` can be included with it, and the range has 36 months at most.
        """
        return self._text("GET", f"/v1/devices/{self._segment(device_id)}/usage", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "include": include, "gaps": gaps}, accept="application/atom+xml", is_safe=True, options=options)

    def release_device(
        self,
        device_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Lets a meter claim the device anew, with a provisioning batch and the serial that the device has as `external_id`: the password of before ends."""
        return self._json("POST", f"/v1/devices/{self._segment(device_id)}/release", options=options)

    def list_fleet_devices(
        self,
        *,
        user_id: str | None = None,
        status: str | None = None,
        silent_for_hours: int | None = None,
        placement: str | None = None,
        family: str | None = None,
        attention: str | None = None,
        text: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.FleetDevice]:
        """The devices of every account that the caller reaches, page by page: filtered, and in an order. Owners’ e-mail addresses need `users:read`, too.

        user_id: Only devices of this user. Default: of all in reach. A homeowner can name only itself.
        status: Only devices in this state. Default: in any.
        silent_for_hours: Only devices that were not heard for so many hours, or never since they were paired so long ago. A silence is known within a minute. Default: all.
        placement: Only devices that sit there in their homes. Default: all.
        family: Only devices that send these messages, such as `tasmota`, or `native`. Default: all.
        attention: Only devices that want this of their owners. Default: all.
        text: Only devices whose location has words that begin so, or whose id begins so; with `users:read` also those whose owner’s e-mail address does. In any case. Default: all.
        sort: Order; with a minus the other way round. `last_seen_at`: the longest silent first, and those that were heard within the last hour after them, as equals.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/fleet/devices", query={"user_id": user_id, "status": status, "silent_for_hours": silent_for_hours, "placement": placement, "family": family, "attention": attention, "text": text, "sort": sort, "limit": limit}, is_safe=True, options=options)

    def get_fleet_silence(
        self,
        *,
        start: str,
        end: str,
        group_by: str | None = None,
        tz: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> types.FleetSilence:
        """Which devices fell silent when, among all that the caller reaches: counted by the hour or the day, and grouped by what stopped together.

        start: First day of the range, in the time zone `tz`.
        end: Last day of the range, inclusive; at most 31 days.
        group_by: What a row counts.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        limit: Most groups in the answer.
        """
        return self._json("GET", "/v1/fleet/silence", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "limit": limit}, is_safe=True, options=options)

    def device_quality(
        self,
        device_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        tz: str | None = None,
        **options: Unpack[CallOptions],
    ) -> types.DeviceQuality:
        """How good what a device told is, month by month: intervals received, estimated and missing, late and rejected readings, resets, corrections; without dates the last twelve months.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        """
        return self._json("GET", f"/v1/devices/{self._segment(device_id)}/quality", query={"start": start, "end": end, "tz": tz}, is_safe=True, options=options)

    def device_quality_csv(
        self,
        device_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        tz: str | None = None,
        **options: Unpack[CallOptions],
    ) -> str:
        """How good what a device told is, month by month: intervals received, estimated and missing, late and rejected readings, resets, corrections; without dates the last twelve months. As CSV.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        """
        return self._text("GET", f"/v1/devices/{self._segment(device_id)}/quality", query={"start": start, "end": end, "tz": tz}, accept="text/csv", is_safe=True, options=options)

    def device_quality_xlsx(
        self,
        device_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        tz: str | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """How good what a device told is, month by month: intervals received, estimated and missing, late and rejected readings, resets, corrections; without dates the last twelve months. As a spreadsheet (XLSX).

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        """
        return self._bytes("GET", f"/v1/devices/{self._segment(device_id)}/quality", query={"start": start, "end": end, "tz": tz}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def send_readings(
        self,
        device_id: str,
        body: types.SendReadingsBody,
        **options: Unpack[CallOptions],
    ) -> types.SentReadings:
        """Writes readings of a device that could as well send them by MQTT: one element or up to 10,000, as JSON, or a SenML pack. The answer comes when they are committed. Readings that are sent again, in either way, count once."""
        return self._json("POST", f"/v1/devices/{self._segment(device_id)}/readings", body=body, options=options)

    def list_device_readings(
        self,
        device_id: str,
        *,
        start: str,
        end: str,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.DeviceReading]:
        """The readings of a device as they are stored, and what each was taken for, oldest first, page by page.

        start: First instant of the range: a date (UTC), or an instant with its zone.
        end: End of the range, exclusive, as `start`. At most 36 months after it.
        limit: Most readings in the answer.
        """
        return self._pages("GET", f"/v1/devices/{self._segment(device_id)}/readings", query={"start": start, "end": end, "limit": limit}, is_safe=True, options=options)

    def list_device_readings_csv(
        self,
        device_id: str,
        *,
        start: str,
        end: str,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> str:
        """The readings of a device as they are stored, and what each was taken for, oldest first, page by page. As CSV.

        start: First instant of the range: a date (UTC), or an instant with its zone.
        end: End of the range, exclusive, as `start`. At most 36 months after it.
        limit: Most readings in the answer.
        """
        return self._text("GET", f"/v1/devices/{self._segment(device_id)}/readings", query={"start": start, "end": end, "limit": limit}, accept="text/csv", is_safe=True, options=options)

    def create_device_edit(
        self,
        device_id: str,
        body: types.CreateDeviceEditBody,
        **options: Unpack[CallOptions],
    ) -> types.ReadingEdit:
        """Edits readings of a device by hand, with a reason: excludes those of a time, or adds what a person read off a register. Its past is computed anew within seconds; what was sent stays stored."""
        return self._json("POST", f"/v1/devices/{self._segment(device_id)}/edits", body=body, options=options)

    def list_device_edits(
        self,
        device_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.ReadingEdit]:
        """The edits of readings of a device, revoked ones, too, with who made them and why, page by page.

        limit: Most items in the answer.
        """
        return self._pages("GET", f"/v1/devices/{self._segment(device_id)}/edits", query={"limit": limit}, is_safe=True, options=options)

    def revoke_device_edit(
        self,
        device_id: str,
        edit_id: str,
        **options: Unpack[CallOptions],
    ) -> types.ReadingEdit:
        """Revokes an edit of readings: consumption is as if it had never been made, within seconds, and the edit stays to be seen. One that was revoked stays as it was."""
        return self._json("DELETE", f"/v1/devices/{self._segment(device_id)}/edits/{self._segment(edit_id)}", is_safe=True, options=options)

    def create_gateway(
        self,
        body: types.CreateGatewayBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedGateway:
        """Makes a gateway; its MQTT password is shown here and never again."""
        return self._json("POST", "/v1/gateways", body=body, options=options)

    def list_gateways(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Gateway]:
        """The gateways of a user, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/gateways", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def update_gateway(
        self,
        gateway_id: str,
        body: types.UpdateGatewayBody,
        **options: Unpack[CallOptions],
    ) -> types.Gateway:
        """Renames a gateway, or changes what decoders must know of all that lies below it."""
        return self._json("PATCH", f"/v1/gateways/{self._segment(gateway_id)}", body=body, options=options)

    def delete_gateway(
        self,
        gateway_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends a gateway and its credentials. Devices that were paired through it stay, with their past."""
        return self._json("DELETE", f"/v1/gateways/{self._segment(gateway_id)}", is_safe=True, options=options)

    def decode_message(
        self,
        gateway_id: str,
        body: types.DecodeMessageBody,
        **options: Unpack[CallOptions],
    ) -> types.JudgedMessage:
        """Says what the service would read out of a message of a gateway, why not, and which setting would help. Nothing is stored."""
        return self._json("POST", f"/v1/gateways/{self._segment(gateway_id)}/decode", body=body, is_safe=True, options=options)

    def unread_messages(
        self,
        gateway_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.UnreadMessages]:
        """Messages through a gateway that no family of devices knows, counted by the shape of their topic, page by page.

        limit: Most items in the answer.
        """
        return self._pages("GET", f"/v1/gateways/{self._segment(gateway_id)}/unread", query={"limit": limit}, is_safe=True, options=options)

    def create_group(
        self,
        body: types.CreateGroupBody,
        **options: Unpack[CallOptions],
    ) -> types.Group:
        """Makes a group of homes (a building, a feeder, a district). For utilities and administrators."""
        return self._json("POST", "/v1/groups", body=body, options=options)

    def list_groups(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Group]:
        """The groups of homes that the caller reaches, page by page.

        user_id: Only groups of this owner. Default: all.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/groups", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_group(
        self,
        group_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Group:
        """One group of homes."""
        return self._json("GET", f"/v1/groups/{self._segment(group_id)}", is_safe=True, options=options)

    def update_group(
        self,
        group_id: str,
        body: types.UpdateGroupBody,
        **options: Unpack[CallOptions],
    ) -> types.Group:
        """Changes a group’s name or kind, or what it is a part of."""
        return self._json("PATCH", f"/v1/groups/{self._segment(group_id)}", body=body, options=options)

    def delete_group(
        self,
        group_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Removes a group, and the keys that are limited to it; its homes stay as they are."""
        return self._json("DELETE", f"/v1/groups/{self._segment(group_id)}", is_safe=True, options=options)

    def list_group_users(
        self,
        group_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.User]:
        """The homes of a group, page by page, without those of groups below it.

        limit: Most items in the answer.
        """
        return self._pages("GET", f"/v1/groups/{self._segment(group_id)}/users", query={"limit": limit}, is_safe=True, options=options)

    def change_group_users(
        self,
        group_id: str,
        body: types.ChangeGroupUsersBody,
        **options: Unpack[CallOptions],
    ) -> types.ChangedGroup:
        """Adds homes to a group and removes others, up to 10,000 each; all of it or nothing."""
        return self._json("POST", f"/v1/groups/{self._segment(group_id)}/users", body=body, options=options)

    def add_group_user(
        self,
        group_id: str,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> types.ChangedGroup:
        """Adds a home to a group; one that is in it already stays."""
        return self._json("PUT", f"/v1/groups/{self._segment(group_id)}/users/{self._segment(user_id)}", is_safe=True, options=options)

    def remove_group_user(
        self,
        group_id: str,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> types.ChangedGroup:
        """Removes a home from a group; the home itself stays as it is."""
        return self._json("DELETE", f"/v1/groups/{self._segment(group_id)}/users/{self._segment(user_id)}", is_safe=True, options=options)

    def group_energy_insights(
        self,
        group_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> types.GroupEnergyInsights:
        """What the homes of a group, and of those below it, used together by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. Each home counts once.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the group’s owner.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        """
        return self._json("GET", f"/v1/groups/{self._segment(group_id)}/energy-insights", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "include": include}, is_safe=True, options=options)

    def group_energy_insights_csv(
        self,
        group_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> str:
        """What the homes of a group, and of those below it, used together by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. Each home counts once. As CSV.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the group’s owner.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        """
        return self._text("GET", f"/v1/groups/{self._segment(group_id)}/energy-insights", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "include": include}, accept="text/csv", is_safe=True, options=options)

    def group_energy_insights_xlsx(
        self,
        group_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        group_by: str | None = None,
        tz: str | None = None,
        include: str | Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """What the homes of a group, and of those below it, used together by day, month, hour, half-hour or quarter-hour; without dates the last 30 days in one object. Each home counts once. As a spreadsheet (XLSX).

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: What each row covers. Default: `day`; in a Green Button feed `hour`, which takes only `hour` and `quarter_hour`. A month covers those of its days that lie in the range. Hours, half-hours and quarter-hours begin on the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the group’s owner.
        include: What to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` adds `coverage` and `complete`; `autarky`, `cost` (by the user’s tariffs) and `emissions` (by its emission series) add a member of that name.
        """
        return self._bytes("GET", f"/v1/groups/{self._segment(group_id)}/energy-insights", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "include": include}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def create_import(
        self,
        body: types.CreateImportBody,
        *,
        create_users: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> types.DeviceImport:
        """Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or, with the mistakes named row by row, none. The same again changes nothing: a row is the device of its owner with the same `external_id`, or without one of the same `type` and `location`.

        create_users: Whether accounts (homeowners) are made for addresses that have none. Needs `users:write`, and a utility or an administrator.
        """
        return self._json("POST", "/v1/imports", query={"create_users": create_users}, body=body, options=options)

    def create_import_csv(
        self,
        csv: str,
        *,
        create_users: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> types.DeviceImport:
        """Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or, with the mistakes named row by row, none. The same again changes nothing: a row is the device of its owner with the same `external_id`, or without one of the same `type` and `location`. From CSV.

        create_users: Whether accounts (homeowners) are made for addresses that have none. Needs `users:write`, and a utility or an administrator.
        """
        return self._json("POST", "/v1/imports", query={"create_users": create_users}, body=csv, content_type="text/csv", options=options)

    def get_import(
        self,
        import_id: str,
        **options: Unpack[CallOptions],
    ) -> types.DeviceImport:
        """Shows what came of an import of devices."""
        return self._json("GET", f"/v1/imports/{self._segment(import_id)}", is_safe=True, options=options)

    def fetch_import_credentials(
        self,
        import_id: str,
        **options: Unpack[CallOptions],
    ) -> types.ImportCredentials:
        """Fetches the MQTT passwords of the devices that an import made: once, within a day. With an Idempotency-Key an answer that was lost can be had again."""
        return self._json("POST", f"/v1/imports/{self._segment(import_id)}/credentials", options=options)

    def create_provisioning_batch(
        self,
        body: types.CreateProvisioningBatchBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedProvisioningBatch:
        """Makes a secret that meters are made with in the factory, and claim their devices and their own passwords with at first contact. A meter gets the device that has its serial as `external_id`. For utilities and administrators."""
        return self._json("POST", "/v1/provisioning-batches", body=body, options=options)

    def list_provisioning_batches(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.ProvisioningBatch]:
        """The provisioning batches that the caller made, those that ended too, page by page; an administrator’s list has all.

        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/provisioning-batches", query={"limit": limit}, is_safe=True, options=options)

    def revoke_provisioning_batch(
        self,
        batch_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends a provisioning batch: nothing claims with it any more. What was claimed goes on."""
        return self._json("DELETE", f"/v1/provisioning-batches/{self._segment(batch_id)}", is_safe=True, options=options)

    def create_bill_period(
        self,
        body: types.CreateBillPeriodBody,
        **options: Unpack[CallOptions],
    ) -> types.BillPeriodDetails:
        """Makes a bill period of a home or a device, and records what is known of it: energy, register readings at both ends, what is estimated, with a checksum. For utilities and administrators."""
        return self._json("POST", "/v1/bill-periods", body=body, options=options)

    def list_bill_periods(
        self,
        *,
        user_id: str | None = None,
        device_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.BillPeriod]:
        """The bill periods of a user with what was told of them last, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        device_id: Only those of this device. Default: all of the user.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/bill-periods", query={"user_id": user_id, "device_id": device_id, "limit": limit}, is_safe=True, options=options)

    def list_bill_periods_csv(
        self,
        *,
        user_id: str | None = None,
        device_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> str:
        """The bill periods of a user with what was told of them last, page by page. As CSV.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        device_id: Only those of this device. Default: all of the user.
        limit: Most items in the answer.
        """
        return self._text("GET", "/v1/bill-periods", query={"user_id": user_id, "device_id": device_id, "limit": limit}, accept="text/csv", is_safe=True, options=options)

    def list_bill_periods_xlsx(
        self,
        *,
        user_id: str | None = None,
        device_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """The bill periods of a user with what was told of them last, page by page. As a spreadsheet (XLSX).

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        device_id: Only those of this device. Default: all of the user.
        limit: Most items in the answer.
        """
        return self._bytes("GET", "/v1/bill-periods", query={"user_id": user_id, "device_id": device_id, "limit": limit}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def get_bill_period(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> types.BillPeriodDetails:
        """One bill period: what was told first and last, what is known now, the difference, and all versions. As a table and as Green Button what was told last, with register readings and checksum."""
        return self._json("GET", f"/v1/bill-periods/{self._segment(bill_period_id)}", is_safe=True, options=options)

    def get_bill_period_csv(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> str:
        """One bill period: what was told first and last, what is known now, the difference, and all versions. As a table and as Green Button what was told last, with register readings and checksum. As CSV."""
        return self._text("GET", f"/v1/bill-periods/{self._segment(bill_period_id)}", accept="text/csv", is_safe=True, options=options)

    def get_bill_period_xlsx(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """One bill period: what was told first and last, what is known now, the difference, and all versions. As a table and as Green Button what was told last, with register readings and checksum. As a spreadsheet (XLSX)."""
        return self._bytes("GET", f"/v1/bill-periods/{self._segment(bill_period_id)}", accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def get_bill_period_green_button(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> str:
        """One bill period: what was told first and last, what is known now, the difference, and all versions. As a table and as Green Button what was told last, with register readings and checksum. As a Green Button feed."""
        return self._text("GET", f"/v1/bill-periods/{self._segment(bill_period_id)}", accept="application/atom+xml", is_safe=True, options=options)

    def delete_bill_period(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Removes an open bill period: a closed one stays. For utilities and administrators."""
        return self._json("DELETE", f"/v1/bill-periods/{self._segment(bill_period_id)}", is_safe=True, options=options)

    def record_bill_version(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> types.BillPeriodDetails:
        """Records what is known of an open bill period now as a further version. For utilities and administrators."""
        return self._json("POST", f"/v1/bill-periods/{self._segment(bill_period_id)}/versions", options=options)

    def close_bill_period(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> types.BillPeriodDetails:
        """Closes a bill period that is over: what changes of its days later is billed with the next open one, as an adjustment. For utilities and administrators."""
        return self._json("POST", f"/v1/bill-periods/{self._segment(bill_period_id)}/close", options=options)

    def create_tariff(
        self,
        body: types.CreateTariffBody,
        **options: Unpack[CallOptions],
    ) -> types.Tariff:
        """Says what a user pays for energy from a day on, and gets for what is fed in."""
        return self._json("POST", "/v1/tariffs", body=body, options=options)

    def list_tariffs(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Tariff]:
        """The tariffs of a user in order of `valid_from`, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/tariffs", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_tariff(
        self,
        tariff_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Tariff:
        """One tariff."""
        return self._json("GET", f"/v1/tariffs/{self._segment(tariff_id)}", is_safe=True, options=options)

    def update_tariff(
        self,
        tariff_id: str,
        body: types.UpdateTariffBody,
        **options: Unpack[CallOptions],
    ) -> types.Tariff:
        """Changes a tariff. What changes holds for the past that it covers, too."""
        return self._json("PATCH", f"/v1/tariffs/{self._segment(tariff_id)}", body=body, options=options)

    def delete_tariff(
        self,
        tariff_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Removes a tariff. The one before it holds in its place."""
        return self._json("DELETE", f"/v1/tariffs/{self._segment(tariff_id)}", is_safe=True, options=options)

    def compare_tariffs(
        self,
        body: types.CompareTariffsBody,
        **options: Unpack[CallOptions],
    ) -> types.CompareTariffsAnswer:
        """What a range would have cost by other tariffs, each as if it had held in all of it. Stores nothing. Counts as 10 requests, and runs one at a time by account."""
        return self._json("POST", "/v1/tariffs/compare", body=body, is_safe=True, options=options)

    def what_if(
        self,
        body: types.WhatIfBody,
        **options: Unpack[CallOptions],
    ) -> types.WhatIfAnswer:
        """What a range would have been with a battery, or with more or fewer panels. Stores nothing. Counts as 10 requests, and runs one at a time by account."""
        return self._json("POST", "/v1/what-if", body=body, is_safe=True, options=options)

    def create_price_series(
        self,
        body: types.CreatePriceSeriesBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedPriceSeries:
        """Creates a price series, for prices that are put as they become known, or that the service fetches from a source. A utility’s series can be used by its homeowners, an administrator’s by everybody."""
        return self._json("POST", "/v1/price-series", body=body, options=options)

    def list_price_series(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.PriceSeries]:
        """The price series that a user can use, page by page: its own, its utility’s and those of administrators.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/price-series", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_price_series(
        self,
        series_id: str,
        **options: Unpack[CallOptions],
    ) -> types.PriceSeries:
        """One price series, of those that the caller can use too."""
        return self._json("GET", f"/v1/price-series/{self._segment(series_id)}", is_safe=True, options=options)

    def update_price_series(
        self,
        series_id: str,
        body: types.UpdatePriceSeriesBody,
        **options: Unpack[CallOptions],
    ) -> types.PriceSeries:
        """Changes the name of a price series, or where it fetches its prices."""
        return self._json("PATCH", f"/v1/price-series/{self._segment(series_id)}", body=body, options=options)

    def delete_price_series(
        self,
        series_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Removes a price series and its prices, unless a tariff uses it."""
        return self._json("DELETE", f"/v1/price-series/{self._segment(series_id)}", is_safe=True, options=options)

    def list_prices(
        self,
        series_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        **options: Unpack[CallOptions],
    ) -> list[types.Price]:
        """The prices of a series from `start` to `end`, UTC days; without them those of today and tomorrow.

        start: First day of the range, UTC. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        """
        return self._json("GET", f"/v1/price-series/{self._segment(series_id)}/prices", query={"start": start, "end": end}, is_safe=True, options=options)

    def put_prices(
        self,
        series_id: str,
        body: types.PutPricesBody,
        **options: Unpack[CallOptions],
    ) -> types.PutPricesAnswer:
        """Stores up to 10,000 prices of a series, as JSON or CSV. A price of the same time is replaced; the others stay. Of a body with a mistake nothing is taken."""
        return self._json("PUT", f"/v1/price-series/{self._segment(series_id)}/prices", body=body, is_safe=True, options=options)

    def put_prices_csv(
        self,
        series_id: str,
        csv: str,
        **options: Unpack[CallOptions],
    ) -> types.PutPricesAnswer:
        """Stores up to 10,000 prices of a series, as JSON or CSV. A price of the same time is replaced; the others stay. Of a body with a mistake nothing is taken. From CSV."""
        return self._json("PUT", f"/v1/price-series/{self._segment(series_id)}/prices", body=csv, content_type="text/csv", is_safe=True, options=options)

    def delete_prices(
        self,
        series_id: str,
        *,
        from_: str,
        to: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Removes prices that were put for times from `from` until `to`. If the series has a source, its prices hold for these times at once.

        from_: Start of the first value that is removed: an instant (ISO 8601), or a date (UTC).
        to: End of the times, exclusive: an instant (ISO 8601), or a date (UTC).
        """
        return self._json("DELETE", f"/v1/price-series/{self._segment(series_id)}/prices", query={"from": from_, "to": to}, is_safe=True, options=options)

    def create_emission_series(
        self,
        body: types.CreateEmissionSeriesBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedEmissionSeries:
        """Creates an emission series: how many grams of CO2 equivalent a kWh of the grid causes, put by its owner or fetched from a source. A utility’s series can be used by its homeowners, an administrator’s by everybody."""
        return self._json("POST", "/v1/emission-series", body=body, options=options)

    def list_emission_series(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.EmissionSeries]:
        """The emission series that a user can use, page by page: its own, its utility’s and those of administrators.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/emission-series", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_emission_series(
        self,
        series_id: str,
        **options: Unpack[CallOptions],
    ) -> types.EmissionSeries:
        """One emission series, of those that the caller can use too."""
        return self._json("GET", f"/v1/emission-series/{self._segment(series_id)}", is_safe=True, options=options)

    def update_emission_series(
        self,
        series_id: str,
        body: types.UpdateEmissionSeriesBody,
        **options: Unpack[CallOptions],
    ) -> types.EmissionSeries:
        """Changes the name of an emission series, or where it fetches its intensities."""
        return self._json("PATCH", f"/v1/emission-series/{self._segment(series_id)}", body=body, options=options)

    def delete_emission_series(
        self,
        series_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Removes an emission series and its intensities, unless a user has it."""
        return self._json("DELETE", f"/v1/emission-series/{self._segment(series_id)}", is_safe=True, options=options)

    def list_intensities(
        self,
        series_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        **options: Unpack[CallOptions],
    ) -> list[types.Intensity]:
        """The intensities of a series from `start` to `end`, UTC days; without them those of today and tomorrow.

        start: First day of the range, UTC. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        """
        return self._json("GET", f"/v1/emission-series/{self._segment(series_id)}/intensities", query={"start": start, "end": end}, is_safe=True, options=options)

    def put_intensities(
        self,
        series_id: str,
        body: types.PutIntensitiesBody,
        **options: Unpack[CallOptions],
    ) -> types.PutIntensitiesAnswer:
        """Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity of the same time is replaced; the others stay. Of a body with an error nothing is stored."""
        return self._json("PUT", f"/v1/emission-series/{self._segment(series_id)}/intensities", body=body, is_safe=True, options=options)

    def put_intensities_csv(
        self,
        series_id: str,
        csv: str,
        **options: Unpack[CallOptions],
    ) -> types.PutIntensitiesAnswer:
        """Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity of the same time is replaced; the others stay. Of a body with an error nothing is stored. From CSV."""
        return self._json("PUT", f"/v1/emission-series/{self._segment(series_id)}/intensities", body=csv, content_type="text/csv", is_safe=True, options=options)

    def delete_intensities(
        self,
        series_id: str,
        *,
        from_: str,
        to: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Removes intensities that were put for times from `from` until `to`. If the series has a source, its intensities hold for these times at once.

        from_: Start of the first value that is removed: an instant (ISO 8601), or a date (UTC).
        to: End of the times, exclusive: an instant (ISO 8601), or a date (UTC).
        """
        return self._json("DELETE", f"/v1/emission-series/{self._segment(series_id)}/intensities", query={"from": from_, "to": to}, is_safe=True, options=options)

    def create_key(
        self,
        body: types.CreateKeyBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedKey:
        """Creates a key; it is shown here and never again. A key can create only what it may do itself; a utility creates keys for its homeowners with insights:read, alerts:read and devices:read at most. A key of one device (`device_id`) writes its readings, and nothing else; it needs devices:write, too. A key for the home of another account (`home_user_id`) needs a membership of that home."""
        return self._json("POST", "/v1/keys", body=body, options=options)

    def list_keys(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Key]:
        """The keys of a user that are not revoked, page by page; never the keys themselves.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/keys", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def update_key(
        self,
        key_id: str,
        body: types.UpdateKeyBody,
        **options: Unpack[CallOptions],
    ) -> types.Key:
        """Changes from where and until when a key may be used. For what changes something it holds at once, for what reads after 10 seconds."""
        return self._json("PATCH", f"/v1/keys/{self._segment(key_id)}", body=body, options=options)

    def revoke_key(
        self,
        key_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Revokes a key: it changes nothing from now on, and reads nothing after 10 seconds."""
        return self._json("DELETE", f"/v1/keys/{self._segment(key_id)}", is_safe=True, options=options)

    def rotate_key(
        self,
        key_id: str,
        body: types.RotateKeyBody | None = None,
        **options: Unpack[CallOptions],
    ) -> types.RotatedKey:
        """Makes a new key like an old one, which goes on for 24 h, or as many hours as are named. The new one ends when it is said, or never."""
        return self._json("POST", f"/v1/keys/{self._segment(key_id)}/rotate", body=body, options=options)

    def invite_member(
        self,
        user_id: str,
        body: types.InviteMemberBody,
        **options: Unpack[CallOptions],
    ) -> types.Member:
        """Invites a person to the caller’s own home, by a mail whose link is valid for 7 days: 10 mails a day, and 20 members and invitations, at most. Only a homeowner invites, and only homeowners become members."""
        return self._json("POST", f"/v1/users/{self._segment(user_id)}/members", body=body, options=options)

    def list_members(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Member]:
        """The members of a home and the invitations to it that are still valid, page by page.

        limit: Most items in the answer.
        """
        return self._pages("GET", f"/v1/users/{self._segment(user_id)}/members", query={"limit": limit}, is_safe=True, options=options)

    def remove_member(
        self,
        user_id: str,
        member_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends a membership at once, with the keys and webhooks that the member made for the home, or withdraws an invitation. Both get a mail; the owner’s lists the passwords that the member saw."""
        return self._json("DELETE", f"/v1/users/{self._segment(user_id)}/members/{self._segment(member_id)}", is_safe=True, options=options)

    def accept_membership(
        self,
        body: types.AcceptMembershipBody,
        **options: Unpack[CallOptions],
    ) -> types.Membership:
        """Makes the caller’s account a member of a home, by the token of an invitation. A mail must have confirmed the address of the account: one that signed in with, or the invitation itself."""
        return self._json("POST", "/v1/memberships", body=body, options=options)

    def list_memberships(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Membership]:
        """The homes of other accounts of which the caller’s account is a member, page by page.

        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/memberships", query={"limit": limit}, is_safe=True, options=options)

    def leave_membership(
        self,
        member_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends a membership of the caller’s account at once, with the keys and webhooks that it made for the home. Both get a mail."""
        return self._json("DELETE", f"/v1/memberships/{self._segment(member_id)}", is_safe=True, options=options)

    def create_app(
        self,
        body: types.CreateAppBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedApp:
        """Registers an app, which homes can then let in by OAuth 2.1. For utilities and administrators. The secret of a confidential app is shown once."""
        return self._json("POST", "/v1/apps", body=body, options=options)

    def list_apps(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.App]:
        """Apps that the caller’s account registered, page by page.

        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/apps", query={"limit": limit}, is_safe=True, options=options)

    def get_app(
        self,
        app_id: str,
        **options: Unpack[CallOptions],
    ) -> types.App:
        """One app."""
        return self._json("GET", f"/v1/apps/{self._segment(app_id)}", is_safe=True, options=options)

    def update_app(
        self,
        app_id: str,
        body: types.UpdateAppBody,
        **options: Unpack[CallOptions],
    ) -> types.App:
        """Changes an app. Fewer scopes hold at once, also for tokens that were issued."""
        return self._json("PATCH", f"/v1/apps/{self._segment(app_id)}", body=body, options=options)

    def delete_app(
        self,
        app_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes an app, and ends every authorization of it at once. Each home gets a mail."""
        return self._json("DELETE", f"/v1/apps/{self._segment(app_id)}", is_safe=True, options=options)

    def list_authorizations(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Authorization]:
        """Apps that the caller’s own home has let in, page by page.

        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/authorizations", query={"limit": limit}, is_safe=True, options=options)

    def end_authorization(
        self,
        authorization_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends the access of an app to the caller’s home at once, with the alerts and webhooks that the app made."""
        return self._json("DELETE", f"/v1/authorizations/{self._segment(authorization_id)}", is_safe=True, options=options)

    def list_audit(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Act]:
        """Who did what to whom in the last 24 months, the latest first, page by page; `user_id`: what this account did, and what was done to it. For administrators.

        user_id: Only what this user did, and what was done to it. Default: all.
        limit: Most items in the answer.
        """
        return self._pages("GET", "/v1/audit", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)
