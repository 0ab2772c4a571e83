import { assertProbeCondition, defineProbe, expectAllowedValue, type Probe } from '../probe.ts';
import type { AttackedInstallation, Person } from '../world.ts';

/** A homeowner of one utility with one resource of each kind, and the strangers who must not see any of these resources. */
interface Neighbours {
  home: Person;
  utility: Person;
  ids: Record<'user' | 'device' | 'alert' | 'gateway' | 'key' | 'webhook' | 'tariff' | 'series' | 'emissions', string>;
  /** Another utility, and a homeowner who has no relation to the first utility. */
  strangers: { utility: Person; homeowner: Person };
}

const neighbours = (world: AttackedInstallation): Promise<Neighbours> =>
  world.once('neighbours', async () => {
    const utility = await world.person('utility');
    const home = await world.person('homeowner', { enrolledBy: utility });
    const { key, userId } = home;
    const alert = { user_id: userId, type: 'daily_usage', threshold_kwh: 1, delivery: 'email' };
    const hook = { event: 'usage.updated', url: 'https://example.com/x', auth_token: 'a long secret' };
    const tariff = { name: 'x', valid_from: '2026-01-01', currency: 'EUR', import: { per_kwh: '0.3' } };
    const series = { name: 'x', currency: 'EUR', resolution_minutes: 60 };
    const made = async (path: string, body: object) => (await world.must('POST', path, { key, body })).json;
    const ids = {
      user: userId,
      device: (await made('/v1/devices', { type: 'meter', location: 'cellar' })).device_id,
      alert: (await made('/v1/alerts', alert)).alert_id,
      gateway: (await made('/v1/gateways', { name: 'x' })).gateway_id,
      webhook: (await made('/v1/webhooks', hook)).webhook_id,
      tariff: (await made('/v1/tariffs', tariff)).tariff_id,
      series: (await made('/v1/price-series', series)).series_id,
      emissions: (await made('/v1/emission-series', { name: 'x', resolution_minutes: 60 })).series_id,
      key: (await made('/v1/keys', { scopes: ['devices:read'] })).key_id,
    };
    const strangers = { utility: await world.person('utility'), homeowner: await world.person('homeowner') };
    return { home, utility, ids, strangers };
  });

type Noun = keyof Neighbours['ids'];
type Try = [method: string, path: (id: string) => string, body?: object];

/** Requests to one resource of each kind, by its id. */
const BY_ID: Record<Noun, Try[]> = {
  user: [
    ['GET', (id) => `/v1/users/${id}`],
    ['PATCH', (id) => `/v1/users/${id}`, { phone: '+4915112345678' }],
    ['GET', (id) => `/v1/users/${id}/export`],
    ['DELETE', (id) => `/v1/users/${id}`],
  ],
  device: [
    ['GET', (id) => `/v1/devices/${id}`],
    ['GET', (id) => `/v1/devices/${id}/usage?start=2026-01-01&end=2026-01-02`],
    ['PATCH', (id) => `/v1/devices/${id}`, { location: 'mine' }],
    ['DELETE', (id) => `/v1/devices/${id}`],
  ],
  alert: [
    ['GET', (id) => `/v1/alerts/${id}`],
    ['PATCH', (id) => `/v1/alerts/${id}`, { status: 'paused' }],
    ['DELETE', (id) => `/v1/alerts/${id}`],
  ],
  gateway: [
    ['PATCH', (id) => `/v1/gateways/${id}`, { name: 'mine' }],
    ['DELETE', (id) => `/v1/gateways/${id}`],
  ],
  tariff: [
    ['GET', (id) => `/v1/tariffs/${id}`],
    ['PATCH', (id) => `/v1/tariffs/${id}`, { name: 'mine' }],
    ['DELETE', (id) => `/v1/tariffs/${id}`],
  ],
  series: [
    ['GET', (id) => `/v1/price-series/${id}`],
    ['GET', (id) => `/v1/price-series/${id}/prices`],
    ['PUT', (id) => `/v1/price-series/${id}/prices`, [{ starts_at: '2026-01-01T00:00:00Z', per_kwh: 1 }]],
    ['DELETE', (id) => `/v1/price-series/${id}`],
  ],
  emissions: [
    ['GET', (id) => `/v1/emission-series/${id}`],
    ['GET', (id) => `/v1/emission-series/${id}/intensities`],
    ['PUT', (id) => `/v1/emission-series/${id}/intensities`, [{ starts_at: '2026-01-01T00:00:00Z', grams_per_kwh: 1 }]],
    ['DELETE', (id) => `/v1/emission-series/${id}`],
  ],
  key: [
    ['POST', (id) => `/v1/keys/${id}/rotate`, {}],
    ['DELETE', (id) => `/v1/keys/${id}`],
  ],
  webhook: [
    ['GET', (id) => `/v1/webhooks/${id}/deliveries`],
    ['PATCH', (id) => `/v1/webhooks/${id}`, { status: 'paused' }],
    ['POST', (id) => `/v1/webhooks/${id}/test`],
    ['DELETE', (id) => `/v1/webhooks/${id}`],
  ],
};

/** Requests that contain the id of a user in a query or a body. */
const OF_USER: Try[] = [
  ['GET', (id) => `/v1/devices?user_id=${id}`],
  ['GET', (id) => `/v1/devices/discovered?user_id=${id}`],
  ['GET', (id) => `/v1/alerts?user_id=${id}`],
  ['GET', (id) => `/v1/gateways?user_id=${id}`],
  ['GET', (id) => `/v1/keys?user_id=${id}`],
  ['GET', (id) => `/v1/tariffs?user_id=${id}`],
  ['GET', (id) => `/v1/price-series?user_id=${id}`],
  ['GET', (id) => `/v1/emission-series?user_id=${id}`],
  ['GET', (id) => `/v1/energy-insights?user_id=${id}`],
  ['GET', (id) => `/v1/analytics/monthly?user_id=${id}`],
];
const IN_BODY: [string, object][] = [
  ['/v1/energy-insights', { interval: 'day' }],
  ['/v1/alerts/preview', { type: 'daily_usage', threshold_kwh: 1 }],
  ['/v1/alerts', { type: 'daily_usage', threshold_kwh: 1, delivery: 'email' }],
  ['/v1/devices', { type: 'meter', location: 'x' }],
  ['/v1/gateways', { name: 'x' }],
  ['/v1/tariffs', { name: 'x', valid_from: '2026-01-01', currency: 'EUR', import: { per_kwh: 1 } }],
  ['/v1/price-series', { name: 'x', currency: 'EUR', resolution_minutes: 60 }],
  ['/v1/emission-series', { name: 'x', resolution_minutes: 60 }],
  ['/v1/keys', { scopes: ['devices:read'] }],
];

const idLike = (id: string) => `${id.slice(0, 4)}${'0'.repeat(26)}`;
/** Expected status for a resource that the caller may not access: 404. If a homeowner's request names another user, the status is 403. */
const refusalOf = (who: 'utility' | 'homeowner', isOfUser: boolean) => (who === 'homeowner' && isOfUser ? 403 : 404);

export const TENANT_PROBES: readonly Probe[] = [
  ...(Object.entries(BY_ID) as [Noun, Try[]][]).flatMap(([noun, tries]) =>
    (['utility', 'homeowner'] as const).map((who) =>
      defineProbe(
        `a ${noun} of one utility does not exist for ${who === 'utility' ? 'another utility' : 'the homeowner next door'}`,
        async (world) => {
          const { ids, strangers } = await neighbours(world);
          const { key } = strangers[who];
          for (const [method, path, body] of tries) {
            const sent = body === undefined ? { key } : { key, body };
            const foreign = await world.ask(method, path(ids[noun]), sent);
            expectAllowedValue(foreign.status, [refusalOf(who, noun === 'user')], `${method} ${path('…')}`);
            const none = await world.ask(method, path(idLike(ids[noun])), sent);
            assertProbeCondition(
              foreign.text === none.text,
              `${method} ${path('…')} is not answered like one that does not exist`,
            );
          }
          const { status } = await world.must('GET', noun === 'user' ? `/v1/users/${ids.user}` : '/v1/devices');
          expectAllowedValue(status, [200], 'the user afterwards');
        },
      ),
    ),
  ),
  ...(['utility', 'homeowner'] as const).flatMap((who) => {
    const name = who === 'utility' ? 'another utility' : 'the homeowner next door';
    return [
      defineProbe(`${name} lists nothing of a user by its id`, async (world) => {
        const { ids, strangers } = await neighbours(world);
        for (const [method, path] of OF_USER) {
          const { status } = await world.ask(method, path(ids.user), { key: strangers[who].key });
          expectAllowedValue(status, [refusalOf(who, true)], `${method} ${path('…')}`);
        }
      }),
      defineProbe(`${name} asks and makes nothing for a user by its id`, async (world) => {
        const { ids, strangers } = await neighbours(world);
        for (const [path, body] of IN_BODY) {
          const sent = { key: strangers[who].key, body: { ...body, user_id: ids.user } };
          expectAllowedValue((await world.ask('POST', path, sent)).status, [refusalOf(who, true)], `POST ${path}`);
        }
      }),
    ];
  }),
  defineProbe('lists hold nothing of others', async (world) => {
    const { ids, strangers } = await neighbours(world);
    const { key, userId } = strangers.homeowner;
    const lists = ['/v1/devices', '/v1/gateways', '/v1/keys', '/v1/webhooks', `/v1/alerts?user_id=${userId}`];
    for (const path of [...lists, '/v1/devices/discovered']) {
      const { text } = await world.must('GET', path, { key });
      const seen = Object.values(ids).find((id) => text.includes(id));
      assertProbeCondition(seen === undefined, `GET ${path} names ${seen}`);
    }
  }),
  defineProbe('a device is not paired behind a stranger’s', async (world) => {
    const { ids, strangers } = await neighbours(world);
    const body = { type: 'meter', location: 'x', upstream_device_id: ids.device };
    const { status } = await world.ask('POST', '/v1/devices', { key: strangers.homeowner.key, body });
    expectAllowedValue(status, [404, 422], 'POST /v1/devices');
  }),
  defineProbe('a utility gives its homeowner no key that writes', async (world) => {
    const { home, utility } = await neighbours(world);
    const body = { user_id: home.userId, scopes: ['users:write'] };
    expectAllowedValue(
      (await world.ask('POST', '/v1/keys', { key: utility.key, body })).status,
      [403],
      'POST /v1/keys',
    );
  }),
  defineProbe('only administrators read the audit log', async (world) => {
    const { home, utility } = await neighbours(world);
    for (const { key } of [home, utility])
      expectAllowedValue((await world.ask('GET', '/v1/audit', { key })).status, [403], 'GET /v1/audit');
    expectAllowedValue(
      (await world.must('GET', '/v1/audit?limit=1')).status,
      [200],
      'GET /v1/audit of an administrator',
    );
  }),
];
