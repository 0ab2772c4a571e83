import { pino } from 'pino';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import { createEmailChannel, createSmtpMailer } from '#src/delivery/email/send.ts';
import { createDevice } from '#src/devices/store.ts';
import { raiseRemarks } from '#src/remarks/raise.ts';
import { createRemarkComposer } from '#src/start/remark-mails.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from '#test/support/load-profile.ts';
import { startMailServer } from '#test/support/mail-server.ts';
import { createLastingFault, createOrdinaryHomeTraits, simulateYear } from '#test/support/simulated-year.ts';

const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;

interface Person {
  userId: string;
  key: string;
}

let api: TestApi;
let utility: Person;
let before: Date;
beforeAll(async () => {
  api = await startTestApi();
  before = api.now;
  utility = await api.user('utility');
});
afterAll(() => api.close());
beforeEach(() => {
  api.now = before;
});

const sql = (text: string, values: unknown[] = []) => api.database.pool.query(text, values);
const send = (path: string, { key }: Person, body?: unknown) =>
  api.send(path, { key, ...(body === undefined ? {} : { method: 'POST', body }) });

/** Sends a GET request and validates the response by the schema of the operation. */
async function ask(path: string, by: Person) {
  const answer = await send(path, by);
  const operation = OPERATIONS.find((one) => one.path === path.split('?', 1)[0]);
  if (answer.status < 300) operation?.answer.parse(answer.json);
  return answer;
}

type Energy = { milliwattHours: number; estimated: number };

/** Writes quarter-hours of a device and all aggregates of them, as ingest does. */
async function write(userId: string, deviceId: string, profile: Map<number, Energy>): Promise<void> {
  await addToLoadProfile(
    api.database,
    [...profile].map(([startsAtMs, { milliwattHours, estimated }]) => {
      return {
        deviceId,
        userId,
        startsAtMs,
        energyMilliwattHours: milliwattHours,
        estimatedMilliwattHours: estimated,
        ...COMPLETE_QUARTER_HOUR_MEASURES,
      };
    }),
  );
}

/** Creates a meter that measures the home's import from the grid. */
async function gridMeter(userId: string): Promise<string> {
  const { device } = await createDevice(api.db, { userId, type: 'smart_meter', location: 'Hall' });
  await sql(`INSERT INTO series (device_id, channel, kind, counts_import) VALUES ($1, 'import', 'register', true)`, [
    device.device_id,
  ]);
  return device.device_id;
}

/** A home with simulated quarter-hours from 2025 on, for at least 70 days. On the last `faultDays` days, a heater stays on. */
async function forgetfulHome(
  days: number,
  { estimatedHours = 0, faultDays = 1 } = {},
): Promise<{ owner: Person; untilMs: number }> {
  const owner = await api.user('homeowner', { enrolledBy: utility.userId });
  await sql(`UPDATE users SET timezone = 'Europe/Berlin' WHERE user_id = $1`, [owner.userId]);
  const deviceId = await gridMeter(owner.userId);
  const traits = {
    ...createOrdinaryHomeTraits('flat', 'told'),
    faults: [createLastingFault('forgotten heater', (days - faultDays) * 96)],
  };
  const year = simulateYear('flat', traits, days);
  const fromMs = Date.parse('2025-01-01T00:00:00Z');
  const energies = [...year.used].map((watts, at) => {
    const milliwattHours = Math.round(watts * 250);
    const estimated = at >= days * 96 - estimatedHours * 4 ? milliwattHours : 0;
    return [fromMs + at * QUARTER_HOUR_MS, { milliwattHours, estimated }] as const;
  });
  await write(owner.userId, deviceId, new Map(energies));
  return { owner, untilMs: fromMs + days * 24 * HOUR_MS };
}

describe('remarks and forecast', () => {
  test('contain a fault with its comparison, and the month’s forecast with its costs', async () => {
    // The data includes the day of a clock change.
    const { owner, untilMs } = await forgetfulHome(100);
    api.now = new Date(untilMs + 60_000);
    const { json } = await ask(`/v1/remarks?user_id=${owner.userId}`, utility);
    expect(json).toMatchObject({
      timezone: 'Europe/Berlin',
      remarks: [{ kind: 'stays_on', device_id: null, location: null }],
    });
    const [{ least_w, usual_w, since, until, compared }] = json.remarks;
    expect([since, until]).toEqual([new Date(untilMs - 24 * HOUR_MS).toISOString(), new Date(untilMs).toISOString()]);
    expect(least_w - usual_w).toBeGreaterThan(1_150);
    expect(compared).toHaveLength(29);

    const readForecast = async () => (await ask(`/v1/forecast?user_id=${owner.userId}`, owner)).json.forecast;
    const month = await readForecast();
    expect(month).toMatchObject({
      start: '2025-04-01',
      end: '2025-04-30',
      days_over: 10,
      cost: null,
      range_percent: 80,
    });
    expect(month.low_kwh).toBeGreaterThan(month.so_far_kwh);
    expect(month.low_kwh).toBeLessThan(month.expected_kwh);
    expect(month.high_kwh).toBeGreaterThan(month.expected_kwh);
    expect(month.past.map((one: { month: string }) => one.month)).toEqual(['2025-03', '2025-02', '2025-01']);
    expect(month.mean_error).toBeLessThan(0.2);
    const tariff = { name: 'flat', valid_from: '2024-01-01', currency: 'EUR', import: { per_kwh: '0.4' } };
    expect((await api.send('/v1/tariffs', { method: 'POST', key: owner.key, body: tariff })).status).toBe(201);
    // Remarks are cached for a minute, so now they are computed again.
    api.now = new Date(untilMs + 120_000);
    const { cost, expected_kwh } = await readForecast();
    expect(cost.currency).toBe('EUR');
    expect(cost.expected).toBeCloseTo(0.4 * expected_kwh, 1);
    expect(cost.low).toBeLessThan(cost.expected);
  });

  test('a forecast adds up days as insights do, if meters disagree about single quarter-hours', async () => {
    const owner = await api.user('homeowner');
    const grid = await gridMeter(owner.userId);
    const { device } = await createDevice(api.db, { userId: owner.userId, type: 'inverter', location: 'Roof' });
    await sql(`INSERT INTO series (device_id, channel, kind, counts_import) VALUES ($1, 'import', 'register', true)`, [
      device.device_id,
    ]);
    const fromMs = Date.parse('2025-01-01T00:00:00Z');
    // In each half-hour, production is in the first quarter-hour and the export in the second.
    const rows = Array.from({ length: 75 * 96 }, (_, at) => {
      const common = {
        userId: owner.userId,
        startsAtMs: fromMs + at * QUARTER_HOUR_MS,
        ...COMPLETE_QUARTER_HOUR_MEASURES,
      };
      return [
        {
          ...{ ...common, deviceId: grid, energyMilliwattHours: 100_000, exportCoveredMs: QUARTER_HOUR_MS },
          exportMilliwattHours: at % 2 === 0 ? 0 : 500_000,
        },
        { ...common, deviceId: device.device_id, energyMilliwattHours: at % 2 === 0 ? 500_000 : 0 },
      ];
    }).flat();
    await addToLoadProfile(api.database, rows);
    api.now = new Date(fromMs + 75 * 24 * HOUR_MS + 60_000);
    const { past, so_far_kwh } = (await ask('/v1/forecast', owner)).json.forecast;
    const usedIn = async (start: string, end: string) => {
      const { json } = await api.send(`/v1/energy-insights?start=${start}&end=${end}&group_by=month`, owner);
      return json.data[0].kwh_used;
    };
    expect(past[0]).toMatchObject({ month: '2025-02', actual_kwh: await usedIn('2025-02-01', '2025-02-28') });
    expect(so_far_kwh).toBe(await usedIn('2025-03-01', '2025-03-16'));
  });

  test('are absent for a home that does not exist, is new, or has been silent for hours', async () => {
    api.now = new Date('2026-06-15T12:00:00Z');
    const young = await api.user('homeowner');
    expect((await ask('/v1/remarks', young)).json.remarks).toEqual([]);
    expect((await ask('/v1/forecast', young)).json.forecast).toBeNull();
    const { owner, untilMs } = await forgetfulHome(71);
    api.now = new Date(untilMs + 7 * HOUR_MS);
    expect((await ask('/v1/remarks', owner)).json.remarks).toEqual([]);
    // Hours with only estimated energy cause no remark (notice about unusual usage).
    const guessed = await forgetfulHome(71, { estimatedHours: 24 });
    api.now = new Date(untilMs + 60_000);
    expect((await ask('/v1/remarks', guessed.owner)).json.remarks).toEqual([]);
    expect((await ask('/v1/remarks', owner)).json.remarks).toHaveLength(1);
  });

  test('name a tariff that would have been cheaper in the last twelve months', async () => {
    api.now = new Date('2026-06-15T12:00:00Z');
    const owner = await api.user('homeowner');
    const deviceId = await gridMeter(owner.userId);
    const months = Array.from({ length: 14 }, (_, month) => Date.UTC(2025, 4 + month, 1, 12));
    const energies = months.map((ms) => [ms, { milliwattHours: 1_000_000, estimated: 0 }] as const);
    await write(owner.userId, deviceId, new Map(energies));
    const make = (name: string, valid_from: string, per_kwh: string) => {
      const body = { name, valid_from, currency: 'EUR', import: { per_kwh } };
      return api.send('/v1/tariffs', { method: 'POST', key: owner.key, body });
    };
    await make('ours', '2025-01-01', '0.4');
    const readRemarks = async () => (await ask('/v1/remarks', owner)).json.remarks;
    expect(await readRemarks()).toEqual([]);
    const { json: offer } = await make('an offer', '2027-01-01', '0.3');
    api.now = new Date('2026-06-15T12:01:00Z');
    expect(await readRemarks()).toEqual([
      {
        kind: 'cheaper_tariff',
        start: '2025-06-01',
        end: '2026-05-31',
        tariff_id: offer.tariff_id,
        name: 'an offer',
        currency: 'EUR',
        paid: '4.80',
        would_have_paid: '3.60',
      },
    ]);
  });
});

describe('remark.raised', () => {
  const subscribe = async (by: Person) => {
    const body = { event: 'remark.raised', url: 'https://example.com/remarks', auth_token: 'a secret token' };
    const { status, json } = await send('/v1/webhooks', by, body);
    expect(status).toBe(201);
    return json.webhook_id as string;
  };
  /** Lets workers check all homes, with the given time as the current time. Returns the number of new remarks. */
  const check = async (atMs: number, workers = 1) => {
    api.now = new Date(atMs);
    const options = {
      now: api.now,
      ageNow: api.now,
      log: pino({ level: 'silent' }),
      stopping: new AbortController().signal,
    };
    const raised = await Promise.all(Array.from({ length: workers }, () => raiseRemarks(api.db, options)));
    return raised.reduce((sum, one) => sum + one, 0);
  };
  const eventsOf = async ({ userId }: Person) =>
    (
      await sql(
        `SELECT data, array_agg(webhook_id) AS webhooks FROM events LEFT JOIN deliveries USING (event_id)
         WHERE type = 'remark.raised' AND user_id = $1 GROUP BY event_id ORDER BY event_id`,
        [userId],
      )
    ).rows;

  test('reports a remark that lasts several days once, only for homes with a subscription, by any number of workers', async () => {
    const days = 75;
    const [{ owner, untilMs }, other] = [
      await forgetfulHome(days, { faultDays: 4 }),
      await forgetfulHome(days, { faultDays: 4 }),
    ];
    const webhook = await subscribe(owner);
    // Nothing is unusual yet.
    expect(await check(untilMs - 4 * 24 * HOUR_MS)).toBe(0);
    const firstMs = untilMs - 3 * 24 * HOUR_MS;
    expect(await check(firstMs, 3)).toBe(1);
    const [event, ...more] = await eventsOf(owner);
    const { json } = await ask('/v1/remarks', owner);
    expect(json.remarks).toMatchObject([{ kind: 'stays_on' }]);
    expect([event, more]).toEqual([{ data: { user_id: owner.userId, ...json.remarks[0] }, webhooks: [webhook] }, []]);
    for (let hours = 1; hours <= 72; hours += 7) {
      expect(await check(firstMs + hours * HOUR_MS, 2)).toBe(0);
      expect((await ask('/v1/remarks', owner)).json.remarks).toMatchObject([{ kind: 'stays_on' }]);
    }
    expect(await eventsOf(other.owner)).toEqual([]);
    expect((await sql('SELECT user_id FROM raised_remarks')).rows).toEqual([{ user_id: owner.userId }]);

    // A utility's subscription receives remarks (notices about unusual usage) about its homes, but none from before the subscription.
    const ofUtility = await subscribe(utility);
    expect(await check(untilMs, 3)).toBe(1);
    expect(await eventsOf(other.owner)).toMatchObject([
      { data: { user_id: other.owner.userId, kind: 'stays_on' }, webhooks: [ofUtility] },
    ]);
    // If a remark's cause was last seen more than three days ago and is found again, it is raised as a new remark.
    await sql(`UPDATE raised_remarks SET seen_at = seen_at - interval '73 hours' WHERE user_id = $1`, [owner.userId]);
    expect(await check(untilMs + HOUR_MS / 2, 2)).toBe(1);
    expect(await eventsOf(owner)).toHaveLength(2);

    expect((await api.send(`/v1/users/${owner.userId}`, { method: 'DELETE', key: owner.key })).status).toBe(200);
    expect((await sql('SELECT user_id FROM raised_remarks')).rows).toEqual([{ user_id: other.owner.userId }]);
  });

  test('is mailed once to an owner who wants that, in the owner’s language, until a link of the mail switches it off', async () => {
    const [{ owner, untilMs }, silent] = [
      await forgetfulHome(75, { faultDays: 4 }),
      await forgetfulHome(75, { faultDays: 4 }),
    ];
    // The tested homes leave their utility, because the utility has a subscription from the tests above.
    await sql(`UPDATE users SET enrolled_by = NULL WHERE user_id = ANY ($1)`, [[owner.userId, silent.owner.userId]]);
    const path = `/v1/users/${owner.userId}`;
    const patch = (body: unknown, languages?: string) =>
      api.send(path, {
        method: 'PATCH',
        key: owner.key,
        body,
        ...(languages === undefined ? {} : { headers: { 'accept-language': languages } }),
      });
    expect((await api.send(path, { key: owner.key })).json.remarks_by_mail).toBe(false);
    expect((await patch({ remarks_by_mail: 'yes' })).status).toBe(422);
    expect((await patch({ remarks_by_mail: null })).status).toBe(422);
    const { status, json } = await patch({ remarks_by_mail: true }, 'sv, en;q=0.2, de-AT;q=0.8, nl;q=0');
    expect([status, json.remarks_by_mail]).toEqual([200, true]);
    // A change of another setting changes neither the language of the mails nor whether remarks are mailed.
    expect((await patch({ phone: null }, 'fr')).json.remarks_by_mail).toBe(true);

    const firstMs = untilMs - 3 * 24 * HOUR_MS;
    expect(await check(firstMs, 3)).toBe(1);
    for (let hours = 1; hours <= 72; hours += 14) expect(await check(firstMs + hours * HOUR_MS)).toBe(0);
    const mailed = async () =>
      (
        await sql(
          `SELECT e.event_id, user_id, data, target FROM deliveries d JOIN events e USING (event_id)
           WHERE type = 'remark.raised' AND user_id = ANY ($1)`,
          [[owner.userId, silent.owner.userId]],
        )
      ).rows;
    const [mail, ...more] = await mailed();
    expect([mail, more]).toMatchObject([{ user_id: owner.userId, target: 'email', data: { kind: 'stays_on' } }, []]);

    const server = await startMailServer();
    const mailer = createSmtpMailer(server.url);
    const channel = createEmailChannel({
      db: api.db,
      mailer,
      publicUrl: 'https://energy.example.net',
      secret: 'the secret of the tests',
      composeRemark: createRemarkComposer(),
      from: undefined,
    });
    const event = { id: mail.event_id, type: 'remark.raised', createdAt: api.now, userId: owner.userId };
    const sending = { deliveryId: 'dlv_1', target: 'email', leasedUntil: new Date(api.now.getTime() + 60_000) };
    const outcome = await channel.send({ ...sending, event: { ...event, data: mail.data } });
    expect(outcome).toMatchObject({ succeeded: true, error: null });
    mailer.close();
    await server.close();
    const read = await PostalMime.parse(server.messages[0] as Buffer);
    expect(read.subject).toBe('Etwas bleibt an');
    // The mail shows the time in the home’s time zone.
    const since = new Date(mail.data.since).toLocaleTimeString('de', { timeStyle: 'short', timeZone: 'Europe/Berlin' });
    for (const part of [read.text, read.html]) {
      expect(part).toContain(since);
      expect(part).toContain(`${new Intl.NumberFormat('de').format(mail.data.least_w)} W`);
      expect(part).toContain('https://energy.example.net/dashboard/home');
    }
    expect(read.html).toContain('<html lang="de">');

    const link = read.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? '';
    const { pathname } = new URL(/<(.*)>/.exec(link)?.[1] ?? '');
    expect(read.text).toContain(pathname);
    const page = await api.send(pathname);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Diese Mails ausschalten')]);
    expect((await api.send(path, { key: owner.key })).json.remarks_by_mail).toBe(true);
    const [id, mac] = pathname.slice('/unsubscribe/'.length).split('.');
    const foreign = `/unsubscribe/${silent.owner.userId}.${mac}`;
    expect([id, (await api.send(foreign, { method: 'POST' })).status]).toEqual([owner.userId, 404]);
    const oneClick = { 'content-type': 'application/x-www-form-urlencoded' };
    const off = await api.send(pathname, { method: 'POST', raw: 'List-Unsubscribe=One-Click', headers: oneClick });
    expect([off.status, off.text]).toEqual([200, expect.stringContaining('ausgeschaltet')]);
    expect((await api.send(path, { key: owner.key })).json.remarks_by_mail).toBe(false);
    await sql('DELETE FROM raised_remarks WHERE user_id = $1', [owner.userId]);
    expect(await check(untilMs)).toBe(0);
    expect(await mailed()).toHaveLength(1);
    expect((await api.send(path, { method: 'DELETE', key: owner.key })).status).toBe(200);
    expect((await api.send(pathname)).status).toBe(404);
  });
});
