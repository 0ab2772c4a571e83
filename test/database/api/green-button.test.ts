import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as client from 'openid-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createImportCounts } from '#simulators/importers/element.ts';
import { createGreenButtonImport } from '#simulators/importers/green-button.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { downloadSubscription } from '#src/cli/green-button-subscription.ts';
import { createPriceSourceFetcher } from '#src/delivery/fetch-answer.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { streamSubscriptionXml } from '#src/export/green-button/feed.ts';
import { streamIntervalsByMonth } from '#src/export/green-button/intervals.ts';
import { startTestApi, TEST_URL, type TestApi } from '#test/support/api.ts';
import {
  authorizeApp,
  createAppConsentRequest,
  exchangeAuthorizationCode,
  registerApp,
  requestAppTokens,
  type TestOAuthApp,
} from '#test/support/apps.ts';
import { hasEspiSchema, validateByEspiSchema } from '#test/support/espi-schema.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from '#test/support/load-profile.ts';
import { addMember, createMemberKeyForHome, type Person } from '#test/support/members.ts';

const DAY_MS = 86_400_000;
const ROOT = '/espi/1_1/resource';
const SCOPE = 'FB=1_3_4_5_13_14_39;IntervalDuration=900;BlockDuration=daily;HistoryLength=3456000';

let api: TestApi;
let utility: Person;
let home: Person & { deviceId: string };
let app: TestOAuthApp;
let own: string;
let tokens: Awaited<ReturnType<typeof requestAppTokens>>;
beforeAll(async () => {
  api = await startTestApi();
  // Tokens expire by the real clock, not by the API's clock that the test sets.
  api.now = new Date();
  utility = await api.user('utility');
  home = await homeWithMeter();
  app = await registerApp(api, utility, { notification_url: 'https://bright.example.com/notify' });
  tokens = await requestAppTokens(api, app, home, { scope: `${SCOPE} devices:read` });
  own = (await client.clientCredentialsGrant(app.config, { scope: 'FB=34_35' })).access_token;
});
afterAll(() => api.close());

const firstMs = () => Math.floor(api.now.getTime() / DAY_MS) * DAY_MS - 60 * DAY_MS;
/** Creates a home with 60 days of hourly registers. It imports 1 kWh an hour and, in the last ten days, exports 0.5 kWh an hour. */
async function homeWithMeter() {
  const made = await api.user('homeowner', { scopes: [...SCOPES] });
  const body = { type: 'smart_meter', location: 'cellar' };
  const { json } = await api.send('/v1/devices', { method: 'POST', key: made.key, body });
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const readings = Array.from({ length: 60 * 24 }, (_, hour) => {
    const ts = new Date(firstMs() + hour * 3_600_000).toISOString();
    const out = Math.max(0, hour - 50 * 24) / 2;
    return [
      { ts, channel: 'import', energy_total_kwh: 100 + hour },
      { ts, channel: 'export', energy_total_kwh: 5 + out },
    ];
  }).flat();
  for (let at = 0; at < readings.length; at += 1_000) {
    const payload = Buffer.from(JSON.stringify(readings.slice(at, at + 1_000)));
    const topic = getReadingsTopic(json.device_id);
    const message = createIncomingMessage({ topic, payload, receivedAtMs: api.now.getTime(), replayed: false });
    if (!message) throw new Error('no reading');
    expect((await writer.write([message])).rejected).toBe(0);
  }
  await api.database.settle(api.now);
  return { ...made, deviceId: json.device_id as string };
}

const get = (path: string, key: string = tokens.access_token) => api.send(path.replace(TEST_URL, ''), { key });
const statusOf = async (path: string, key?: string) => (await get(path, key)).status;
const member = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`<espi:${name}>([^<]*)<`, 'g'))].map(([, one]) => one ?? '');
const selfOf = (text: string) =>
  [...text.matchAll(/<entry[^>]*><id>[^<]*<\/id><link rel="self" href="([^"]+)"/g)].map(([, href]) => href ?? '');
const isValid = async (text: string) => {
  if (hasEspiSchema()) expect(await validateByEspiSchema(text)).toEqual([]);
};
const subscription = () => tokens.resourceURI as string;
const idOf = (uri: unknown) => String(uri).split('/').at(-1) ?? '';
const newToken = async (home: Person, more: object = {}, scope = SCOPE) =>
  requestAppTokens(api, await registerApp(api, utility, more), home, { scope });

describe('the consent to a scope string of Green Button', () => {
  test('is returned with the token, and at each refresh', async () => {
    expect(tokens.scope).toBe(`${SCOPE} devices:read`);
    expect(subscription()).toMatch(new RegExp(`^${TEST_URL}${ROOT}/Batch/Subscription/[0-9a-f-]{36}$`));
    expect(tokens.authorizationURI).toBe(`${TEST_URL}${ROOT}/Authorization/${idOf(subscription())}`);
    const { json } = await api.send('/v1/authorizations', { key: home.key });
    expect(json[0].scopes).toEqual(['insights:read', 'devices:read']);
    tokens = await client.refreshTokenGrant(app.config, tokens.refresh_token as string, {
      scope: `${SCOPE} devices:read`,
    });
    expect(tokens).toMatchObject({ scope: `${SCOPE} devices:read`, resourceURI: expect.stringContaining('/Batch/') });
    // At endpoints outside Green Button, the token has the rights of its scopes.
    expect(await statusOf('/v1/energy-insights')).toBe(200);
  });

  test('grants the supported functions, and nothing else', async () => {
    const asked = 'FB=1_3_4_16_5_31_14;IntervalDuration=900_3600;BlockDuration=monthly;HistoryLength=999999999;BR=7';
    const negotiated = await newToken(home, {}, asked);
    expect(negotiated.scope).toBe('FB=1_3_4_5_14;IntervalDuration=900;BlockDuration=daily;HistoryLength=94608000');
    for (const scope of ['FB=10', 'FB=', 'FB=4;IntervalDuration=60', 'FB=4;HistoryLength=-1', `FB=4 FB=5`])
      await expect(newToken(home, {}, scope)).rejects.toThrow();
    // An app without the Green Button scope cannot request Green Button terms (`FB=…`). The internal parameter `green_button_scope` has no
    // effect in a request.
    await expect(newToken(home, { scopes: ['devices:read'] })).rejects.toThrow();
    const plain = await requestAppTokens(api, app, home, { scope: 'insights:read', green_button_scope: 'FB=4;x' });
    expect([plain.scope, plain.resourceURI]).toEqual(['insights:read', undefined]);
    // The parameter must also have no effect if it follows a second question mark in the URL.
    const hidden = await createAppConsentRequest(app, { scope: 'insights:read', green_button_scope: 'FB=4;x' });
    hidden.url = new URL(hidden.url.href.replace('?', '?x=?&'));
    const { resourceURI } = await exchangeAuthorizationCode(app, await authorizeApp(api, home, hidden), hidden);
    expect(resourceURI).toBeUndefined();
    // With the scope `insights:read`, the token may read the Green Button resources under the default terms.
    const [href = ''] = selfOf((await get(`${ROOT}/UsagePoint`, plain.access_token)).text);
    expect(href).toMatch(/UsagePoint/);
  });
});

describe('a token of a home', () => {
  test('reads the subscription: its intervals, of the consented length and history', async () => {
    const { status, headers, text } = await get(subscription());
    expect([status, headers['content-type']]).toEqual([200, 'application/atom+xml; charset=utf-8']);
    await isValid(text);
    expect(member(text, 'intervalLength')).toEqual(['900', '900']);
    expect(text).not.toContain('espi:cost');
    // The feed contains 40 days, and the first of them is complete.
    const values = [...text.matchAll(/<espi:start>(\d+)<\/espi:start><\/espi:timePeriod><espi:value>(\d+)</g)];
    const starts = values.map(([, start]) => Number(start));
    const earliest = Math.min(...starts) * 1_000;
    const from = Math.floor((api.now.getTime() - 3_456_000_000) / DAY_MS) * DAY_MS;
    expect(earliest).toBe(from);
    const imported = values.filter(([, , value]) => value === '250000');
    // The last register reading was at 23:00 of the previous day, so the last hour has no values.
    expect(imported).toHaveLength(40 * 96 - 4);
    expect(values.filter(([, , value]) => value === '125000')).toHaveLength(10 * 96 - 4);
    // The feed contains no internal ids, and no names of homes or apps.
    for (const secret of [home.userId, home.deviceId, app.appId]) expect(text).not.toContain(secret);
  });

  test('reads whole days between published-min and published-max', async () => {
    const day = (index: number) => new Date(firstMs() + index * DAY_MS).toISOString();
    const answer = await get(
      `${subscription()}?published-min=${day(52)}&published-max=${day(53).replace('Z', '%2B00:00')}`,
    );
    expect(answer.status).toBe(200);
    const days = selfOf(answer.text)
      .filter((href) => href.includes('IntervalBlock'))
      .map(idOf);
    expect([...new Set(days)]).toEqual([day(52).slice(0, 10), day(53).slice(0, 10)]);
    const empty = await get(`${subscription()}?published-max=${day(-400)}`);
    expect([empty.status, selfOf(empty.text).some((href) => href.includes('MeterReading'))]).toEqual([422, false]);
    expect(await statusOf(`${subscription()}?published-min=${day(53)}&published-max=${day(52)}`)).toBe(422);
    for (const query of ['published-min=2026-01-01', 'published-max=x', 'published-min=2026-13-01T00:00:00Z'])
      expect(await statusOf(`${subscription()}?${query}`)).toBe(422);
    for (const query of ['user_id=x', 'published-min=2026-01-01T00:00:00Z&published-min=2026-01-01T00:00:00Z'])
      expect(await statusOf(`${subscription()}?${query}`)).toBe(400);
  });

  test('reads its usage point, whose id is the same in each authorization and reveals nothing', async () => {
    const { status, text } = await get(`${ROOT}/UsagePoint`);
    await isValid(text);
    const [href = ''] = selfOf(text);
    expect([status, href]).toEqual([200, expect.stringMatching(/^\/espi\/1_1\/resource\/UsagePoint\/[0-9a-f-]{36}$/)]);
    for (const path of [href, `${ROOT}/Subscription/${idOf(subscription())}/UsagePoint/${idOf(href)}`]) {
      const one = await get(path);
      expect([one.status, selfOf(one.text)]).toEqual([200, [href]]);
      await isValid(one.text);
    }
    expect(selfOf((await get(`${subscription()}/UsagePoint/${idOf(href)}`)).text)[0]).toBe(href);
    const again = await requestAppTokens(api, app, home, { scope: SCOPE });
    expect(selfOf((await get(`${ROOT}/UsagePoint`, again.access_token)).text)).toEqual([href]);
    const other = await newToken(home);
    expect(selfOf((await get(`${ROOT}/UsagePoint`, other.access_token)).text)).not.toEqual([href]);
  });
});

describe('a token of an app itself', () => {
  test('reads the app and its authorizations, and nothing about a home', async () => {
    const feed = await get(`${ROOT}/ApplicationInformation`, own);
    await isValid(feed.text);
    const [href = ''] = selfOf(feed.text);
    const { text } = await get(href, own);
    await isValid(text);
    expect(member(text, 'client_id')).toEqual([app.appId]);
    expect(member(text, 'thirdPartyNotifyUri')).toEqual(['https://bright.example.com/notify']);
    expect(text).not.toContain(app.secret);
    const all = await get(`${ROOT}/Authorization`, own);
    await isValid(all.text);
    expect(member(all.text, 'resourceURI')).toContain(subscription());
    const one = await get(tokens.authorizationURI as string, own);
    await isValid(one.text);
    expect([member(one.text, 'scope'), member(one.text, 'status')]).toEqual([[SCOPE], ['1']]);
    expect(one.text).not.toContain(home.userId);
    expect((await get(`${ROOT}/ReadServiceStatus`, own)).text).toContain('<espi:currentStatus>1<');
    for (const path of [subscription(), `${ROOT}/UsagePoint`]) expect(await statusOf(path, own)).toBe(403);
    for (const path of ['/v1/energy-insights', '/v1/apps', '/v1/users', '/v1/webhooks', '/v1/nothing', '/mcp'])
      expect(await statusOf(path, own)).toBe(401);
    // A token for the app itself cannot have these scopes, because they need a home's consent.
    const refusals = ['insights:read', 'FB=34_35 insights:read', 'users:read', 'x'].map((scope) =>
      client.clientCredentialsGrant(app.config, { scope }).catch(({ status, error }) => [scope, status, error]),
    );
    expect(await Promise.all(refusals)).toEqual([
      ['insights:read', 400, 'invalid_scope'],
      ['FB=34_35 insights:read', 400, 'invalid_scope'],
      ['users:read', 400, 'invalid_scope'],
      ['x', 400, 'invalid_scope'],
    ]);
    const revoked = await client.clientCredentialsGrant(app.config);
    await client.tokenRevocation(app.config, revoked.access_token);
    expect(await statusOf(`${ROOT}/Authorization`, revoked.access_token)).toBe(401);
  });

  test('is issued to confidential apps alone, and ends with the app', async () => {
    const open = await registerApp(api, utility, { type: 'public', redirect_uris: ['http://127.0.0.1/back'] });
    await expect(client.clientCredentialsGrant(open.config)).rejects.toThrow();
    const ending = await registerApp(api, utility);
    const { access_token } = await client.clientCredentialsGrant(ending.config);
    expect(await statusOf(`${ROOT}/Authorization`, access_token)).toBe(200);
    await api.send(`/v1/apps/${ending.appId}`, { method: 'DELETE', key: utility.key });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await statusOf(`${ROOT}/Authorization`, access_token)).toBe(401);
  });
});

describe('a Green Button resource is refused to', () => {
  test('keys, other homes, other apps, and ended authorizations', async () => {
    const paths = [
      subscription(),
      tokens.authorizationURI as string,
      `${ROOT}/UsagePoint`,
      `${ROOT}/ReadServiceStatus`,
    ];
    for (const path of paths) {
      expect(await statusOf(path, home.key)).toBe(401);
      expect(await statusOf(path, utility.key)).toBe(401);
      expect((await api.send(path.replace(TEST_URL, ''))).status).toBe(401);
    }
    const neighbour = await api.user('homeowner', { scopes: [...SCOPES] });
    const theirs = await requestAppTokens(api, app, neighbour, { scope: SCOPE });
    const rival = await registerApp(api, await api.user('utility'));
    const { access_token: rivals } = await client.clientCredentialsGrant(rival.config);
    const point = selfOf((await get(`${ROOT}/UsagePoint`)).text)[0] ?? '';
    for (const path of [subscription(), point, `${subscription()}/UsagePoint/${idOf(point)}`])
      expect(await statusOf(path, theirs.access_token)).toBe(404);
    for (const id of [idOf(subscription()), 'x', "'", '%00', '00000000-0000-0000-0000-000000000000'])
      expect(await statusOf(`${ROOT}/Authorization/${id}`, rivals)).toBe(404);
    const [application = ''] = selfOf((await get(`${ROOT}/ApplicationInformation`, own)).text);
    expect(await statusOf(application, rivals)).toBe(404);
    expect(await statusOf(`${ROOT}/Authorization`)).toBe(403);
    expect(member((await get(`${ROOT}/Authorization`, rivals)).text, 'status')).toEqual([]);
    const { json } = await api.send('/v1/authorizations', { key: neighbour.key });
    await api.send(`/v1/authorizations/${json[0].authorization_id}`, { method: 'DELETE', key: neighbour.key });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await statusOf(String(theirs.resourceURI), theirs.access_token)).toBe(401);
    expect(await statusOf(String(theirs.authorizationURI), own)).toBe(404);
  });

  test('a member or former member of the home', async () => {
    const member = await api.user('homeowner', { scopes: [...SCOPES] });
    const memberId = await addMember(api, home, member, 'manage');
    const key = await createMemberKeyForHome(api, home, member);
    // A member who is signed in can authorize an app only for the member's own home.
    const theirs = await requestAppTokens(api, app, member, { scope: SCOPE });
    const [point = ''] = selfOf((await get(`${ROOT}/UsagePoint`)).text);
    const expectNothing = async () => {
      const { status, text } = await get(String(theirs.resourceURI), theirs.access_token);
      expect([status, text.includes('IntervalReading'), text.includes(idOf(point))]).toEqual([200, false, false]);
      for (const path of [subscription(), point, `${subscription()}/UsagePoint/${idOf(point)}`]) {
        expect(await statusOf(path, theirs.access_token)).toBe(404);
        expect(await statusOf(path, key)).toBe(401);
      }
    };
    await expectNothing();
    const deleted = await api.send(`/v1/memberships/${memberId}`, { method: 'DELETE', key: member.key });
    expect(deleted.status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 600));
    await expectNothing();
    // The authorization by the home's owner is still valid.
    expect(await statusOf(subscription())).toBe(200);
  });

  test('an app of an erased home', async () => {
    const gone = await api.user('homeowner', { scopes: [...SCOPES] });
    const theirs = await requestAppTokens(api, app, gone, { scope: SCOPE });
    expect(await statusOf(String(theirs.authorizationURI), own)).toBe(200);
    const erased = await api.send(`/v1/users/${gone.userId}`, { method: 'DELETE', key: gone.key });
    expect(erased.status).toBeLessThan(300);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await statusOf(String(theirs.resourceURI), theirs.access_token)).toBe(401);
    expect(await statusOf(String(theirs.authorizationURI), own)).toBe(404);
    expect((await get(`${ROOT}/Authorization`, own)).text).not.toContain(idOf(theirs.authorizationURI));
  });

  test('an app that lost the scope', async () => {
    const shrinking = await registerApp(api, utility, { notification_url: 'https://bright.example.com/n' });
    const { access_token, resourceURI } = await requestAppTokens(api, shrinking, home, { scope: SCOPE });
    const { access_token: mine } = await client.clientCredentialsGrant(shrinking.config);
    const body = { scopes: ['devices:read'] };
    await api.send(`/v1/apps/${shrinking.appId}`, { method: 'PATCH', key: utility.key, body });
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await statusOf(String(resourceURI), access_token)).toBe(403);
    expect(member((await get(`${ROOT}/Authorization`, mine)).text, 'status')).toEqual([]);
    const { rows } = await api.database.pool.query(
      'SELECT FROM webhooks JOIN authorizations USING (authorization_id) WHERE app_id = $1',
      [shrinking.appId],
    );
    expect(rows).toEqual([]);
  });
});

describe('a year of quarter-hours', () => {
  const DAYS = 365;
  let year: Person;
  /** Energies in Wh by start of the quarter-hour in Unix seconds. */
  const energies = new Map<number, number>();
  beforeAll(async () => {
    year = await api.user('homeowner', { scopes: [...SCOPES] });
    const body = { type: 'smart_meter', location: 'cellar' };
    const { json } = await api.send('/v1/devices', { method: 'POST', key: year.key, body });
    const deviceId = json.device_id as string;
    await api.database.pool.query(
      `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) VALUES ($1, 'import', 'register', true, false)`,
      [deviceId],
    );
    const beganMs = Math.floor(api.now.getTime() / DAY_MS) * DAY_MS - DAYS * DAY_MS;
    for (let day = 0; day < DAYS; day += 73) {
      const rows = Array.from({ length: 73 * 96 }, (_, quarter) => {
        const startsAtMs = beganMs + day * DAY_MS + quarter * 900_000;
        const wattHours = 1 + (((day * 96 + quarter) * 7_919) % 997);
        energies.set(startsAtMs / 1_000, wattHours);
        const energyMilliwattHours = wattHours * 1_000;
        return { deviceId, userId: year.userId, startsAtMs, energyMilliwattHours, ...COMPLETE_QUARTER_HOUR_MEASURES };
      });
      await addToLoadProfile(api.database, rows);
    }
  });

  test('is unchanged after this service imported it from its own server', async () => {
    const scope = 'FB=4_5;IntervalDuration=900;BlockDuration=daily;HistoryLength=31536000';
    const { access_token: token, resourceURI } = await requestAppTokens(api, app, year, { scope });
    const folder = await mkdtemp(joinPath(tmpdir(), 'green-button-'));
    const bounds = { maxBytes: 64 * 1_048_576, timeoutMs: 100_000 };
    const { fetchAnswer, close } = createPriceSourceFetcher({ allowPrivate: true, ca: api.tls.cert, ...bounds });
    try {
      const address = String(resourceURI).replace(TEST_URL, `https://localhost:${api.port}`);
      const { signal } = new AbortController();
      const files = await downloadSubscription(address, { token, folder, fetchAnswer, signal });
      const imported = new Map<number, number>();
      const counts = createImportCounts();
      for await (const one of createGreenButtonImport(undefined, files)(address, counts, () => {})) {
        if (!('energy_kwh' in one) || one.channel !== 'import') throw new Error('no imported energy');
        expect(one.interval_s).toBe(900);
        imported.set(Date.parse(one.ts) / 1_000 - 900, Math.round(Number(one.energy_kwh) * 1_000));
      }
      expect(imported).toEqual(energies);
      expect(counts).toMatchObject({ rows: DAYS * 96, skipped: 0, unreadable: 0 });
    } finally {
      close();
      await rm(folder, { recursive: true });
    }
  });

  test('is cut off if access ends while it is sent', async () => {
    const { now } = api;
    const range = createDayRange('2020-01-01', '2020-12-31', 'UTC');
    let months = 0;
    const confirm = async () => {
      if (++months === 3) throw new Error('access ended');
    };
    const read = streamIntervalsByMonth(api.db, { userId: year.userId, range, now, unit: 'hour' }, confirm);
    const feed = streamSubscriptionXml({ about: 'x', self: '/x', range, now, unit: 'hour', months: read });
    let text = '';
    const all = (async () => {
      for await (const piece of feed) text += piece;
    })();
    await expect(all).rejects.toThrow('access ended');
    expect([months, text.includes('</feed>')]).toEqual([3, false]);
  });

  test('needs no more memory than a month', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const { now } = api;
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const range = createDayRange(dayOf(now.getTime() - DAYS * DAY_MS), dayOf(now.getTime()), 'UTC');
    let months = 0;
    const read = streamIntervalsByMonth(api.db, { userId: year.userId, range, now, unit: 'quarter_hour' }, async () => {
      months++;
    });
    const feed = { about: 'x', self: '/x', range, now, unit: 'quarter_hour', months: read } as const;
    const heap: number[] = [];
    let [bytes, blocks] = [0, 0];
    for await (const piece of streamSubscriptionXml(feed)) {
      bytes += piece.length;
      if (!piece.includes('<espi:IntervalBlock>')) continue;
      blocks++;
      // The service reads a month only after it has sent the previous month.
      expect(months).toBeLessThanOrEqual(blocks / 28 + 2);
      if (blocks % 25 !== 0) continue;
      collectGarbage();
      heap.push(process.memoryUsage().heapUsed);
    }
    expect([blocks, months]).toEqual([DAYS, 13]);
    expect(bytes).toBeGreaterThan(5_000_000);
    // Reading a whole year at once would take more than 5 MB.
    expect(Math.max(...heap.slice(1)) - (heap[0] as number)).toBeLessThan(2_500_000);
  });
});
