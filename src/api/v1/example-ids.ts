/** Ids in the examples of the OpenAPI document. The examples of all operations are about the same home. */
export const user_id = 'usr_01k8xq4v9d7w2m5nehb6t0r3zc';
export const device_id = 'dev_01k8xq6c1s8f4p9yj2av5g7kmt';
export const alert_id = 'alr_01k8xq7h3e6r9d2wq8bn4x5zcv';
export const webhook_id = 'whk_01k8xq8m5t7y1k3fs6hd9g2jpb';
export const gateway_id = 'gwy_01k8xq9r7v2c4n6mw8ea1s3tfz';
export const key_id = 'key_01k8xqaw9b5d7h1jx3kp6m8nrg';
export const tariff_id = 'trf_01k8xqb6f2n8r4s1vz7mc3t9pd';
export const series_id = 'prs_01k8xqbd3w7g5q2kx9hn4y6vjr';
export const emission_series_id = 'ems_01k8xqbm8s4c1n6tp3rv9w2hdz';
export const group_id = 'grp_01k8xqcf5m1v9t3wd8ra7x2kze';
export const bill_period_id = 'bil_01k8xqbz1m6j9p2w4tn7dc5vhk';
export const edit_id = 'edt_01k8xqck7p2w5s8z3mv9tr4hbn';
export const created_at = '2026-06-01T09:30:00.000Z';

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

/** Type of the example requests and responses, by operation. */
export type Examples = Record<
  string,
  { body?: unknown; answer: unknown; csv?: string; csvBody?: string; senmlBody?: unknown }
>;
