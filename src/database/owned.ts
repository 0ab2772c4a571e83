/** Tables whose rows have an owner, each with the prefix of the rows' ids (src/core/ids.ts). */
export const OWNER_RELATIONS_BY_ID_PREFIX = {
  user: { prefix: 'usr', relation: 'users', key: 'user_id' },
  key: { prefix: 'key', relation: 'api_keys', key: 'key_id' },
  session: { prefix: 'ses', relation: 'sessions', key: 'session_id' },
  passkey: { prefix: 'pky', relation: 'passkeys', key: 'passkey_id' },
  device: { prefix: 'dev', relation: 'devices', key: 'device_id' },
  gateway: { prefix: 'gwy', relation: 'gateways', key: 'gateway_id' },
  alert: { prefix: 'alr', relation: 'alerts', key: 'alert_id' },
  event: { prefix: 'evt', relation: 'events', key: 'event_id' },
  webhook: { prefix: 'whk', relation: 'webhooks', key: 'webhook_id' },
  tariff: { prefix: 'trf', relation: 'tariffs', key: 'tariff_id' },
  group: { prefix: 'grp', relation: 'home_groups', key: 'group_id' },
  import: { prefix: 'imp', relation: 'imports', key: 'import_id' },
  member: { prefix: 'mem', relation: 'home_members', key: 'member_id' },
  app: { prefix: 'app', relation: 'apps', key: 'app_id' },
  authorization: { prefix: 'aut', relation: 'authorizations', key: 'authorization_id' },
  provisioningBatch: { prefix: 'prb', relation: 'provisioning_batches', key: 'batch_id' },
  billPeriod: { prefix: 'bil', relation: 'bill_periods', key: 'bill_period_id' },
  // Price and emission series are in the same relation.
  priceSeries: { prefix: 'prs', relation: 'price_series', key: 'series_id' },
  emissionSeries: { prefix: 'ems', relation: 'price_series', key: 'series_id' },
} as const;
