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
        """Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        commodity: Commodity. For gas, heat and water, `include` allows only estimated and coverage.
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
        """Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. As CSV.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        commodity: Commodity. For gas, heat and water, `include` allows only estimated and coverage.
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
        """Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. As a spreadsheet (XLSX).

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        commodity: Commodity. For gas, heat and water, `include` allows only estimated and coverage.
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
        """Returns the usage of a home by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. As a Green Button feed.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        commodity: Commodity. For gas, heat and water, `include` allows only estimated and coverage.
        """
        return self._text("GET", "/v1/energy-insights", query={"start": start, "end": end, "group_by": group_by, "user_id": user_id, "tz": tz, "include": include, "commodity": commodity}, accept="application/atom+xml", is_safe=True, options=options)

    def post_energy_insights(
        self,
        body: types.PostEnergyInsightsBody,
        **options: Unpack[CallOptions],
    ) -> types.Summary:
        """Returns a summary of a user’s usage in the current calendar interval up to now, or between two dates."""
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
        """Returns a user’s usage by month, compared with the previous month.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        months: Number of months, including the current one.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
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
        """Returns a user’s usage by month, compared with the previous month. As CSV.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        months: Number of months, including the current one.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
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
        """Returns a user’s usage by month, compared with the previous month. As a spreadsheet (XLSX).

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        months: Number of months, including the current one.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        """
        return self._bytes("GET", "/v1/analytics/monthly", query={"user_id": user_id, "months": months, "tz": tz, "include": include}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def get_forecast(
        self,
        *,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> types.Forecast:
        """Returns the expected usage and cost of a user’s home at the end of the month: a value, a range, and the errors of the same forecast in earlier months.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        """
        return self._json("GET", "/v1/forecast", query={"user_id": user_id}, is_safe=True, options=options)

    def list_remarks(
        self,
        *,
        user_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> types.Remarks:
        """Returns the current remarks on a user’s home: unusual usage, devices that stay on, missing production and cheaper tariffs, with the values that they are compared with.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        """
        return self._json("GET", "/v1/remarks", query={"user_id": user_id}, is_safe=True, options=options)

    def create_alert(
        self,
        body: types.CreateAlertBody,
        **options: Unpack[CallOptions],
    ) -> types.CreateAlertAnswer:
        """Creates an alert with a threshold on a user’s usage or costs, or on the silence of a device."""
        return self._json("POST", "/v1/alerts", body=body, options=options)

    def list_alerts(
        self,
        *,
        user_id: str,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Alert]:
        """Lists the alerts of a user, page by page.

        user_id: Id of the user. Required.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/alerts", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def preview_alert(
        self,
        body: types.PreviewAlertBody,
        **options: Unpack[CallOptions],
    ) -> types.AlertPreview:
        """Returns the periods of the last 90 days in which an alert would have fired. Creates no alert."""
        return self._json("POST", "/v1/alerts/preview", body=body, is_safe=True, options=options)

    def get_alert(
        self,
        alert_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Alert:
        """Returns one alert."""
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
        """Deletes an alert."""
        return self._json("DELETE", f"/v1/alerts/{self._segment(alert_id)}", is_safe=True, options=options)

    def create_user(
        self,
        body: types.CreateUserBody,
        **options: Unpack[CallOptions],
    ) -> types.CreateUserAnswer:
        """Creates an account. A utility creates accounts of homeowners, an administrator any account."""
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
        """Lists the accounts that the caller can access, page by page. Filters and counts of devices also need `devices:read`.

        search: Search text: a part of the e-mail address; case is ignored. Default: all accounts.
        role: Role: only accounts with this role. Default: all roles.
        plan: Plan: only accounts on this plan. Default: all plans.
        has_attention: `true`: only accounts with a device that has an open problem. `false`: only accounts without one. Default: all accounts.
        silent: `true`: only accounts with a device that has been silent for 24 hours. `false`: only accounts without one. Default: all accounts.
        include: `devices`: adds the number of devices of each account. Default: none.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/users", query={"search": search, "role": role, "plan": plan, "has_attention": has_attention, "silent": silent, "include": include, "limit": limit}, is_safe=True, options=options)

    def get_user(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> types.User:
        """Returns one account."""
        return self._json("GET", f"/v1/users/{self._segment(user_id)}", is_safe=True, options=options)

    def update_user(
        self,
        user_id: str,
        body: types.UpdateUserBody,
        **options: Unpack[CallOptions],
    ) -> types.User:
        """Changes an account. Only administrators can change role and plan. Changing `email` also needs keys:write. The new address is the `pending_email` until a link in a mail to it is used, within 7 days; sending the present address as `email` withdraws it. An administrator’s change takes effect at once. Changing the address or the role ends all keys and sessions of the account."""
        return self._json("PATCH", f"/v1/users/{self._segment(user_id)}", body=body, options=options)

    def delete_user(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes an account and all its data. The only administrator cannot be deleted (409)."""
        return self._json("DELETE", f"/v1/users/{self._segment(user_id)}", is_safe=True, options=options)

    def export_user(
        self,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """Returns all data of an account as a ZIP of JSON and CSV files, without secrets."""
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
        """Lists the caller’s own subscriptions, page by page.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/webhooks", query={"limit": limit}, is_safe=True, options=options)

    def update_webhook(
        self,
        webhook_id: str,
        body: types.UpdateWebhookBody,
        **options: Unpack[CallOptions],
    ) -> types.Webhook:
        """Pauses or resumes a subscription, or changes its events, address or secret. After a change of the secret, both secrets are valid for 24 h. An app can change the address and the secret only of subscriptions that it created."""
        return self._json("PATCH", f"/v1/webhooks/{self._segment(webhook_id)}", body=body, options=options)

    def delete_webhook(
        self,
        webhook_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes a subscription."""
        return self._json("DELETE", f"/v1/webhooks/{self._segment(webhook_id)}", is_safe=True, options=options)

    def webhook_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Delivery]:
        """Lists the deliveries of a subscription in the last 30 days with all attempts, latest first.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", f"/v1/webhooks/{self._segment(webhook_id)}/deliveries", query={"limit": limit}, is_safe=True, options=options)

    def get_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> types.SentDelivery:
        """Returns one delivery of a subscription, with the request."""
        return self._json("GET", f"/v1/webhooks/{self._segment(webhook_id)}/deliveries/{self._segment(delivery_id)}", is_safe=True, options=options)

    def retry_delivery(
        self,
        webhook_id: str,
        delivery_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Delivery:
        """Retries a delivery at once, with all its retries. If the subscription is paused, the delivery is retried when it is resumed."""
        return self._json("POST", f"/v1/webhooks/{self._segment(webhook_id)}/deliveries/{self._segment(delivery_id)}/retry", options=options)

    def test_webhook(
        self,
        webhook_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Delivery:
        """Queues an event webhook.test for a subscription. The result is in the subscription’s deliveries."""
        return self._json("POST", f"/v1/webhooks/{self._segment(webhook_id)}/test", options=options)

    def create_device(
        self,
        body: types.CreateDeviceBody,
        **options: Unpack[CallOptions],
    ) -> types.PairedDevice:
        """Pairs a device. Its MQTT password is shown only once. A device that was discovered through a gateway keeps using the credentials of the gateway."""
        return self._json("POST", "/v1/devices", body=body, options=options)

    def list_devices(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Device]:
        """Lists the devices of a user, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/devices", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def discovered_devices(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.DiscoveredDevice]:
        """Lists the devices that were discovered through a user’s gateways and are not paired, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/devices/discovered", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_device(
        self,
        device_id: str,
        **options: Unpack[CallOptions],
    ) -> types.DeviceDetails:
        """Returns one device with its settings."""
        return self._json("GET", f"/v1/devices/{self._segment(device_id)}", is_safe=True, options=options)

    def update_device(
        self,
        device_id: str,
        body: types.UpdateDeviceBody,
        **options: Unpack[CallOptions],
    ) -> types.DeviceDetails:
        """Changes a device. Limits and `counts_as` also apply to the past, which is recomputed within seconds."""
        return self._json("PATCH", f"/v1/devices/{self._segment(device_id)}", body=body, options=options)

    def delete_device(
        self,
        device_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes a device and its credentials. Its past consumption stays in its owner’s history."""
        return self._json("DELETE", f"/v1/devices/{self._segment(device_id)}", is_safe=True, options=options)

    def release_device(
        self,
        device_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Releases a device, so that a meter of a provisioning batch can claim it again if its serial is the device’s `external_id`. The previous password becomes invalid."""
        return self._json("POST", f"/v1/devices/{self._segment(device_id)}/release", options=options)

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
        """Returns the usage of one device, and the climate that a thermostat reports. Without dates: the last 30 days.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        gaps: Distribution of energy over silences of a register of a day or longer. `line`: evenly, as in all other results. `like_days`: by the load profile of similar days in the previous four weeks, if there are enough; each row then has `estimate`. With `like_days`, `include` allows only `estimated` and `coverage`, and the range is at most 36 months.
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
        """Returns the usage of one device, and the climate that a thermostat reports. Without dates: the last 30 days. As CSV.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        gaps: Distribution of energy over silences of a register of a day or longer. `line`: evenly, as in all other results. `like_days`: by the load profile of similar days in the previous four weeks, if there are enough; each row then has `estimate`. With `like_days`, `include` allows only `estimated` and `coverage`, and the range is at most 36 months.
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
        """Returns the usage of one device, and the climate that a thermostat reports. Without dates: the last 30 days. As a spreadsheet (XLSX).

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        gaps: Distribution of energy over silences of a register of a day or longer. `line`: evenly, as in all other results. `like_days`: by the load profile of similar days in the previous four weeks, if there are enough; each row then has `estimate`. With `like_days`, `include` allows only `estimated` and `coverage`, and the range is at most 36 months.
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
        """Returns the usage of one device, and the climate that a thermostat reports. Without dates: the last 30 days. As a Green Button feed.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `export`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        gaps: Distribution of energy over silences of a register of a day or longer. `line`: evenly, as in all other results. `like_days`: by the load profile of similar days in the previous four weeks, if there are enough; each row then has `estimate`. With `like_days`, `include` allows only `estimated` and `coverage`, and the range is at most 36 months.
        """
        return self._text("GET", f"/v1/devices/{self._segment(device_id)}/usage", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "include": include, "gaps": gaps}, accept="application/atom+xml", is_safe=True, options=options)

    def device_quality(
        self,
        device_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        tz: str | None = None,
        **options: Unpack[CallOptions],
    ) -> types.DeviceQuality:
        """Returns the quality of a device’s data by month: intervals received, estimated and missing, late and rejected readings, resets, corrections. Without dates: the last twelve months.

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
        """Returns the quality of a device’s data by month: intervals received, estimated and missing, late and rejected readings, resets, corrections. Without dates: the last twelve months. As CSV.

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
        """Returns the quality of a device’s data by month: intervals received, estimated and missing, late and rejected readings, resets, corrections. Without dates: the last twelve months. As a spreadsheet (XLSX).

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        """
        return self._bytes("GET", f"/v1/devices/{self._segment(device_id)}/quality", query={"start": start, "end": end, "tz": tz}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def list_device_readings(
        self,
        device_id: str,
        *,
        start: str,
        end: str,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.DeviceReading]:
        """Returns the stored readings of a device, each with its use in the computation, oldest first, page by page.

        start: First instant of the range: a date (UTC), or an instant with its zone.
        end: End of the range, exclusive, in the form of `start`. At most 36 months after `start`.
        limit: Maximum number of readings in the response.
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
        """Returns the stored readings of a device, each with its use in the computation, oldest first, page by page. As CSV.

        start: First instant of the range: a date (UTC), or an instant with its zone.
        end: End of the range, exclusive, in the form of `start`. At most 36 months after `start`.
        limit: Maximum number of readings in the response.
        """
        return self._text("GET", f"/v1/devices/{self._segment(device_id)}/readings", query={"start": start, "end": end, "limit": limit}, accept="text/csv", is_safe=True, options=options)

    def send_readings(
        self,
        device_id: str,
        body: types.SendReadingsBody,
        **options: Unpack[CallOptions],
    ) -> types.SentReadings:
        """Stores readings of a device that uses the native format: up to 10,000 elements as JSON, or a SenML pack. The response is sent after the commit. Readings that are also sent by MQTT, or sent twice, count once."""
        return self._json("POST", f"/v1/devices/{self._segment(device_id)}/readings", body=body, options=options)

    def create_device_edit(
        self,
        device_id: str,
        body: types.CreateDeviceEditBody,
        **options: Unpack[CallOptions],
    ) -> types.ReadingEdit:
        """Edits readings of a device by hand, with a reason: excludes the readings of a time range, or adds a register reading by a person. Past consumption is recomputed within seconds; the readings that the device sent stay stored."""
        return self._json("POST", f"/v1/devices/{self._segment(device_id)}/edits", body=body, options=options)

    def list_device_edits(
        self,
        device_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.ReadingEdit]:
        """Lists the edits of a device’s readings, including revoked ones, with author and reason, page by page.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", f"/v1/devices/{self._segment(device_id)}/edits", query={"limit": limit}, is_safe=True, options=options)

    def revoke_device_edit(
        self,
        device_id: str,
        edit_id: str,
        **options: Unpack[CallOptions],
    ) -> types.ReadingEdit:
        """Revokes an edit of readings. Within seconds, consumption is computed without it; the edit stays in the list. Revoking it again changes nothing."""
        return self._json("DELETE", f"/v1/devices/{self._segment(device_id)}/edits/{self._segment(edit_id)}", is_safe=True, options=options)

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
        """Lists the devices of all accounts that the caller can access, page by page, with filters and an order. E-mail addresses of owners also need `users:read`.

        user_id: Id of a user: only the devices of this user. Default: all devices that the caller can access. A homeowner can name only itself.
        status: Status: only devices in this state. Default: all states.
        silent_for_hours: Minimum silence in hours: only devices without a message for this time, or paired this long ago without any message. A silence is detected within a minute. Default: all devices.
        placement: Placement: only devices at this position in their homes. Default: all.
        family: Family of messages: only devices that send them, such as `tasmota`, or `native`. Default: all.
        attention: Kind of problem: only devices with this open problem. Default: all devices.
        text: Search text: only devices with a word of the location, or an id, that begins with it; with `users:read` also the owner’s e-mail address. Case is ignored. Default: all devices.
        sort: Sort order; a minus reverses it. `last_seen_at`: longest silence first; devices with a message in the last hour come last, in no particular order.
        limit: Maximum number of items in the response.
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
        """Counts the devices that fell silent, among all that the caller can access, by hour or day, and groups devices that stopped together.

        start: First day of the range, in the time zone `tz`.
        end: Last day of the range, inclusive. The range is at most 31 days.
        group_by: Length of a row.
        tz: IANA time zone of the days and hours. `account`: the time zone of the user.
        limit: Maximum number of groups in the response.
        """
        return self._json("GET", "/v1/fleet/silence", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "limit": limit}, is_safe=True, options=options)

    def create_gateway(
        self,
        body: types.CreateGatewayBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedGateway:
        """Creates a gateway. Its MQTT password is shown only once."""
        return self._json("POST", "/v1/gateways", body=body, options=options)

    def list_gateways(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Gateway]:
        """Lists the gateways of a user, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/gateways", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def update_gateway(
        self,
        gateway_id: str,
        body: types.UpdateGatewayBody,
        **options: Unpack[CallOptions],
    ) -> types.Gateway:
        """Renames a gateway, or changes the decoder settings for all devices below it."""
        return self._json("PATCH", f"/v1/gateways/{self._segment(gateway_id)}", body=body, options=options)

    def delete_gateway(
        self,
        gateway_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes a gateway and its credentials. Devices that were paired through it remain, with their past."""
        return self._json("DELETE", f"/v1/gateways/{self._segment(gateway_id)}", is_safe=True, options=options)

    def decode_message(
        self,
        gateway_id: str,
        body: types.DecodeMessageBody,
        **options: Unpack[CallOptions],
    ) -> types.JudgedMessage:
        """Decodes a message of a gateway as a test: returns its readings, the reasons why it cannot be used, and settings that would help. Stores nothing."""
        return self._json("POST", f"/v1/gateways/{self._segment(gateway_id)}/decode", body=body, is_safe=True, options=options)

    def unread_messages(
        self,
        gateway_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.UnreadMessages]:
        """Lists messages of a gateway that no device family recognises, counted by the shape of their topic, page by page.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", f"/v1/gateways/{self._segment(gateway_id)}/unread", query={"limit": limit}, is_safe=True, options=options)

    def create_group(
        self,
        body: types.CreateGroupBody,
        **options: Unpack[CallOptions],
    ) -> types.Group:
        """Creates a group of homes (a building, a feeder, a district). For utilities and administrators."""
        return self._json("POST", "/v1/groups", body=body, options=options)

    def list_groups(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Group]:
        """Lists the groups of homes that the caller can access, page by page.

        user_id: Id of an owner: only the owner’s groups. Default: all.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/groups", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_group(
        self,
        group_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Group:
        """Returns one group of homes."""
        return self._json("GET", f"/v1/groups/{self._segment(group_id)}", is_safe=True, options=options)

    def update_group(
        self,
        group_id: str,
        body: types.UpdateGroupBody,
        **options: Unpack[CallOptions],
    ) -> types.Group:
        """Changes a group’s name, kind or parent."""
        return self._json("PATCH", f"/v1/groups/{self._segment(group_id)}", body=body, options=options)

    def delete_group(
        self,
        group_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes a group, and the keys that are limited to it. Its homes do not change."""
        return self._json("DELETE", f"/v1/groups/{self._segment(group_id)}", is_safe=True, options=options)

    def change_group_users(
        self,
        group_id: str,
        body: types.ChangeGroupUsersBody,
        **options: Unpack[CallOptions],
    ) -> types.ChangedGroup:
        """Adds homes to a group and removes others, up to 10,000 each; all of them or none."""
        return self._json("POST", f"/v1/groups/{self._segment(group_id)}/users", body=body, options=options)

    def list_group_users(
        self,
        group_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.User]:
        """Lists the homes of a group, page by page, without the homes of its subgroups.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", f"/v1/groups/{self._segment(group_id)}/users", query={"limit": limit}, is_safe=True, options=options)

    def add_group_user(
        self,
        group_id: str,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> types.ChangedGroup:
        """Adds a home to a group. Adding a member again changes nothing."""
        return self._json("PUT", f"/v1/groups/{self._segment(group_id)}/users/{self._segment(user_id)}", is_safe=True, options=options)

    def remove_group_user(
        self,
        group_id: str,
        user_id: str,
        **options: Unpack[CallOptions],
    ) -> types.ChangedGroup:
        """Removes a home from a group. The home itself does not change."""
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
        """Returns the total usage of the homes of a group and its subgroups by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. Each home counts once.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the group’s owner.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
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
        """Returns the total usage of the homes of a group and its subgroups by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. Each home counts once. As CSV.

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the group’s owner.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
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
        """Returns the total usage of the homes of a group and its subgroups by day, month, hour, half-hour or quarter-hour. Without dates: the last 30 days in one object. Each home counts once. As a spreadsheet (XLSX).

        start: First day of the range, in the time zone `tz`. Needs `end`.
        end: Last day of the range, inclusive. Needs `start`.
        group_by: Length of a row. Default: `day`; in a Green Button feed `hour`, where only `hour` and `quarter_hour` are allowed. A month row covers the days of the month that lie in the range. Hours, half-hours and quarter-hours follow the clock of the time zone.
        tz: IANA time zone of the days and hours. `account`: the time zone of the group’s owner.
        include: Members to add, separated by commas: `grid_import`, `grid_export`, `production`, `charged`, `discharged`, `consumption`, `untracked`, `self_consumed`, `autarky`, `estimated`, `coverage`, `cost`, `emissions`. Each adds `…_kwh`; `coverage` or `complete` adds both; `autarky`, `cost` (user’s tariffs) and `emissions` (user’s emission series) add a member of that name.
        """
        return self._bytes("GET", f"/v1/groups/{self._segment(group_id)}/energy-insights", query={"start": start, "end": end, "group_by": group_by, "tz": tz, "include": include}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def create_import(
        self,
        body: types.CreateImportBody,
        *,
        create_users: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> types.DeviceImport:
        """Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or none. Errors are listed by row. Repeating an import changes nothing: a row matches its owner’s device with the same `external_id`, or, without an `external_id`, with the same `type` and `location`.

        create_users: Whether homeowner accounts are created for unknown e-mail addresses. Needs `users:write`, and is for utilities and administrators.
        """
        return self._json("POST", "/v1/imports", query={"create_users": create_users}, body=body, options=options)

    def create_import_csv(
        self,
        csv: str,
        *,
        create_users: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> types.DeviceImport:
        """Pairs up to 20,000 devices at once, as JSON or CSV of up to 8 MiB: all of them or none. Errors are listed by row. Repeating an import changes nothing: a row matches its owner’s device with the same `external_id`, or, without an `external_id`, with the same `type` and `location`. From CSV.

        create_users: Whether homeowner accounts are created for unknown e-mail addresses. Needs `users:write`, and is for utilities and administrators.
        """
        return self._json("POST", "/v1/imports", query={"create_users": create_users}, body=csv, content_type="text/csv", options=options)

    def get_import(
        self,
        import_id: str,
        **options: Unpack[CallOptions],
    ) -> types.DeviceImport:
        """Returns the result of an import of devices."""
        return self._json("GET", f"/v1/imports/{self._segment(import_id)}", is_safe=True, options=options)

    def fetch_import_credentials(
        self,
        import_id: str,
        **options: Unpack[CallOptions],
    ) -> types.ImportCredentials:
        """Returns the MQTT passwords of the devices that an import created: once, within a day. With an Idempotency-Key, a lost response can be fetched again."""
        return self._json("POST", f"/v1/imports/{self._segment(import_id)}/credentials", options=options)

    def create_provisioning_batch(
        self,
        body: types.CreateProvisioningBatchBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedProvisioningBatch:
        """Creates a shared secret that meters get in the factory. At first contact, each meter uses it to claim its device and its own password. A meter gets the device whose `external_id` is its serial. For utilities and administrators."""
        return self._json("POST", "/v1/provisioning-batches", body=body, options=options)

    def list_provisioning_batches(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.ProvisioningBatch]:
        """Lists the provisioning batches that the caller created, including ended ones, page by page. Administrators see all batches.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/provisioning-batches", query={"limit": limit}, is_safe=True, options=options)

    def revoke_provisioning_batch(
        self,
        batch_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends a provisioning batch: meters can no longer claim with it. Claimed devices continue to work."""
        return self._json("DELETE", f"/v1/provisioning-batches/{self._segment(batch_id)}", is_safe=True, options=options)

    def create_bill_period(
        self,
        body: types.CreateBillPeriodBody,
        **options: Unpack[CallOptions],
    ) -> types.BillPeriodDetails:
        """Creates a bill period of a home or a device, and records its first version: energy, register readings at both ends, estimated energy and a checksum. For utilities and administrators."""
        return self._json("POST", "/v1/bill-periods", body=body, options=options)

    def list_bill_periods(
        self,
        *,
        user_id: str | None = None,
        device_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.BillPeriod]:
        """Lists the bill periods of a user, each with its latest version, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        device_id: Id of a device: only its bill periods. Default: all bill periods of the user.
        limit: Maximum number of items in the response.
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
        """Lists the bill periods of a user, each with its latest version, page by page. As CSV.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        device_id: Id of a device: only its bill periods. Default: all bill periods of the user.
        limit: Maximum number of items in the response.
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
        """Lists the bill periods of a user, each with its latest version, page by page. As a spreadsheet (XLSX).

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        device_id: Id of a device: only its bill periods. Default: all bill periods of the user.
        limit: Maximum number of items in the response.
        """
        return self._bytes("GET", "/v1/bill-periods", query={"user_id": user_id, "device_id": device_id, "limit": limit}, accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def get_bill_period(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> types.BillPeriodDetails:
        """Returns one bill period with its first and latest version, its current values, the difference, and all versions. A table or a Green Button feed contains the latest version, with register readings and checksum."""
        return self._json("GET", f"/v1/bill-periods/{self._segment(bill_period_id)}", is_safe=True, options=options)

    def get_bill_period_csv(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> str:
        """Returns one bill period with its first and latest version, its current values, the difference, and all versions. A table or a Green Button feed contains the latest version, with register readings and checksum. As CSV."""
        return self._text("GET", f"/v1/bill-periods/{self._segment(bill_period_id)}", accept="text/csv", is_safe=True, options=options)

    def get_bill_period_xlsx(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> bytes:
        """Returns one bill period with its first and latest version, its current values, the difference, and all versions. A table or a Green Button feed contains the latest version, with register readings and checksum. As a spreadsheet (XLSX)."""
        return self._bytes("GET", f"/v1/bill-periods/{self._segment(bill_period_id)}", accept="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", is_safe=True, options=options)

    def get_bill_period_green_button(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> str:
        """Returns one bill period with its first and latest version, its current values, the difference, and all versions. A table or a Green Button feed contains the latest version, with register readings and checksum. As a Green Button feed."""
        return self._text("GET", f"/v1/bill-periods/{self._segment(bill_period_id)}", accept="application/atom+xml", is_safe=True, options=options)

    def delete_bill_period(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes an open bill period. A closed period cannot be deleted. For utilities and administrators."""
        return self._json("DELETE", f"/v1/bill-periods/{self._segment(bill_period_id)}", is_safe=True, options=options)

    def close_bill_period(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> types.BillPeriodDetails:
        """Closes a bill period that is over. The next open period bills later changes of its days as an adjustment. For utilities and administrators."""
        return self._json("POST", f"/v1/bill-periods/{self._segment(bill_period_id)}/close", options=options)

    def record_bill_version(
        self,
        bill_period_id: str,
        **options: Unpack[CallOptions],
    ) -> types.BillPeriodDetails:
        """Records the current values of an open bill period as a new version. For utilities and administrators."""
        return self._json("POST", f"/v1/bill-periods/{self._segment(bill_period_id)}/versions", options=options)

    def create_tariff(
        self,
        body: types.CreateTariffBody,
        **options: Unpack[CallOptions],
    ) -> types.Tariff:
        """Creates a tariff: the prices of a user’s energy from a day on, and the payments for exported energy."""
        return self._json("POST", "/v1/tariffs", body=body, options=options)

    def list_tariffs(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Tariff]:
        """Lists the tariffs of a user in order of `valid_from`, page by page.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/tariffs", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def compare_tariffs(
        self,
        body: types.CompareTariffsBody,
        **options: Unpack[CallOptions],
    ) -> types.CompareTariffsAnswer:
        """Computes the cost of a range under other tariffs, each as if it had been in force for the whole range. Stores nothing. Counts as 10 requests; only one runs at a time for each account."""
        return self._json("POST", "/v1/tariffs/compare", body=body, is_safe=True, options=options)

    def get_tariff(
        self,
        tariff_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Tariff:
        """Returns one tariff."""
        return self._json("GET", f"/v1/tariffs/{self._segment(tariff_id)}", is_safe=True, options=options)

    def update_tariff(
        self,
        tariff_id: str,
        body: types.UpdateTariffBody,
        **options: Unpack[CallOptions],
    ) -> types.Tariff:
        """Changes a tariff. The change also applies to the past that the tariff covers."""
        return self._json("PATCH", f"/v1/tariffs/{self._segment(tariff_id)}", body=body, options=options)

    def delete_tariff(
        self,
        tariff_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes a tariff. The previous tariff then applies to its time."""
        return self._json("DELETE", f"/v1/tariffs/{self._segment(tariff_id)}", is_safe=True, options=options)

    def what_if(
        self,
        body: types.WhatIfBody,
        **options: Unpack[CallOptions],
    ) -> types.WhatIfAnswer:
        """Computes the energy and cost of a range with a battery, or with more or fewer panels. Stores nothing. Counts as 10 requests; only one runs at a time for each account."""
        return self._json("POST", "/v1/what-if", body=body, is_safe=True, options=options)

    def create_emission_series(
        self,
        body: types.CreateEmissionSeriesBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedEmissionSeries:
        """Creates an emission series: grams of CO2 equivalent for a kWh from the grid, uploaded by its owner or fetched from a source. Homeowners can use the series of their utility; everybody can use the series of an administrator."""
        return self._json("POST", "/v1/emission-series", body=body, options=options)

    def list_emission_series(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.EmissionSeries]:
        """Lists the emission series that a user can use, page by page: its own series, its utility’s series and those of administrators.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/emission-series", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_emission_series(
        self,
        series_id: str,
        **options: Unpack[CallOptions],
    ) -> types.EmissionSeries:
        """Returns one emission series that the caller can use."""
        return self._json("GET", f"/v1/emission-series/{self._segment(series_id)}", is_safe=True, options=options)

    def delete_emission_series(
        self,
        series_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes an emission series and its intensities, unless a user uses it."""
        return self._json("DELETE", f"/v1/emission-series/{self._segment(series_id)}", is_safe=True, options=options)

    def update_emission_series(
        self,
        series_id: str,
        body: types.UpdateEmissionSeriesBody,
        **options: Unpack[CallOptions],
    ) -> types.EmissionSeries:
        """Changes the name or the source of an emission series."""
        return self._json("PATCH", f"/v1/emission-series/{self._segment(series_id)}", body=body, options=options)

    def list_intensities(
        self,
        series_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        **options: Unpack[CallOptions],
    ) -> list[types.Intensity]:
        """Returns the intensities of a series from `start` to `end`, in UTC days. Without dates: today and tomorrow.

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
        """Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity for the same time is replaced; other intensities do not change. If one intensity has an error, none is stored."""
        return self._json("PUT", f"/v1/emission-series/{self._segment(series_id)}/intensities", body=body, is_safe=True, options=options)

    def put_intensities_csv(
        self,
        series_id: str,
        csv: str,
        **options: Unpack[CallOptions],
    ) -> types.PutIntensitiesAnswer:
        """Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity for the same time is replaced; other intensities do not change. If one intensity has an error, none is stored. From CSV."""
        return self._json("PUT", f"/v1/emission-series/{self._segment(series_id)}/intensities", body=csv, content_type="text/csv", is_safe=True, options=options)

    def delete_intensities(
        self,
        series_id: str,
        *,
        from_: str,
        to: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes uploaded intensities from `from` (inclusive) to `to` (exclusive). If the series has a source, the intensities of the source apply to these times at once.

        from_: Start of the range, inclusive: an instant (ISO 8601), or a date (UTC).
        to: End of the range, exclusive: an instant (ISO 8601), or a date (UTC).
        """
        return self._json("DELETE", f"/v1/emission-series/{self._segment(series_id)}/intensities", query={"from": from_, "to": to}, is_safe=True, options=options)

    def create_price_series(
        self,
        body: types.CreatePriceSeriesBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedPriceSeries:
        """Creates a price series, whose prices its owner uploads as they become known, or which the service fetches from a source. Homeowners can use the series of their utility; everybody can use the series of an administrator."""
        return self._json("POST", "/v1/price-series", body=body, options=options)

    def list_price_series(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.PriceSeries]:
        """Lists the price series that a user can use, page by page: its own series, its utility’s series and those of administrators.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/price-series", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def get_price_series(
        self,
        series_id: str,
        **options: Unpack[CallOptions],
    ) -> types.PriceSeries:
        """Returns one price series that the caller can use."""
        return self._json("GET", f"/v1/price-series/{self._segment(series_id)}", is_safe=True, options=options)

    def delete_price_series(
        self,
        series_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes a price series and its prices, unless a tariff uses it."""
        return self._json("DELETE", f"/v1/price-series/{self._segment(series_id)}", is_safe=True, options=options)

    def update_price_series(
        self,
        series_id: str,
        body: types.UpdatePriceSeriesBody,
        **options: Unpack[CallOptions],
    ) -> types.PriceSeries:
        """Changes the name or the source of a price series."""
        return self._json("PATCH", f"/v1/price-series/{self._segment(series_id)}", body=body, options=options)

    def list_prices(
        self,
        series_id: str,
        *,
        start: str | None = None,
        end: str | None = None,
        **options: Unpack[CallOptions],
    ) -> list[types.Price]:
        """Returns the prices of a series from `start` to `end`, in UTC days. Without dates: today and tomorrow.

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
        """Stores up to 10,000 prices of a series, as JSON or CSV. A price for the same time is replaced; other prices do not change. If one price has an error, none is stored."""
        return self._json("PUT", f"/v1/price-series/{self._segment(series_id)}/prices", body=body, is_safe=True, options=options)

    def put_prices_csv(
        self,
        series_id: str,
        csv: str,
        **options: Unpack[CallOptions],
    ) -> types.PutPricesAnswer:
        """Stores up to 10,000 prices of a series, as JSON or CSV. A price for the same time is replaced; other prices do not change. If one price has an error, none is stored. From CSV."""
        return self._json("PUT", f"/v1/price-series/{self._segment(series_id)}/prices", body=csv, content_type="text/csv", is_safe=True, options=options)

    def delete_prices(
        self,
        series_id: str,
        *,
        from_: str,
        to: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes uploaded prices from `from` (inclusive) to `to` (exclusive). If the series has a source, the prices of the source apply to these times at once.

        from_: Start of the range, inclusive: an instant (ISO 8601), or a date (UTC).
        to: End of the range, exclusive: an instant (ISO 8601), or a date (UTC).
        """
        return self._json("DELETE", f"/v1/price-series/{self._segment(series_id)}/prices", query={"from": from_, "to": to}, is_safe=True, options=options)

    def create_key(
        self,
        body: types.CreateKeyBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedKey:
        """Creates a key, which is shown only once. A key can create only keys whose scopes it has itself and that do not outlive it. A utility creates keys for its homeowners with insights:read, alerts:read and devices:read at most. A key of one device (`device_id`) can only write its readings; creating it also needs devices:write. A key for the home of another account (`home_user_id`) needs a membership of that home."""
        return self._json("POST", "/v1/keys", body=body, options=options)

    def list_keys(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Key]:
        """Lists the keys of a user that are not revoked, page by page, without the secret keys themselves.

        user_id: Id of the user. Default: the owner of the key. A homeowner can name only itself and, in a session, homes of which it is a member.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/keys", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)

    def update_key(
        self,
        key_id: str,
        body: types.UpdateKeyBody,
        **options: Unpack[CallOptions],
    ) -> types.Key:
        """Changes the allowed addresses or the expiry of a key. A key cannot extend a key, itself included, beyond its own expiry. Writes follow the change at once, reads within 10 seconds."""
        return self._json("PATCH", f"/v1/keys/{self._segment(key_id)}", body=body, options=options)

    def revoke_key(
        self,
        key_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Revokes a key. Writes are refused at once, reads within 10 seconds."""
        return self._json("DELETE", f"/v1/keys/{self._segment(key_id)}", is_safe=True, options=options)

    def rotate_key(
        self,
        key_id: str,
        body: types.RotateKeyBody | None = None,
        **options: Unpack[CallOptions],
    ) -> types.RotatedKey:
        """Creates a new key with the rights of an existing one, which stays valid for `overlap_hours` (24 by default). The new key expires at `expires_at`, by default when the key of the request expires."""
        return self._json("POST", f"/v1/keys/{self._segment(key_id)}/rotate", body=body, options=options)

    def accept_membership(
        self,
        body: types.AcceptMembershipBody,
        **options: Unpack[CallOptions],
    ) -> types.Membership:
        """Makes the caller’s account a member of a home, by the token of an invitation. A mail must have confirmed the account’s address: a sign-in link, or the invitation itself."""
        return self._json("POST", "/v1/memberships", body=body, options=options)

    def list_memberships(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Membership]:
        """Lists the homes of other accounts of which the caller’s account is a member, page by page.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/memberships", query={"limit": limit}, is_safe=True, options=options)

    def leave_membership(
        self,
        member_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends a membership of the caller’s account at once, with the keys and webhooks that it created for the home. Owner and member get a mail."""
        return self._json("DELETE", f"/v1/memberships/{self._segment(member_id)}", is_safe=True, options=options)

    def invite_member(
        self,
        user_id: str,
        body: types.InviteMemberBody,
        **options: Unpack[CallOptions],
    ) -> types.Member:
        """Invites a person to the caller’s own home, by a mail whose link is valid for 7 days. At most 10 mails a day, and 20 members and invitations. Only homeowners can invite, and only homeowners can become members."""
        return self._json("POST", f"/v1/users/{self._segment(user_id)}/members", body=body, options=options)

    def list_members(
        self,
        user_id: str,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Member]:
        """Lists the members of a home and the valid invitations to it, page by page.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", f"/v1/users/{self._segment(user_id)}/members", query={"limit": limit}, is_safe=True, options=options)

    def remove_member(
        self,
        user_id: str,
        member_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends a membership at once, with the keys and webhooks that the member created for the home, or withdraws an invitation. Owner and member get a mail; the owner’s mail lists the passwords that the member saw."""
        return self._json("DELETE", f"/v1/users/{self._segment(user_id)}/members/{self._segment(member_id)}", is_safe=True, options=options)

    def create_app(
        self,
        body: types.CreateAppBody,
        **options: Unpack[CallOptions],
    ) -> types.CreatedApp:
        """Registers an app, which can then request access to homes by OAuth 2.1. For utilities and administrators. The secret of a confidential app is shown once."""
        return self._json("POST", "/v1/apps", body=body, options=options)

    def list_apps(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.App]:
        """Lists the apps that the caller’s account registered, page by page.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/apps", query={"limit": limit}, is_safe=True, options=options)

    def get_app(
        self,
        app_id: str,
        **options: Unpack[CallOptions],
    ) -> types.App:
        """Returns one app."""
        return self._json("GET", f"/v1/apps/{self._segment(app_id)}", is_safe=True, options=options)

    def update_app(
        self,
        app_id: str,
        body: types.UpdateAppBody,
        **options: Unpack[CallOptions],
    ) -> types.App:
        """Changes an app. Removed scopes end at once, also for issued tokens."""
        return self._json("PATCH", f"/v1/apps/{self._segment(app_id)}", body=body, options=options)

    def delete_app(
        self,
        app_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Deletes an app, and ends all its authorizations at once. Each home gets a mail."""
        return self._json("DELETE", f"/v1/apps/{self._segment(app_id)}", is_safe=True, options=options)

    def list_authorizations(
        self,
        *,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Authorization]:
        """Lists the apps that can access the caller’s own home, page by page.

        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/authorizations", query={"limit": limit}, is_safe=True, options=options)

    def end_authorization(
        self,
        authorization_id: str,
        **options: Unpack[CallOptions],
    ) -> types.Message:
        """Ends an app’s access to the caller’s home at once, and deletes the alerts and webhooks that the app created."""
        return self._json("DELETE", f"/v1/authorizations/{self._segment(authorization_id)}", is_safe=True, options=options)

    def list_audit(
        self,
        *,
        user_id: str | None = None,
        limit: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages[types.Act]:
        """Lists the audit log of the last 24 months, latest first, page by page. `user_id` selects the entries with this account as actor or target. For administrators.

        user_id: Id of a user: only entries with this user as actor or target. Default: all entries.
        limit: Maximum number of items in the response.
        """
        return self._pages("GET", "/v1/audit", query={"user_id": user_id, "limit": limit}, is_safe=True, options=options)
