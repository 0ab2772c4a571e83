import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnyOperation, getOperationScopes } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { createBatch } from '#src/onboarding/batches.ts';
import { startTestApi, type TestApi, UNLIMITED_REQUEST_COUNTER } from '#test/support/api.ts';

/** Calls every operation as each caller, for resources of each owner. */
let api: TestApi;
const who: Record<string, { userId: string; key: string }> = {};
/** Accounts that each caller may access. */
const REACHES: Record<string, readonly string[]> = {
  home: ['home'],
  otherHome: ['otherHome'],
  utility: ['utility', 'home'],
  otherUtility: ['otherUtility', 'otherHome'],
  admin: ['home', 'otherHome', 'utility', 'otherUtility', 'admin'],
};
const CALLERS = Object.keys(REACHES);
/** Callers for ids that belong to no account: one of each role is enough. */
const ROLES = ['home', 'utility', 'admin'];
const OWNERS = ['home', 'otherHome', 'utility'];

beforeAll(async () => {
  // With only one connection, an operation that needs a second one during its transaction never ends.
  api = await startTestApi({ connections: 1, counter: async () => UNLIMITED_REQUEST_COUNTER });
  const add = async (name: string, role: 'homeowner' | 'utility' | 'admin', enrolledBy?: string) => {
    who[name] = await api.user(role, { scopes: [...SCOPES], ...(enrolledBy === undefined ? {} : { enrolledBy }) });
  };
  await add('utility', 'utility');
  await add('otherUtility', 'utility');
  await add('admin', 'admin');
  await add('home', 'homeowner', who.utility?.userId);
  await add('otherHome', 'homeowner', who.otherUtility?.userId);
});
afterAll(() => api.close());

const person = (name: string) => who[name] as { userId: string; key: string };
const admin = (path: string, method = 'GET', body?: unknown) =>
  api.send(path, { method, body, key: person('admin').key });

let tariffs = 0;
let imports = 0;
/** Returns a tariff for an owner. Each tariff is valid from a different day. */
const tariffOf = (owner: string) => ({
  user_id: person(owner).userId,
  name: 'x',
  valid_from: new Date(Date.UTC(2000, 0, ++tariffs)).toISOString().slice(0, 10),
  currency: 'EUR',
  import: { per_kwh: '0.3' },
});
let bills = 0;
/** Returns a bill period for an owner. Each is for a different day. */
const billOf = (owner: string) => {
  const day = new Date(Date.UTC(2000, 0, ++bills)).toISOString().slice(0, 10);
  return { user_id: person(owner).userId, start: day, end: day };
};
const seriesOf = (owner: string) => ({
  user_id: person(owner).userId,
  name: 'x',
  currency: 'EUR',
  resolution_minutes: 60,
});

const emissionSeriesOf = (owner: string) => ({ user_id: person(owner).userId, name: 'x', resolution_minutes: 60 });

/** Creates a resource of an owner, by name of the path parameter. */
const MAKE: Record<string, (owner: string) => Promise<string>> = {
  alert_id: async (owner) =>
    (
      await admin('/v1/alerts', 'POST', {
        user_id: person(owner).userId,
        type: 'daily_usage',
        threshold_kwh: 5,
        delivery: 'email',
      })
    ).json.alert_id,
  // The owner creates the device itself, because a home cannot manage a device that others have paired for it (managed-devices.test.ts).
  device_id: async (owner) => {
    const body = { type: 'smart_meter', location: 'x' };
    return (await api.send('/v1/devices', { method: 'POST', key: person(owner).key, body })).json.device_id;
  },
  gateway_id: async (owner) =>
    (await admin('/v1/gateways', 'POST', { user_id: person(owner).userId, name: 'x' })).json.gateway_id,
  key_id: async (owner) =>
    (await admin('/v1/keys', 'POST', { user_id: person(owner).userId, scopes: ['insights:read'] })).json.key_id,
  tariff_id: async (owner) => (await admin('/v1/tariffs', 'POST', tariffOf(owner))).json.tariff_id,
  series_id: async (owner) => (await admin('/v1/price-series', 'POST', seriesOf(owner))).json.series_id,
  emission_series_id: async (owner) =>
    (await admin('/v1/emission-series', 'POST', emissionSeriesOf(owner))).json.series_id,
  bill_period_id: async (owner) => (await admin('/v1/bill-periods', 'POST', billOf(owner))).json.bill_period_id,
  webhook_id: async (owner) =>
    (
      await api.send('/v1/webhooks', {
        method: 'POST',
        key: person(owner).key,
        body: { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'a secret token' },
      })
    ).json.webhook_id,
  import_id: async (owner) => {
    const body = [{ type: 'smart_meter', location: `import ${++imports}` }];
    return (await api.send('/v1/imports', { method: 'POST', key: person(owner).key, body })).json.import_id;
  },
  batch_id: async (owner) => {
    const about = { ownerId: null, name: 'x', type: 'x', location: 'x', serials: null, maxDevices: 1 };
    const wanted = { ...about, userId: person(owner).userId, expiresAt: new Date('2099-01-01') };
    return (await createBatch(api.db, wanted)).batch.batch_id;
  },
  // Creates a new account, whose deletion does not affect the other cases.
  user_id: async (owner) => {
    if (owner === 'utility') return (await api.user('utility')).userId;
    const enrolledBy = person(owner === 'home' ? 'utility' : 'otherUtility').userId;
    return (await api.user('homeowner', { enrolledBy })).userId;
  },
};

/** Returns an edit that excludes an hour of yesterday. */
const exclusion = () => {
  const ago = (hours: number) => new Date(api.now.getTime() - hours * 3_600_000).toISOString();
  return { action: 'exclude', start: ago(25), end: ago(24), reason: 'x' };
};

const BODIES: Record<string, (owner: string) => unknown> = {
  'POST /v1/energy-insights': (owner) => ({ user_id: person(owner).userId, interval: 'month' }),
  'POST /v1/alerts': (owner) => ({
    user_id: person(owner).userId,
    type: 'no_data',
    threshold_hours: 5,
    delivery: 'email',
  }),
  'POST /v1/alerts/preview': (owner) => ({ user_id: person(owner).userId, type: 'peak_usage', threshold_kwh: 5 }),
  'PATCH /v1/alerts/{alert_id}': () => ({ status: 'paused' }),
  'PATCH /v1/users/{user_id}': () => ({ timezone: 'Europe/Berlin' }),
  'POST /v1/devices': (owner) => ({ user_id: person(owner).userId, type: 'smart_meter', location: 'x' }),
  'PATCH /v1/devices/{device_id}': () => ({ location: 'y' }),
  'POST /v1/devices/{device_id}/edits': exclusion,
  'POST /v1/devices/{device_id}/readings': () => ({ ts: api.now.toISOString(), power_w: 1 }),
  'POST /v1/gateways': (owner) => ({ user_id: person(owner).userId, name: 'x' }),
  'PATCH /v1/gateways/{gateway_id}': () => ({ name: 'y' }),
  'POST /v1/bill-periods': billOf,
  'POST /v1/gateways/{gateway_id}/decode': () => ({ topic: 'x', payload: '1' }),
  'POST /v1/tariffs': tariffOf,
  'PATCH /v1/tariffs/{tariff_id}': () => ({ name: 'y' }),
  'POST /v1/tariffs/compare': (owner) => ({
    user_id: person(owner).userId,
    start: '2026-05-01',
    end: '2026-05-31',
    tariffs: [{ name: 'x', currency: 'EUR', import: { per_kwh: '0.1' } }],
  }),
  'POST /v1/price-series': seriesOf,
  'PATCH /v1/price-series/{series_id}': () => ({ name: 'y' }),
  'PATCH /v1/emission-series/{series_id}': () => ({ name: 'y' }),
  'PUT /v1/price-series/{series_id}/prices': () => [{ starts_at: '2026-06-15T12:00:00Z', per_kwh: '0.1' }],
  'POST /v1/emission-series': emissionSeriesOf,
  'PUT /v1/emission-series/{series_id}/intensities': () => [
    { starts_at: '2026-06-15T12:00:00Z', grams_per_kwh: '212.4' },
  ],
  'PATCH /v1/webhooks/{webhook_id}': () => ({ status: 'paused' }),
  'PATCH /v1/keys/{key_id}': () => ({ allowed_addresses: [] }),
  'POST /v1/keys': (owner) => ({ user_id: person(owner).userId }),
  'POST /v1/keys/{key_id}/rotate': () => ({}),
};
/** Query parameters that an operation requires. */
const QUERIES: Record<string, string> = {
  'GET /v1/devices/{device_id}/readings': '?start=2026-05-01&end=2026-06-01',
  'DELETE /v1/price-series/{series_id}/prices': '?from=2026-06-15&to=2026-06-16',
  'DELETE /v1/emission-series/{series_id}/intensities': '?from=2026-06-15&to=2026-06-16',
};
/** Only utilities and administrators have groups (see groups.test.ts). */
const isOfGroups = ({ path }: AnyOperation) => path.startsWith('/v1/groups');
/** Operations that are only about the caller, and operations that other tests cover. */
const OF_THE_CALLER = [
  'POST /v1/users',
  'GET /v1/users',
  'POST /v1/webhooks',
  'GET /v1/webhooks',
  'GET /v1/audit',
  'POST /v1/imports',
  'POST /v1/provisioning-batches',
  'GET /v1/provisioning-batches',
  'GET /v1/fleet/silence',
  'POST /v1/what-if',
  'POST /v1/users/{user_id}/members',
  'GET /v1/users/{user_id}/members',
  'DELETE /v1/users/{user_id}/members/{member_id}',
  'POST /v1/memberships',
  'GET /v1/memberships',
  'DELETE /v1/memberships/{member_id}',
  'POST /v1/apps',
  'GET /v1/apps',
  'GET /v1/apps/{app_id}',
  'PATCH /v1/apps/{app_id}',
  'DELETE /v1/apps/{app_id}',
  'GET /v1/authorizations',
  'DELETE /v1/authorizations/{authorization_id}',
];

const nameOf = ({ method, path }: AnyOperation) => `${method} ${path}`;
/** Name of the first path parameter. Price series and emission series have the same parameter name, but are created in different ways. */
const parameterOf = ({ path }: AnyOperation) =>
  path.startsWith('/v1/emission-series/') ? 'emission_series_id' : /\{(\w+)\}/.exec(path)?.[1];

async function call(operation: AnyOperation, caller: string, owner: string, id: string | undefined) {
  const named = BODIES[nameOf(operation)]?.(owner);
  const query =
    operation.method === 'GET' && id === undefined
      ? `?user_id=${person(owner).userId}`
      : (QUERIES[nameOf(operation)] ?? '');
  // If the path contains the id of a delivery or an edit, creates a delivery or an edit of the webhook or device with this `id`.
  const delivery = /^whk_/.test(id ?? '') && /\{delivery_id\}/.test(operation.path);
  const deliveryId = delivery ? (await admin(`/v1/webhooks/${id}/test`, 'POST')).json.delivery_id : id;
  const edit = /^dev_/.test(id ?? '') && /\{edit_id\}/.test(operation.path);
  const editId = edit ? (await admin(`/v1/devices/${id}/edits`, 'POST', exclusion())).json.edit_id : id;
  const path =
    operation.path
      .replace(/\{\w+\}/, id ?? '')
      .replace('{delivery_id}', deliveryId ?? '')
      .replace('{edit_id}', editId ?? '') + query;
  return api.send(path, {
    method: operation.method,
    key: person(caller).key,
    ...(named === undefined ? {} : { body: named }),
  });
}

const created = ({ method, status = method === 'POST' ? 201 : 200 }: AnyOperation) => status;

describe.each(
  OPERATIONS.filter((one) => !OF_THE_CALLER.includes(nameOf(one)) && !isOfGroups(one)).map(
    (one) => [nameOf(one), one] as const,
  ),
)('the operation %s responds as documented', (_name, operation) => {
  const parameter = parameterOf(operation);
  /** Resources that no allowed call has changed yet, by owner. */
  const unchanged = new Map<string, string>();
  test.each(CALLERS)('to the caller %s', async (caller) => {
    for (const owner of OWNERS) {
      const id =
        parameter === undefined
          ? undefined
          : (unchanged.get(owner) ?? (await (MAKE[parameter] as (owner: string) => Promise<string>)(owner)));
      const { status } = await call(operation, caller, owner, id);
      if (id !== undefined && (operation.method === 'GET' || status >= 400)) unchanged.set(owner, id);
      else unchanged.delete(owner);
      const isOwn = (caller === owner && parameter !== 'user_id') || isReadOfUtility(operation, caller, owner);
      const reaches = parameter === 'user_id' ? reachesAccount(caller, owner) : REACHES[caller]?.includes(owner);
      const refused = parameter === undefined || parameter === 'user_id' ? (isHome(caller) ? 403 : 404) : 404;
      const mayNot = isBilling(operation) && isHome(caller);
      expect({ caller, owner, status }).toEqual({
        caller,
        owner,
        status: mayNot ? 403 : isOwn || reaches ? created(operation) : refused,
      });
    }
  });

  test('to a request with an unknown or malformed id', async () => {
    if (parameter === undefined) return expect(created(operation)).toBeLessThan(300);
    for (const caller of ROLES) {
      for (const id of ['usr_00000000000000000000000000', 'x', '%00', 'a'.repeat(2_000), '%27%20OR%201=1--']) {
        const { status } = await call(operation, caller, 'home', id);
        const refused = (parameter === 'user_id' || isBilling(operation)) && isHome(caller) ? 403 : 404;
        expect({ caller, id: id.slice(0, 30), status }).toEqual({ caller, id: id.slice(0, 30), status: refused });
      }
    }
  });

  test('to a key without its scope: 403 for any id', async () => {
    for (const needed of getOperationScopes(operation)) {
      const scopes = SCOPES.filter((scope) => scope !== needed);
      const lacking = await api.user('admin', { scopes });
      const path = operation.path.replaceAll(/\{\w+\}/g, 'nothing');
      const { status } = await api.send(path, { method: operation.method, key: lacking.key, body: undefined });
      expect({ needed, status }).toEqual({ needed, status: 403 });
    }
  });
});

/** A homeowner may read the series of its utility that a tariff can use. */
const isReadOfUtility = ({ method, path }: AnyOperation, caller: string, owner: string) =>
  method === 'GET' && path.includes('{series_id}') && caller === 'home' && owner === 'utility';

/** A homeowner may read bill periods, but not create them. */
const isBilling = ({ method, path }: AnyOperation) => method !== 'GET' && path.startsWith('/v1/bill-periods');

const isHome = (caller: string) => caller.toLowerCase().endsWith('home');

test('a delivery is found only under its own subscription', async () => {
  const [mine, other] = await Promise.all([MAKE.webhook_id?.('home'), MAKE.webhook_id?.('home')]);
  const { delivery_id } = (await admin(`/v1/webhooks/${mine}/test`, 'POST')).json;
  const retry = async (webhook: string | undefined, delivery: string) =>
    (
      await api.send(`/v1/webhooks/${webhook}/deliveries/${delivery}/retry`, {
        method: 'POST',
        key: person('home').key,
      })
    ).status;
  expect(await retry(mine, delivery_id)).toBe(202);
  expect(await retry(other, delivery_id)).toBe(404);
  for (const malformed of ['x', '%00', "'", 'dlv_00000000000000000000000000']) {
    expect(await retry(mine, malformed)).toBe(404);
  }
});

/**
 * Whether a caller may access an account that MAKE creates. A created home is enrolled by the owner's utility, a created utility is not.
 */
function reachesAccount(caller: string, owner: string): boolean {
  if (caller === 'admin') return true;
  return (caller === 'utility' && owner === 'home') || (caller === 'otherUtility' && owner === 'otherHome');
}
