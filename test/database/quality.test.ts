import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { generateMeterReadings, type MeterReading } from '#simulators/devices/native-meter.ts';
import { combineNamedFaults } from '#simulators/faults.ts';
import { createSimulatedHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

/**
 * Tests of quality reports on simulated months, written as ingest writes them. The reports must contain every simulated fault and no other.
 */
const HOUR_MS = 3_600_000;
const QUARTER_HOUR_MS = 900_000;
const MAY = Date.UTC(2026, 4, 1);
const JUNE = Date.UTC(2026, 5, 1);
const clean = [
  ...generateMeterReadings(createSimulatedHome(drawHomeTraits('quality'), MAY - 90 * 24 * HOUR_MS), MAY, JUNE, 900),
];

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

async function meter() {
  const home = await api.user('homeowner');
  const body = { type: 'smart_meter', location: 'x' };
  const { device_id: deviceId } = (await api.send('/v1/devices', { method: 'POST', key: home.key, body })).json;
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const send = (readings: readonly object[], receivedAtMs = api.now.getTime()) => {
    const message = createIncomingMessage({
      topic: getReadingsTopic(deviceId),
      payload: Buffer.from(JSON.stringify(readings)),
      receivedAtMs,
      replayed: false,
    });
    return message ? writer.write([message]) : Promise.reject(new Error('no reading'));
  };
  const report = async (days = 'start=2026-05-01&end=2026-05-31') => {
    await api.database.settle(api.now);
    return (await api.send(`/v1/devices/${deviceId}/quality?${days}`, { key: home.key })).json.data;
  };
  return { ...home, deviceId, send, report };
}

const NOTHING = {
  glitches: 0,
  overlaps: 0,
  late_news: 0,
  passed_over: 0,
  taken_back: 0,
  jitter: 0,
  resets: 0,
  rollovers: 0,
  swaps: 0,
  held: 0,
};
const batchesOf = (readings: readonly MeterReading[], size: number) =>
  Array.from({ length: Math.ceil(readings.length / size) }, (_, at) => readings.slice(at * size, (at + 1) * size));
const milliwattHours = ({ energy_total_kwh }: MeterReading) => Math.round(energy_total_kwh * 1e6);

test('the quality of a month without a fault lists no findings', async () => {
  const { send, report } = await meter();
  for (const batch of batchesOf(clean, 96)) await send(batch);
  const used = milliwattHours(clean.at(-1) as MeterReading) - milliwattHours(clean[0] as MeterReading);
  expect(await report()).toEqual([
    {
      month: '2026-05',
      intervals_expected: 31 * 96,
      intervals_received: 31 * 96,
      intervals_estimated: 0,
      intervals_partial: 0,
      intervals_missing: 0,
      import_kwh: used / 1e6,
      export_kwh: 0,
      estimated_import_kwh: 0,
      estimated_export_kwh: 0,
      readings: 31 * 96,
      late_readings: 0,
      corrected_hours: 0,
      import_change_kwh: 0,
      export_change_kwh: 0,
      findings: NOTHING,
      excluded_readings: 0,
      added_readings: 0,
      edits: [],
      rejected: 0,
      rejections: [],
    },
  ]);
});

test.each(['a', 'b'])('the quality of a month with every fault lists each, with its size (%s)', async (seed) => {
  const { send, report } = await meter();
  const sent = combineNamedFaults(['reset', 'glitches', 'gaps', 'duplicates', 'late'], seed)(clean);
  // `inOrder`: readings that arrive in chronological order. `others`: late and repeated readings, which arrive afterwards.
  const inOrder: MeterReading[] = [];
  const others: MeterReading[] = [];
  for (const reading of sent) ((inOrder.at(-1)?.ts ?? '') < reading.ts ? inOrder : others).push(reading);
  for (const batch of batchesOf(inOrder, 96)) await send(batch);
  const [before] = await report();
  expect(before).toMatchObject({ late_readings: 0, corrected_hours: 0 });
  for (const batch of batchesOf(others, 20)) await send(batch);
  const known = new Set(inOrder.map(({ ts }) => ts));
  const late = new Set(others.map(({ ts }) => ts).filter((ts) => !known.has(ts))).size;
  // Computes the expected report from the readings without the glitches.
  const unique = new Map(sent.map((reading) => [reading.ts, reading]));
  const glitches = [...unique.values()].filter(({ energy_total_kwh }) => energy_total_kwh > 400_000);
  const good = [...unique.values()]
    .filter((reading) => !glitches.includes(reading))
    .sort((a, b) => (a.ts < b.ts ? -1 : 1));
  let [estimated, estimatedIntervals, used] = [0, 0, 0];
  for (const [index, reading] of good.slice(1).entries()) {
    const last = good[index] as MeterReading;
    const rise = milliwattHours(reading) - milliwattHours(last);
    const energy = rise < 0 ? milliwattHours(reading) : rise;
    used += energy;
    const ms = Date.parse(reading.ts) - Date.parse(last.ts);
    if (ms <= HOUR_MS) continue;
    estimated += energy;
    estimatedIntervals += ms / QUARTER_HOUR_MS;
  }
  const [row] = await report();
  expect(row).toMatchObject({
    intervals_expected: 31 * 96,
    intervals_received: 31 * 96 - estimatedIntervals,
    intervals_estimated: estimatedIntervals,
    intervals_partial: 0,
    intervals_missing: 0,
    import_kwh: used / 1e6,
    estimated_import_kwh: estimated / 1e6,
    readings: good.length - 1,
    late_readings: late,
    findings: { ...NOTHING, glitches: glitches.length, resets: 1 },
    rejected: 0,
  });
  expect([glitches.length > 0, estimatedIntervals > 20, late > 100, row.corrected_hours > 20]).toEqual(
    Array(4).fill(true),
  );
  expect(row.import_change_kwh).toBeCloseTo(row.import_kwh - before.import_kwh, 6);
});

test('the quality of a month lists swaps, refused readings with reasons, and unknown times', async () => {
  const { send, report, deviceId, key } = await meter();
  const at = (quarter: number) => new Date(MAY + quarter * QUARTER_HOUR_MS).toISOString();
  const rows = (from: number, to: number, kwh: (quarter: number) => number) =>
    Array.from({ length: to - from }, (_, index) => ({ ts: at(from + index), energy_total_kwh: kwh(from + index) }));
  // After an hour without a meter, a new meter is installed. Its register is higher.
  await send([...rows(0, 20, (n) => 5_000 + n / 10), ...rows(24, 40, (n) => 9_000_000 + n / 10)]);
  const inMay = MAY + 10 * HOUR_MS;
  await send([{ ts: new Date(inMay + HOUR_MS).toISOString(), energy_total_kwh: 1 }], inMay);
  await send([{ ts: at(3), energy_total_kwh: 6_000 }], inMay);
  const [row] = await report('start=2026-05-01&end=2026-05-01');
  expect(row).toMatchObject({
    intervals_expected: 96,
    // Two periods are unknown: from the last reading of the old meter to the first of the new one, and after the last reading.
    intervals_received: 19 + 15,
    intervals_missing: 5 + 57,
    intervals_estimated: 0,
    import_kwh: 1.9 + 1.5,
    late_readings: 0,
    corrected_hours: 0,
    findings: { ...NOTHING, swaps: 1 },
    rejected: 2,
    rejections: [
      { reason: 'another value for the same time: the lower one stays', count: 1 },
      { reason: 'time is more than 5 minutes in the future', count: 1 },
    ],
  });
  const zone = await report('start=2026-05-01&end=2026-05-01&tz=America/New_York');
  expect(zone.map(({ month, intervals_expected }: typeof row) => [month, intervals_expected])).toEqual([
    ['2026-05', 96],
  ]);
  const asked = { key, headers: { accept: 'text/csv' } };
  const csv = await api.send(`/v1/devices/${deviceId}/quality?start=2026-05-01&end=2026-05-31`, asked);
  expect(csv.text.split('\n')[0]).toMatch(/^month,intervals_expected,.*,rejections$/);
  expect(csv.text.split('\n')[1]).toMatch(/^2026-05,2976,34,.*1 × another value/);
});

test('the quality report of a power lists gaps after too long a silence; that of a thermostat lists none', async () => {
  const { send, report } = await meter();
  const power = (minutes: number) => ({ ts: new Date(MAY + minutes * 60_000).toISOString(), power_w: 400 });
  await send([0, 10, 20, 30, 60, 70, 80].map(power));
  const [row] = await report('start=2026-05-01&end=2026-05-01');
  expect(row).toMatchObject({ intervals_received: 3, intervals_partial: 1, intervals_missing: 92 });
  expect(row.import_kwh).toBeCloseTo((400 * 50) / 60_000, 5);
  const thermostat = await meter();
  await thermostat.send([{ ts: new Date(MAY).toISOString(), temperature_c: 20 }]);
  expect(await thermostat.report()).toEqual([]);
});

test('the quality of a month states by how much late readings changed known energy', async () => {
  const { send, report } = await meter();
  const register = (hour: number, kwh: number) => ({
    ts: new Date(MAY + hour * HOUR_MS).toISOString(),
    energy_total_kwh: kwh,
  });
  await send([register(2, 100), register(3, 101), register(4, 102)]);
  await send([register(1, 98.5)]);
  const [row] = await report('start=2026-05-01&end=2026-05-01');
  expect(row).toMatchObject({ late_readings: 1, corrected_hours: 1, import_change_kwh: 1.5, import_kwh: 3.5 });
});

test.each([
  ['circuits', 'switch0/import', 'switch1/import'],
  ['tariffs', 'import/t1', 'import/t2'],
])(
  'with two %s, new readings of one are not reported as corrections, but late readings of the other are',
  async (_, one, other) => {
    const { send, report } = await meter();
    const register = (channel: string, hour: number, kwh: number) => ({
      ts: new Date(MAY + hour * HOUR_MS).toISOString(),
      energy_total_kwh: kwh,
      channel,
    });
    await send([register(one, 1, 100), register(one, 2, 101), register(other, 1, 50), register(other, 2, 50)]);
    await send([register(one, 12, 111)]);
    // A late reading of the first series, which moves no energy to another hour, and a reading of the second series.
    await send([register(one, 1.5, 100.5), register(other, 11.5, 51)]);
    const [row] = await report('start=2026-05-01&end=2026-05-01');
    expect(row).toMatchObject({ late_readings: 1, import_kwh: 12 });
    if (one === 'switch0/import') expect(row).toMatchObject({ corrected_hours: 0, import_change_kwh: 0 });
    // The tariff rule now places the first tariff's energy at a later time, after the second tariff's. The total is the same, so the
    // correction is 0.
    else expect(row.import_change_kwh).toBeCloseTo(0, 6);
  },
);
