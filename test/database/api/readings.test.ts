import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { chooseSeriesRoles } from '#ingest/normalise/channels.ts';
import { compareSeriesReadings } from '#ingest/normalise/counting-rule.ts';
import { createCountingRuleByTime } from '#ingest/normalise/counting-rule-by-time.ts';
import { getReadingKey, replayReadings } from '#ingest/normalise/replay.ts';
import {
  createSeriesRolesLookup,
  getContributionEndMs,
  hasContributingSeriesRole,
} from '#ingest/normalise/roles-by-time.ts';
import { selectCountingRule } from '#ingest/normalise/select-counting-rule.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createKey } from '#src/auth/keys.ts';
import { READ_ONLY_SCOPES, SCOPES } from '#src/auth/scopes.ts';
import { parseChannel } from '#src/devices/channel-name.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { arbitraryConflictingReadings, arbitraryHistory, type ReadingHistory } from '#test/reference/histories.ts';
import { startTestApi, type TestApi, type TestApiResponse } from '#test/support/api.ts';

interface Row {
  ts: string;
  channel: string;
  native_name: string;
  verdict: string;
  edit_id?: string;
  [member: string]: unknown;
}

const MAY = 'start=2026-05-01&end=2026-06-01';
const at = (minutes: number) => new Date(Date.UTC(2026, 4, 1) + minutes * 60_000).toISOString();

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(() => {
  api.now = new Date('2026-06-15T12:00:00Z');
});
afterAll(() => api.close());

type Home = Awaited<ReturnType<typeof meter>>;

/** Creates a meter in a new home. */
async function meter(settings: object = {}) {
  const scopes = [...SCOPES];
  const utility = await api.user('utility', { scopes });
  const home = await api.user('homeowner', { enrolledBy: utility.userId, scopes });
  const body = { type: 'smart_meter', location: 'x', ...settings };
  const { device_id: deviceId } = (await api.send('/v1/devices', { method: 'POST', key: home.key, body })).json;
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const path = `/v1/devices/${deviceId}/readings`;
  /** Sends readings in the service's native format, each in its own message and batch. */
  const send = async (...readings: readonly object[]) => {
    for (const reading of readings) {
      const payload = Buffer.from(JSON.stringify(reading));
      const about = { topic: getReadingsTopic(deviceId), receivedAtMs: api.now.getTime(), replayed: false };
      const message = createIncomingMessage({ ...about, payload });
      if (message) await writer.write([message]);
    }
  };
  const get = (query = MAY, key = home.key, accept = 'application/json') =>
    api.send(`${path}?${query}`, { key, headers: { accept } });
  const rows = async (query = MAY): Promise<Row[]> => (await get(query)).json.data;
  const compute = () => recomputeChangedDevices(api.database.pool, writer);
  return { ...home, utility, deviceId, path, writer, send, get, rows, compute };
}

/** Returns the URL of the next page, or undefined after the last page. */
const nextOf = ({ headers }: TestApiResponse): string | undefined =>
  /^<([^>]+)>; rel="next"$/.exec(String(headers.link))?.[1];

/** Follows the links to the next page until the end of the list. Returns all pages. */
async function follow({ path, key }: Home, query: string, accept: string): Promise<TestApiResponse[]> {
  const answers: TestApiResponse[] = [];
  for (let next: string | undefined = `${path}?${query}`; next !== undefined; ) {
    const answer: TestApiResponse = await api.send(next, { key, headers: { accept } });
    expect(answer.status).toBe(200);
    answers.push(answer);
    next = nextOf(answer);
  }
  return answers;
}

const linesOf = (text: string) => text.trimEnd().split('\n').slice(1);

/** Formats a JSON row as a line of CSV. */
const lineOf = (row: Row, header: string) =>
  header
    .split(',')
    .map((name) => row[name] ?? '')
    .join(',');

describe('the readings of a device', () => {
  test('have exact energies, and numbers for other quantities, in JSON and in CSV', async () => {
    const home = await meter();
    await home.send(
      { ts: at(0), energy_total_kwh: 4711.2345678, power_w: -412.5 },
      { ts: at(15), energy_kwh: 0.25, interval_s: 900, channel: 'export' },
      { ts: at(20), energy_total_kwh: 1.5, channel: 'gas/m3' },
      { ts: at(30), temperature_c: 20.54, setpoint_c: 21, heating: true, humidity_percent: 40 },
      { ts: at(40), energy_total_kwh: 3, channel: 'feed_in' },
    );
    const answer = await home.get();
    const name = (channel: string, member: string) => ({ channel, native_name: `${channel} ${member}` });
    const instant = (minutes: number) => ({ ts: at(minutes) });
    const climate = (member: string, value: number) => ({
      ...instant(30),
      ...name('import', member),
      [member]: value,
      verdict: 'counted',
    });
    expect(answer.json).toEqual({
      device_id: home.deviceId,
      data: [
        { ...instant(0), ...name('import', 'energy_total_kwh'), energy_total_kwh: '4711.234568', verdict: 'baseline' },
        { ...instant(0), ...name('import', 'power_w'), power_w: -412.5, verdict: 'baseline' },
        {
          ...instant(15),
          ...name('export', 'energy_kwh'),
          energy_kwh: '0.250000',
          interval_s: 900,
          verdict: expect.stringMatching(/^(not_)?counted$/),
        },
        { ...instant(20), ...name('gas/m3', 'energy_total_kwh'), volume_total_m3: '1.500000', verdict: 'baseline' },
        ...[climate('temperature_c', 20.54), climate('setpoint_c', 21), climate('heating', 1)],
        climate('humidity_percent', 40),
        { ...instant(40), ...name('feed_in', 'energy_total_kwh'), energy_total_kwh: '3.000000', verdict: 'unknown' },
      ],
    });
    expect(nextOf(answer)).toBeUndefined();
    const csv = await home.get(MAY, home.key, 'text/csv');
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    const header = csv.text.split('\n')[0] ?? '';
    expect(linesOf(csv.text)).toEqual(answer.json.data.map((row: Row) => lineOf(row, header)));
  });

  test('include start, and exclude end', async () => {
    const home = await meter();
    await home.send(...[0, 1, 2, 3].map((n) => ({ ts: at(n), energy_total_kwh: n })));
    const times = async (start: string, end: string) =>
      (await home.rows(`start=${encodeURIComponent(start)}&end=${encodeURIComponent(end)}`)).map(({ ts }) => ts);
    expect(await times(at(1), at(3))).toEqual([at(1), at(2)]);
    expect(await times('2026-05-01T02:01:00+02:00', '2026-05-02')).toEqual([at(1), at(2), at(3)]);
    expect(await times('2026-04-30', '2026-05-01')).toEqual([]);
  });

  test('appear once over all pages, even if series share their times', async () => {
    const home = await meter();
    const minutes = Array.from({ length: 12 }, (_, n) => n);
    await home.send(
      ...minutes.flatMap((n) => [
        { ts: at(n), energy_total_kwh: 10 + n, power_w: n },
        { ts: at(n), energy_total_kwh: n, channel: 'export' },
        { ts: at(n), energy_kwh: n, interval_s: 60, channel: 'pv/export' },
        { ts: at(n), energy_kwh: n + 1, interval_s: 30, channel: 'pv/export' },
      ]),
    );
    const all = await home.rows();
    expect(all).toHaveLength(12 * 5);
    expect(all.map(({ ts }) => ts)).toEqual(all.map(({ ts }) => ts).sort());
    expect(new Set(all.map(({ ts, native_name, interval_s }) => `${ts} ${native_name} ${interval_s}`)).size).toBe(60);
    for (const limit of [1, 7, 30, 59, 60]) {
      const pages = await follow(home, `${MAY}&limit=${limit}`, 'application/json');
      expect(pages.map(({ json }) => json.data.length)).toEqual(
        Array.from({ length: Math.ceil(60 / limit) }, (_, page) => Math.min(limit, 60 - page * limit)),
      );
      expect(pages.flatMap(({ json }) => json.data)).toEqual(all);
    }
    const csv = await follow(home, `${MAY}&limit=7`, 'text/csv');
    const header = csv[0]?.text.split('\n')[0] ?? '';
    expect(csv.flatMap(({ text }) => linesOf(text))).toEqual(all.map((row) => lineOf(row, header)));
    const cursor = new URL(nextOf(await home.get(`${MAY}&limit=7`)) ?? '', 'https://x').searchParams.get('cursor');
    for (const query of [
      `start=2026-05-02&end=2026-06-01&cursor=${cursor}`,
      `${MAY}&cursor=${cursor}x`,
      `${MAY}&cursor=x`,
    ])
      expect((await home.get(query)).json).toMatchObject({ status: 422, details: [{ field: 'cursor' }] });
  });

  test('contain the edit that excluded or added them', async () => {
    const home = await meter();
    await home.send(...[0, 10, 20, 30, 40].map((n) => ({ ts: at(n), energy_total_kwh: 10 + n / 100 })));
    const edit = async (body: object) => {
      const sent = { method: 'POST', key: home.key, body: { reason: 'x', ...body } };
      const answer = await api.send(`/v1/devices/${home.deviceId}/edits`, sent);
      expect(answer.status).toBe(201);
      await home.compute();
      return answer.json.edit_id as string;
    };
    const exclude = await edit({ action: 'exclude', start: at(0), end: at(11) });
    const add = await edit({ action: 'add', native_name: 'import energy_total_kwh', at: at(30), kwh: 10.31 });
    const listVerdicts = async () => (await home.rows()).map(({ ts, verdict, edit_id }) => [ts, verdict, edit_id]);
    expect(await listVerdicts()).toEqual([
      [at(0), 'excluded', exclude],
      [at(10), 'excluded', exclude],
      [at(20), 'baseline', undefined],
      [at(30), 'counted', add],
      [at(30), 'excluded', add],
      [at(40), 'counted', undefined],
    ]);
    for (const id of [exclude, add])
      await api.send(`/v1/devices/${home.deviceId}/edits/${id}`, { method: 'DELETE', key: home.key });
    await home.compute();
    expect((await listVerdicts()).map(([, verdict]) => verdict)).toEqual(['baseline', ...Array(4).fill('counted')]);
  });

  test('of a power start with a new baseline after a silence, but not after an excluded time', async () => {
    const home = await meter({ max_gap_minutes: 15 });
    await home.send(...[0, 15, 31, 36, 41, 46, 61].map((n) => ({ ts: at(n), power_w: 100 })));
    const verdicts = async () =>
      (await home.rows('start=2026-05-01&end=2026-05-02&limit=100')).map((row) => row.verdict);
    expect(await verdicts()).toEqual(['baseline', 'counted', 'baseline', ...Array(4).fill('counted')]);
    const body = { action: 'exclude', start: at(36), end: at(46), reason: 'x' };
    await api.send(`/v1/devices/${home.deviceId}/edits`, { method: 'POST', key: home.key, body });
    await home.compute();
    const expected = ['baseline', 'counted', 'baseline', 'excluded', 'excluded', 'counted', 'counted'];
    expect(await verdicts()).toEqual(expected);
    const pages = await follow(home, `${MAY}&limit=1`, 'application/json');
    expect(pages.flatMap(({ json }) => json.data).map((row: Row) => row.verdict)).toEqual(expected);
  });

  test('are as many as the quality report of the month states', async () => {
    const home = await meter({ register_max_kwh: 1_000 });
    const values = [500, 500.1, 900, 500.2, 500.19, 500.3, 2, 2.1, 2.2, 400, 400.1, 400.2, 9_000];
    await home.send(...values.map((kwh, n) => ({ ts: at(n * 15), energy_total_kwh: kwh })));
    await api.database.settle(api.now);
    const verdicts = (await home.rows()).map(({ verdict }) => verdict);
    const { findings } = (await api.send(`/v1/devices/${home.deviceId}/quality?start=2026-05-01&end=2026-05-31`, home))
      .json.data[0];
    const count = (name: string) => verdicts.filter((verdict) => verdict === name).length;
    expect(findings).toMatchObject({ glitches: 1, jitter: 1, resets: 1, swaps: 1, held: 1 });
    expect(['glitch', 'jitter', 'reset', 'swap', 'held', 'rollover', 'taken_back', 'baseline'].map(count)).toEqual([
      ...[findings.glitches, findings.jitter, findings.resets, findings.swaps, findings.held],
      ...[findings.rollovers, findings.taken_back, 1],
    ]);
    // Two readings are implausible, but consistent with each other. The next reading decides whether the old or the new series continues.
    await home.send({ ts: at(13 * 15), energy_total_kwh: 9_000.1 });
    expect((await home.rows()).slice(-2).map(({ verdict }) => verdict)).toEqual(['held', 'held']);
    await home.send({ ts: at(14 * 15), energy_total_kwh: 9_000.2 });
    expect((await home.rows()).slice(-3).map(({ verdict }) => verdict)).toEqual(['swap', 'counted', 'counted']);
  });
});

/** Returns the expected classification of each reading by the counting rule (which derives energy from readings). */
function expectedVerdicts({ readings, ...settings }: ReadingHistory): Map<string, string> {
  const names: Record<string, string> = { late: 'late_news', passed: 'passed_over', back: 'taken_back' };
  const series = new Map<string, { values: Set<number>[]; points: ReadingHistory['readings'] }>();
  for (const reading of readings) {
    const name = `${reading.channel} ${reading.kind}`;
    const one = series.get(name) ?? { values: [], points: [] };
    series.set(name, one);
    const index = one.points.findIndex((point) => getReadingKey(point) === getReadingKey(reading));
    if (index === -1) {
      one.points.push(reading);
      one.values.push(new Set([reading.value]));
      continue;
    }
    one.values[index]?.add(reading.value);
    if (reading.value < (one.points[index]?.value ?? 0)) one.points[index] = reading;
  }
  const all = [...series.values()].map(({ points, values }) => {
    const sorted = points.toSorted(compareSeriesReadings);
    const nonzero = sorted.find(({ value }) => value !== 0)?.readAtMs ?? null;
    const lower = new Set(points.filter((_, index) => (values[index]?.size ?? 0) > 1).map(getReadingKey));
    const { channel, kind } = points[0] as DecodedReading;
    const times = { firstReadAtMs: sorted[0]?.readAtMs, ...(kind === 'register' && { nonzeroAtMs: nonzero }) };
    return { channel, kind, sorted, lower, ...times };
  });
  const verdicts = new Map<string, string>();
  for (const [index, roles] of chooseSeriesRoles(all).entries()) {
    const { channel, kind, sorted, lower } = all[index] as (typeof all)[number];
    const rule = createCountingRuleByTime(roles, (of) => selectCountingRule(channel, kind, of, settings));
    // Selects the counting rule (which derives energy from readings) as if the series contributed to the total at all times.
    const always = { import: true, export: true, meter: null };
    const whole = selectCountingRule(channel, kind, kind === 'power' ? always : { ...always, export: false }, settings);
    // The counting rule receives only readings from before the series stops contributing to the total. If a reading is undecided at that
    // time, it never gets a final verdict.
    const received = sorted.filter(({ readAtMs }) => readAtMs < getContributionEndMs(roles));
    const { verdicts: judged, state } = replayReadings(rule, rule.initial, received);
    const ends = new Set(
      whole ? replayReadings(whole, whole.initial, received).intervals.map(({ endMs }) => endMs) : [],
    );
    const counts = (ms: number) => {
      const role = createSeriesRolesLookup(roles)(ms);
      return role.import || role.export;
    };
    const isEnergy = ['register', 'interval', 'power'].includes(kind);
    for (const point of sorted) {
      const { readAtMs: ms } = point;
      const note = judged.get(getReadingKey(point))?.verdict;
      const isHeld = (state as { first?: { readAtMs: number } } | null)?.first?.readAtMs === ms;
      const begins = kind !== 'interval' && counts(ms + 1);
      let verdict: string;
      if (!isEnergy) verdict = 'counted';
      else if (!hasContributingSeriesRole(roles) || (!counts(ms) && !begins))
        verdict = parseChannel(channel).known ? 'not_counted' : 'unknown';
      else if (isHeld) verdict = 'held';
      else if (note && note !== 'confirming') verdict = names[note] ?? note;
      else if (!counts(ms) || !ends.has(ms)) verdict = 'baseline';
      else verdict = lower.has(getReadingKey(point)) ? 'lower_kept' : 'counted';
      verdicts.set(`${channel} ${kind} ${getReadingKey(point)}`, verdict);
    }
  }
  return verdicts;
}

/** Number of random histories. A run with 500 takes five minutes. */
const HISTORIES = Number(process.env.READ_HISTORIES ?? 15);

test('the verdicts of readings are the counting rules’, whatever the order of arrival', async () => {
  api.now = new Date('2027-09-01T00:00:00Z');
  const drawn = fc.sample(
    arbitraryHistory.chain((history) =>
      arbitraryConflictingReadings(history.readings).chain((readings) =>
        fc.tuple(
          fc.constant({ ...history, readings }),
          fc.shuffledSubarray(readings, { minLength: readings.length }),
          fc.boolean(),
        ),
      ),
    ),
    HISTORIES,
  );
  const seen = new Map<string, number>();
  for (const [history, shuffled, isShuffled] of drawn) {
    const { limitKw: limit_kw, registerMaxKwh, maxGapMinutes: max_gap_minutes } = history;
    const max = registerMaxKwh === null ? {} : { register_max_kwh: registerMaxKwh };
    const home = await meter({ limit_kw, max_gap_minutes, ...max });
    const readings = isShuffled ? shuffled : history.readings;
    for (let from = 0; from < readings.length; from += 9) {
      const batch = readings.slice(from, from + 9).map((reading) => ({
        topic: getReadingsTopic(home.deviceId),
        payload: Buffer.from('{}'),
        receivedAtMs: api.now.getTime(),
        decoded: {
          deviceId: home.deviceId,
          readings: [{ ...reading, deviceId: home.deviceId, element: 0 }],
          rejections: [],
        },
      }));
      await home.writer.write(batch);
    }
    await home.compute();
    const { rows: kinds } = await api.database.pool.query('SELECT channel, kind FROM series WHERE device_id = $1', [
      home.deviceId,
    ]);
    const kindOf = (row: Row) => {
      if ('energy_total_kwh' in row || 'volume_total_m3' in row) return 'register';
      if ('interval_s' in row) return 'interval';
      return 'power_w' in row
        ? 'power'
        : row.native_name
            .split(' ')
            .at(-1)
            ?.replace(/_(c|percent)$/, '');
    };
    const rows = (await follow(home, 'start=2026-01-01&end=2027-09-01&limit=50', 'application/json')).flatMap(
      ({ json }) => json.data as Row[],
    );
    const found = new Map(
      rows.map((row) => [
        `${row.channel} ${kindOf(row)} ${Date.parse(row.ts)}/${Math.round(Number(row.interval_s ?? 0) * 1_000)}`,
        row.verdict,
      ]),
    );
    expect(found.size).toBe(rows.length);
    expect(kinds.length).toBeGreaterThan(0);
    const expected = expectedVerdicts(history);
    const differences = [...new Set([...found.keys(), ...expected.keys()])].flatMap((name) =>
      found.get(name) === expected.get(name) ? [] : [[name, found.get(name), expected.get(name)]],
    );
    expect({ history, isShuffled, differences }).toEqual({ history, isShuffled, differences: [] });
    for (const verdict of found.values()) seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
  }
  for (const verdict of ['counted', 'baseline', 'not_counted', 'lower_kept', 'glitch', 'swap', 'jitter', 'overlap'])
    expect([verdict, (seen.get(verdict) ?? 0) > 0]).toEqual([verdict, true]);
});

describe('a request for readings', () => {
  test.each([
    ['', 422],
    ['start=2026-05-01', 422],
    ['end=2026-05-01', 422],
    ['start=2026-05-01&end=2026-05-01', 422],
    ['start=2026-05-02&end=2026-05-01', 422],
    ['start=2026-05-01&end=2026-05-32', 422],
    ['start=2026-05-01T00:00:00&end=2026-05-02', 422],
    ['start=1969-12-31T00:00:00Z&end=1970-01-02', 422],
    ['start=x&end=2026-05-02', 422],
    ['start=2026-05-01T00:00:00Z&end=9999-12-31T23:59:59-23:59', 422],
    ['start=2023-05-01&end=2026-05-01T00:00:00.001Z', 422],
    ['start=2023-05-01&end=2026-05-01', 200],
    [`${MAY}&limit=0`, 422],
    [`${MAY}&limit=10001`, 422],
    [`${MAY}&limit=10000`, 200],
    [`${MAY}&cursor=`, 422],
    [`${MAY}&tz=UTC`, 400],
    [`${MAY}&start=2026-05-01`, 400],
  ])('with %j is answered with %i', async (query, status) => {
    const home = await meter();
    expect((await home.get(query)).status).toBe(status);
  });

  test('is answered only to a key that reaches the device, with a suitable scope', async () => {
    const home = await meter();
    const path = `${home.path}?${MAY}`;
    const status = async (key: string | undefined) => (await api.send(path, key === undefined ? {} : { key })).status;
    expect(await status(undefined)).toBe(401);
    const others = SCOPES.filter((scope) => scope !== 'readings:read');
    expect(await status((await api.user('admin', { scopes: others })).key)).toBe(403);
    expect(await status((await api.user('admin', { scopes: ['readings:read'] })).key)).toBe(200);
    expect(await status(home.utility.key)).toBe(200);
    for (const role of ['homeowner', 'utility'] as const)
      expect(await status((await api.user(role, { scopes: [...SCOPES] })).key)).toBe(404);
    // Unless it has been created with explicit scopes, a key does not have the scope `readings:read`.
    expect(await status((await api.user('admin')).key)).toBe(403);
    for (const id of ['dev_00000000000000000000000000', '%00', 'x'])
      expect((await api.send(`/v1/devices/${id}/readings?${MAY}`, { key: home.key })).status).toBe(404);
    const create = async (key: string, body: object) => api.send('/v1/keys', { method: 'POST', key, body });
    // Two kinds of keys cannot export: a key that a utility created for its homeowner, and a key that is limited to a group.
    const exported = async (key: string) => (await api.send(`/v1/users/${home.userId}/export`, { key })).status;
    const ofUtility = await create(home.utility.key, { user_id: home.userId });
    expect([await status(ofUtility.json.key), await exported(ofUtility.json.key)]).toEqual([403, 403]);
    const asked = { user_id: home.userId, scopes: ['readings:read'] };
    expect((await create(home.utility.key, asked)).status).toBe(403);
    const grouping = { method: 'POST', key: home.utility.key, body: { name: 'x' } };
    const { group_id } = (await api.send('/v1/groups', grouping)).json;
    await api.send(`/v1/groups/${group_id}/users/${home.userId}`, { method: 'PUT', key: home.utility.key });
    const ofGroup = await create(home.utility.key, { group_id });
    expect([ofGroup.json.scopes, await status(ofGroup.json.key)]).toEqual([READ_ONLY_SCOPES, 403]);
    expect([await exported(ofGroup.json.key), await exported(home.utility.key)]).toEqual([403, 200]);
    // A key that is limited to a group cannot export, even if an operator has given it the scope `readings:read`.
    const newKey = { userId: home.utility.userId, environment: 'live' as const, groupId: group_id };
    const byOperator = await createKey(api.db, { ...newKey, scopes: [...READ_ONLY_SCOPES, 'readings:read'] });
    expect([await status(byOperator.key), await exported(byOperator.key)]).toEqual([403, 403]);
    expect((await create(home.utility.key, { group_id, scopes: ['readings:read'] })).json).toMatchObject({
      status: 422,
      details: [{ field: 'scopes' }],
    });
    await api.send(`/v1/devices/${home.deviceId}`, { method: 'DELETE', key: home.key });
    expect(await status(home.key)).toBe(404);
  });
});
