import {
  alert_id,
  device_id,
  gateway_id,
  key_id,
  series_id,
  tariff_id,
  user_id,
  webhook_id,
} from './v1/example-ids.ts';

/** Example of each parameter, by name. A parameter may have none. */
export const PARAMETER_EXAMPLES: Record<string, string | number> = {
  ...{ alert_id, device_id, gateway_id, key_id, series_id, tariff_id, user_id, webhook_id },
  delivery_id: 'dlv_01k8xqd5h1p7t9v2c4ks6w8zeb',
  start: '2026-06-01',
  end: '2026-06-30',
  from: '2026-06-01',
  to: '2026-07-01',
  group_by: 'day',
  tz: 'Europe/Berlin',
  include: 'coverage,cost',
  commodity: 'electricity',
  months: 12,
  search: 'anna',
  limit: 50,
  cursor: 'ZGV2XzAx.5mHq0XbA',
  'Idempotency-Key': 'order-4711',
};
