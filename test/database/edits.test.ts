import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { dropExpiredReadings } from '#src/database/migrate.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { checkAllRollups } from '#src/rollups/check-all.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

const HOUR_MS = 3_600_000;
const MAY = Date.UTC(2026, 4, 1);
const REGISTER = 'import energy_total_kwh';
const at = (hours: number) => new Date(MAY + hours * HOUR_MS).toISOString();

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Creates a meter whose readings are written by a single worker, which caches the states of devices. */
async function meter() {
  const utility = await api.user('utility');
  const home = await api.user('homeowner', { enrolledBy: utility.userId });
  const post = (path: string, body: object, key = home.key, method = 'POST') =>
    api.send(path, { method, key, body: method === 'POST' ? body : undefined });
  const { device_id: deviceId } = (await post('/v1/devices', { type: 'smart_meter', location: 'x' })).json;
  const { pool } = api.database;
  const writer = createReadingBatchWriter(pool, { now: () => api.now.getTime() });
  /** Sends register readings. Each is a pair: hours since the start of May, and kWh. */
  const send = async (readings: readonly (readonly [number, number])[]) => {
    for (const [hours, kwh] of readings) {
      const payload = Buffer.from(JSON.stringify({ ts: at(hours), energy_total_kwh: kwh }));
      const message = createIncomingMessage({
        topic: getReadingsTopic(deviceId),
        payload,
        receivedAtMs: api.now.getTime(),
        replayed: false,
      });
      if (message) await writer.write([message]);
    }
  };
  const path = `/v1/devices/${deviceId}/edits`;
  const edit = (body: object, key = home.key) => post(path, { reason: 'checked', ...body }, key);
  const revoke = (editId: string, key = home.key) => post(`${path}/${editId}`, {}, key, 'DELETE');
  const compute = () => recomputeChangedDevices(pool, writer);
  /** Recomputes pending edits in chunks of two readings. */
  const piece = () =>
    recomputeChangedDevices(pool, createReadingBatchWriter(pool, { now: () => api.now.getTime(), pieceReadings: 2 }));
  /** Returns the meter's energy in kWh for each hour, counted from the start of May. */
  const profile = async () => {
    const { rows } = await pool.query(
      `SELECT hour, energy_milliwatt_hours AS energy, estimated_milliwatt_hours AS estimated FROM device_hourly
       WHERE device_id = $1 ORDER BY 1`,
      [deviceId],
    );
    return rows.map(({ hour, energy, estimated }) => [
      (hour.getTime() - MAY) / HOUR_MS,
      energy / 1e6,
      ...(estimated > 0 ? [estimated / 1e6] : []),
    ]);
  };
  /** Returns the meter's rows in every relation whose rows can be updated or deleted. Relations that only get new rows are omitted. */
  const everything = async () => {
    const asked = [
      'SELECT * FROM device_intervals WHERE device_id = $1 ORDER BY starts_at',
      'SELECT r.* FROM readings r JOIN series USING (series_id) WHERE device_id = $1 ORDER BY 1, 2, 3',
      'SELECT n.* FROM reading_notes n JOIN series USING (series_id) WHERE device_id = $1 ORDER BY 1, 2, 3',
      'SELECT * FROM series WHERE device_id = $1',
      'SELECT laws FROM device_heads WHERE device_id = $1',
      'SELECT user_id, hour, energy_milliwatt_hours, estimated_milliwatt_hours, covered_ms, reading_count FROM user_hourly WHERE user_id = (SELECT user_id FROM devices WHERE device_id = $1) ORDER BY hour',
    ];
    return Promise.all(asked.map(async (text) => (await pool.query(text, [deviceId])).rows));
  };
  return { ...home, utility, deviceId, path, send, edit, revoke, compute, piece, profile, everything, post };
}

/** Returns the hours, counted from the start of May, that a Green Button feed marks as edited manually. */
const editedHours = (text: string): number[] =>
  [
    ...text.matchAll(/<espi:quality>7<\/espi:quality><\/espi:ReadingQuality><espi:timePeriod>.*?<espi:start>(\d+)</g),
  ].map(([, start]) => (Number(start) * 1_000 - MAY) / HOUR_MS);

/** Register readings of ten hours with 1 kWh each. In the middle, four readings are 0.4 kWh too high. */
const FALSE: [number, number][] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((hour) => [
  hour,
  100 + hour + (hour > 2 && hour < 7 ? 0.4 : 0),
]);

test('excluded readings are skipped, whenever they arrive, and count again once the edit is revoked', async () => {
  api.now = new Date(MAY + 12 * HOUR_MS);
  const { send, edit, revoke, compute, profile, everything, deviceId, userId, path, key } = await meter();
  const late = FALSE[5] as [number, number];
  await send(FALSE.filter((one) => one !== late));
  const before = await everything();
  const made = await edit({ action: 'exclude', native_name: REGISTER, start: at(3), end: at(7) });
  expect(made).toMatchObject({
    status: 201,
    json: {
      action: 'exclude',
      status: 'in_force',
      is_computed: false,
      author: userId,
      native_name: REGISTER,
      end: at(7),
    },
  });
  expect(await compute()).toBe(1);
  const evenly = [
    [0, 1],
    [1, 1],
    [2, 1, 1],
    [3, 1, 1],
    [4, 1, 1],
    [5, 1, 1],
    [6, 1, 1],
    [7, 1],
    [8, 1],
    [9, 1],
  ];
  expect(await profile()).toEqual(evenly);
  // The late reading is in the excluded period; the next reading is after it.
  await send([late, [11, 111]]);
  expect(await profile()).toEqual([...evenly, [10, 1]]);
  const { rows } = await api.database.pool.query(
    'SELECT count(*)::int AS stored FROM readings JOIN series USING (series_id) WHERE device_id = $1',
    [deviceId],
  );
  expect(rows[0].stored).toBe(12);
  const [listed] = (await api.send(path, { key })).json;
  expect(listed).toMatchObject({ edit_id: made.json.edit_id, is_computed: true, revoked_by: null });
  const report = (await api.send(`/v1/devices/${deviceId}/quality?start=2026-05-01&end=2026-05-31`, { key })).json
    .data[0];
  expect(report).toMatchObject({ excluded_readings: 4, added_readings: 0, edits: [made.json.edit_id] });
  // The feed marks the hours whose energy depends on the edit.
  const feed = `start=2026-05-01&end=2026-05-01&tz=UTC&group_by=hour`;
  const headers = { accept: 'application/atom+xml' };
  for (const path of ['energy-insights', `devices/${deviceId}/usage`]) {
    const { text } = await api.send(`/v1/${path}?${feed}`, { key, headers });
    expect([path, editedHours(text)]).toEqual([path, [2, 3, 4, 5, 6]]);
  }
  // A reading that arrives before the pending recomputation is stored immediately.
  expect(await revoke(made.json.edit_id)).toMatchObject({
    status: 200,
    json: { status: 'revoked', revoked_by: userId },
  });
  await send([[12, 112]]);
  expect((await api.send(path, { key })).json[0]).toMatchObject({ is_computed: false });
  expect((await profile()).slice(-2)).toEqual([
    [10, 1],
    [11, 1],
  ]);
  expect(await compute()).toBe(1);
  expect(await profile()).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((hour) => [hour, hour === 2 ? 1.4 : hour === 6 ? 0.6 : 1]),
  );
  expect(before[0]?.length).toBeGreaterThan(30);
});

test('readings in an excluded time are also skipped for a device with a cached head', async () => {
  api.now = new Date(MAY + 12 * HOUR_MS);
  const { send, edit, compute, profile } = await meter();
  await send(FALSE.slice(0, 3));
  await edit({ action: 'exclude', start: at(3), end: at(7) });
  await compute();
  await send(FALSE.slice(3));
  expect((await profile()).map(([, kwh]) => kwh)).toEqual(Array(10).fill(1));
});

test('revoking an edit restores every row, also after a reading by hand, which counts like a late reading', async () => {
  api.now = new Date(MAY + 30 * HOUR_MS);
  const { send, edit, revoke, compute, profile, everything, deviceId, key } = await meter();
  // For a day, the meter sends no readings. The home uses 12 kWh in this time.
  await send([
    [0, 100],
    [1, 101],
    [25, 113],
    [26, 114],
  ]);
  const before = await everything();
  const read = (await edit({ action: 'add', native_name: REGISTER, at: at(7), kwh: 110 })).json;
  const last = (await edit({ action: 'add', native_name: REGISTER, at: at(29), kwh: 117 })).json;
  const gone = (await edit({ action: 'exclude', start: at(25), end: at(25.5) })).json;
  expect(await compute()).toBe(1);
  const hours = await profile();
  expect(hours[1]).toEqual([1, 1.5, 1.5]);
  expect(hours[7]?.[1]).toBeCloseTo(4 / 19, 5);
  expect(hours.at(-1)).toEqual([28, 1, 1]);
  expect(hours.reduce((sum, [, kwh]) => sum + (kwh as number), 0)).toBeCloseTo(17, 6);
  const report = (await api.send(`/v1/devices/${deviceId}/quality?start=2026-05-01&end=2026-05-31`, { key })).json
    .data[0];
  expect(report).toMatchObject({ excluded_readings: 1, added_readings: 2 });
  expect(report.edits).toHaveLength(3);
  // If a manual reading has the same time as a reading of the meter, the manual one is used.
  const [{ capabilities, pool }, since] = [api.database, new Date(MAY)];
  await api.database.settle(api.now);
  expect((await checkAllRollups(pool, { capabilities, since, mode: 'check' })).differences).toEqual([]);
  for (const { edit_id } of [gone, read, last]) expect((await revoke(edit_id)).status).toBe(200);
  expect(await compute()).toBe(1);
  expect(await everything()).toEqual(before);
  // Revokes an edit before it has been computed.
  const again = (await edit({ action: 'add', native_name: REGISTER, at: at(7), kwh: 110 })).json;
  await revoke(again.edit_id);
  await compute();
  expect(await everything()).toEqual(before);
});

test('an edit takes effect with its last chunk; a manual reading at its end leaves no trace when it is revoked', async () => {
  api.now = new Date(MAY + 12 * HOUR_MS);
  const { send, edit, revoke, compute, piece, everything, path, key } = await meter();
  await send(FALSE);
  const isComputed = async () =>
    (await api.send(path, { key })).json.map((one: { is_computed: boolean }) => one.is_computed);
  const excluded = (await edit({ action: 'exclude', start: at(6), end: at(11) })).json;
  const seen: boolean[][] = [];
  for (let remaining = 1; remaining > 0; ) {
    remaining = await piece();
    seen.push(await isComputed());
  }
  expect(seen).toEqual([[false], [false], [true], [true]]);
  const before = await everything();
  // The readings directly before the manual one, including the meter's last reading, are excluded.
  const { edit_id } = (await edit({ action: 'add', native_name: REGISTER, at: at(11), kwh: 111 })).json;
  await compute();
  expect(await everything()).not.toEqual(before);
  await revoke(edit_id);
  await compute();
  expect(await everything()).toEqual(before);
  await revoke(excluded.edit_id);
  await piece();
  expect(await isComputed()).toEqual([false, true]);
});

test('a manual reading replaces a sent one for the same instant, in either order', async () => {
  api.now = new Date(MAY + 12 * HOUR_MS);
  const { send, edit, revoke, compute, profile } = await meter();
  await send([
    [0, 100],
    [1, 101],
    [3, 104],
  ]);
  const { edit_id } = (await edit({ action: 'add', native_name: REGISTER, at: at(2), kwh: 103 })).json;
  await compute();
  await send([[2, 102]]);
  expect(await profile()).toEqual([
    [0, 1],
    [1, 2],
    [2, 1],
  ]);
  await revoke(edit_id);
  await compute();
  expect(await profile()).toEqual([
    [0, 1],
    [1, 1],
    [2, 2],
  ]);
});

test('a closed bill is corrected by an edit as by a late reading, and lists manual readings', async () => {
  api.now = new Date(MAY + 24 * 40 * HOUR_MS);
  const { send, edit, compute, deviceId, utility, post } = await meter();
  await send([
    [0, 100],
    [24 * 10, 200],
    [24 * 35, 600],
  ]);
  const bill = (
    await post('/v1/bill-periods', { device_id: deviceId, start: '2026-05-01', end: '2026-05-31' }, utility.key)
  ).json;
  const path = `/v1/bill-periods/${bill.bill_period_id}`;
  const closed = await post(`${path}/close`, {}, utility.key);
  expect(closed.json.last_told).toMatchObject({ import_kwh: '436.000000' });
  await edit({ action: 'add', native_name: REGISTER, at: at(24 * 31), kwh: 500 }, utility.key);
  await compute();
  const { json } = await api.send(path, { key: utility.key });
  expect(json.known_now).toMatchObject({
    import_kwh: '400.000000',
    registers: [{ at_end: { kwh: '500.000000', is: 'by_hand' }, energy_kwh: '400.000000' }],
  });
  expect(json.corrections).toMatchObject([{ status: 'waiting', import_kwh: '-36.000000' }]);
  // The next bill begins with the manual register value.
  const next = { device_id: deviceId, start: '2026-06-01', end: '2026-06-04' };
  const { bill_period_id } = (await post('/v1/bill-periods', next, utility.key)).json;
  const headers = { accept: 'application/atom+xml' };
  const { text } = await api.send(`/v1/bill-periods/${bill_period_id}`, { key: utility.key, headers });
  expect(text).toMatch(
    /<espi:quality>7<\/espi:quality><\/espi:ReadingQuality><espi:timePeriod>[^V]*<espi:value>500000000</,
  );
});

test('edits by a host’s clock do not count towards the 1,000 that people may make per device', async () => {
  api.now = new Date(MAY + 12 * HOUR_MS);
  const { send, edit, deviceId } = await meter();
  await send(FALSE);
  await api.database.pool.query(
    `INSERT INTO reading_edits (edit_id, device_id, channel, kind, from_at, to_at, reason, author, created_at)
     SELECT 'edt_clock_' || n, $1, 'none', 'power', $2, $2::timestamptz + interval '1 min', 'set back', 'clock', $2 FROM generate_series(1, 1000) n`,
    [deviceId, api.now],
  );
  expect((await edit({ action: 'exclude', start: at(1), end: at(2) })).status).toBe(201);
});

test('invalid edits are refused with the reason', async () => {
  api.now = new Date(MAY + 12 * HOUR_MS);
  const { send, edit, revoke, compute, path, utility, userId, key, deviceId } = await meter();
  const readOnly = await api.user('utility', { scopes: ['devices:read'] });
  const stranger = await api.user('homeowner');
  await send(FALSE);
  const add = { action: 'add', native_name: REGISTER, at: at(2.5), kwh: 102.5 };
  const exclude = { action: 'exclude', start: at(1), end: at(2) };
  const refused: [object, string][] = [
    [{ ...add, at: at(13) }, 'at'],
    [{ ...add, native_name: 'import power_w' }, 'native_name'],
    [{ ...add, native_name: undefined }, 'native_name'],
    [{ ...add, kwh: -1 }, 'kwh'],
    [{ ...add, start: at(1) }, 'start'],
    [{ ...add, at: '2024-01-01T00:00:00Z' }, 'at'],
    [{ ...add, reason: '' }, 'reason'],
    [{ ...add, reason: 'x'.repeat(501) }, 'reason'],
    [{ ...exclude, end: at(1) }, 'end'],
    [{ ...exclude, end: at(13) }, 'end'],
    [{ ...exclude, start: '2024-01-01T00:00:00Z' }, 'start'],
    [{ ...exclude, native_name: 'nothing' }, 'native_name'],
    [{ ...exclude, kwh: 1 }, 'kwh'],
    [{ action: 'exclude', end: at(2) }, 'start'],
    [{ action: 'replace' }, 'action'],
  ];
  for (const [body, field] of refused) {
    const { status, json } = await edit(body);
    expect({ body, status, fields: json.details?.map((one: { field: string }) => one.field) }).toEqual({
      body,
      status: 422,
      fields: expect.arrayContaining([field]),
    });
  }
  expect((await edit(add, readOnly.key)).status).toBe(403);
  expect((await edit(add, stranger.key)).status).toBe(404);
  const made = (await edit(add)).json;
  expect(await edit(add)).toMatchObject({ status: 409 });
  expect((await api.send(path, { key: stranger.key })).status).toBe(404);
  expect((await revoke(made.edit_id, stranger.key)).status).toBe(404);
  expect((await revoke('edt_none')).status).toBe(404);
  // The utility that enrolled the home can edit readings, too. The list contains the author of each edit.
  const theirs = (await edit(exclude, utility.key)).json;
  expect(theirs.author).toBe(utility.userId);
  const first = await api.send(`${path}?limit=1`, { key });
  expect(first.json).toHaveLength(1);
  expect(first.headers.link).toContain('rel="next"');
  expect((await revoke(made.edit_id)).json).toMatchObject({ revoked_by: userId });
  const again = await revoke(made.edit_id, utility.key);
  expect(again).toMatchObject({ status: 200, json: { revoked_by: userId } });
  const { rows } = await api.database.pool.query(
    `SELECT action, actor_user_id, about_user_id, details FROM audit_log WHERE target = $1 AND action LIKE 'device.edit%' ORDER BY audit_id`,
    [deviceId],
  );
  expect(rows.map(({ action, actor_user_id }) => [action, actor_user_id])).toEqual([
    ['device.edited', userId],
    ['device.edited', utility.userId],
    ['device.edit_revoked', userId],
    ['device.edit_revoked', utility.userId],
  ]);
  expect(rows[2]).toMatchObject({ about_user_id: userId, details: { edit_id: made.edit_id } });
  await compute();
});

test('retention keeps results computed with edits, and dropped readings can no longer be edited', async () => {
  api.now = new Date(MAY + 12 * HOUR_MS);
  const { send, edit, revoke, compute, profile, deviceId } = await meter();
  await send(FALSE);
  const excluded = (await edit({ action: 'exclude', start: at(3), end: at(7) })).json;
  const read = (await edit({ action: 'add', native_name: REGISTER, at: at(11), kwh: 111 })).json;
  await compute();
  const before = await profile();
  expect(before).toHaveLength(11);
  // A year and a half later, the meter's readings have been deleted. Only the manual reading remains, from which later energy is counted.
  api.now = new Date(MAY + 24 * 548 * HOUR_MS);
  expect((await dropExpiredReadings(api.database.pool, api.now, 13)).length).toBeGreaterThan(0);
  const { rows } = await api.database.pool.query(
    `SELECT k.interval_ms, k.value FROM closed_readings k JOIN series USING (series_id) WHERE device_id = $1 ORDER BY read_at DESC LIMIT 1`,
    [deviceId],
  );
  expect(rows).toEqual([{ interval_ms: -1, value: 111_000_000 }]);
  for (const { edit_id } of [excluded, read]) expect(await revoke(edit_id)).toMatchObject({ status: 409 });
  expect(await edit({ action: 'exclude', start: at(1), end: at(2) })).toMatchObject({ status: 422 });
  // If a setting that applies to the past is changed, periods whose readings have been deleted do not change.
  await api.database.pool.query(
    `UPDATE devices SET computed_with = jsonb_build_object('limit_kw', limit_kw, 'register_max_kwh', null, 'max_gap_minutes', max_gap_minutes), limit_kw = 90
     WHERE device_id = $1`,
    [deviceId],
  );
  await compute();
  await send([[24 * 540, 112]]);
  const after = await profile();
  expect(after.slice(0, 11)).toEqual(before);
  expect(after.reduce((sum, [, kwh]) => sum + (kwh as number), 0)).toBeCloseTo(12, 6);
});
