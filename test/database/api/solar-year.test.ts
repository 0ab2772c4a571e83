import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { SOLAR_REGISTERS, type SolarDevice } from '#simulators/demo-solar.ts';
import { listCadenceTimes } from '#simulators/devices/native-meter.ts';
import { createSolarHome, type SolarHome } from '#simulators/home-clock.ts';
import { drawHomeTraits } from '#simulators/homes.ts';
import { drawSolarTraits, SOLAR_FLOWS, type SolarFlow, simulateSolarDay } from '#simulators/solar.ts';
import { createDatabase } from '#src/database/connect.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { readHomeQuarterHours } from '#src/energy/home/quarter-hours.ts';
import { parseDayNumber } from '#src/remarks/calendar.ts';
import { readDailyUsage } from '#src/remarks/read-profile.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';

/** Writes a year of a simulated home with solar panels and a battery, as hourly registers. Responses must equal the simulation. */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Time zone of the home, start of its first local hour of the year, and end of its last one. */
const ZONE = 'Europe/Berlin';
const FROM_MS = Date.UTC(2024, 11, 31, 23);
const UNTIL_MS = Date.UTC(2026, 0, 1);
const YEAR = { start: '2025-01-01', end: '2025-12-31' };
const SEED = 'a year in the sun';
const traits = drawHomeTraits(SEED, 60);
const solar = drawSolarTraits(SEED, 52.5);

const DEVICES = Object.keys(SOLAR_REGISTERS) as SolarDevice[];
const BATCH_DAYS = 30;

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
  api.now = new Date(UNTIL_MS + HOUR_MS);
  ({ key } = await api.user('homeowner'));
  const ids = new Map<SolarDevice, string>();
  for (const type of DEVICES) {
    const { json } = await api.send('/v1/devices', { method: 'POST', key, body: { type, location: 'home' } });
    ids.set(type, json.device_id);
  }
  const writer = createReadingBatchWriter(api.database.pool, { now: () => api.now.getTime() });
  const home = createSolarHome(traits, solar, FROM_MS);
  for (let fromMs = FROM_MS; fromMs <= UNTIL_MS; fromMs += BATCH_DAYS * DAY_MS) {
    const hours = [...listCadenceTimes(fromMs, Math.min(fromMs + BATCH_DAYS * DAY_MS - 1, UNTIL_MS), 3600)];
    const states = hours.map((atMs) => ({ ts: new Date(atMs).toISOString(), ...home.at(atMs) }));
    const batch = DEVICES.flatMap((device) => {
      const payload = Buffer.from(JSON.stringify(states.flatMap((state) => registers(device, state))));
      const topic = getReadingsTopic(ids.get(device) ?? '');
      return createIncomingMessage({ topic, payload, receivedAtMs: api.now.getTime(), replayed: false }) ?? [];
    });
    expect(await writer.write(batch)).toMatchObject({ rejected: 0, duplicates: 0 });
  }
});
afterAll(() => api.close());

/** Returns the registers of a simulated device without rounding. (Real devices round to 1 Wh.) */
const registers = (device: SolarDevice, { ts, ...state }: ReturnType<SolarHome['at']> & { ts: string }) =>
  SOLAR_REGISTERS[device].map(([flow, channel]) => ({
    ts,
    channel: channel ?? 'import',
    energy_total_kwh: state[flow].registerMilliwattHours / 1e6,
  }));

/** Returns the simulated energy of each flow, in mWh, for each day of a time zone. The energy is the sum over the day's minutes. */
function drawnDays(zone: string): Map<string, Record<SolarFlow, number>> {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' });
  const days = new Map<string, Record<SolarFlow, number>>();
  for (let dayMs = FROM_MS; dayMs < UNTIL_MS; dayMs += DAY_MS) {
    const { watts } = simulateSolarDay(traits, solar, dayMs, Number.NEGATIVE_INFINITY);
    for (let hour = 0; hour < 24; hour++) {
      const date = format.format(dayMs + hour * HOUR_MS);
      const day = days.get(date) ?? nothing();
      for (const flow of SOLAR_FLOWS)
        for (const watt of watts[flow].subarray(60 * hour, 60 * hour + 60)) day[flow] += (watt * 1000) / 60;
      days.set(date, day);
    }
  }
  return new Map([...days].filter(([date]) => date >= YEAR.start && date <= YEAR.end));
}

const nothing = () => Object.fromEntries(SOLAR_FLOWS.map((flow) => [flow, 0])) as Record<SolarFlow, number>;

function sumOf(days: readonly Record<SolarFlow, number>[]): Record<SolarFlow, number> {
  const sum = nothing();
  for (const day of days) for (const flow of SOLAR_FLOWS) sum[flow] += day[flow];
  return sum;
}

/** Tolerance for rounding: responses are rounded to 1 Wh, and usage is computed from five registers. */
const HALF_WH = 0.000_5 + 0.000_01;

/** Expects a row of a response to equal the simulated energy, and its coverage to be complete. */
function expectReported(
  row: Record<string, number | boolean | null>,
  used: string,
  drawn: Record<SolarFlow, number>,
): void {
  const wanted = {
    [used]: drawn.load,
    grid_import_kwh: drawn.gridImport,
    grid_export_kwh: drawn.gridExport,
    production_kwh: drawn.production,
    charged_kwh: drawn.charged,
    discharged_kwh: drawn.discharged,
    self_consumed_kwh: Math.max(0, drawn.production - drawn.gridExport),
    untracked_kwh: drawn.load,
  };
  for (const [name, milliwattHours] of Object.entries(wanted)) {
    const reported = row[name] as number;
    if (typeof reported !== 'number' || Math.abs(reported - milliwattHours / 1e6) > HALF_WH)
      expect({ row, name, told: reported }).toEqual({ row, name, told: milliwattHours / 1e6 });
  }
  // Autarky is rounded down to three decimals, unlike energies.
  const autarky = 1 - drawn.gridImport / drawn.load;
  expect(row.autarky).toBeLessThanOrEqual(autarky + 1e-6);
  expect(row.autarky).toBeGreaterThan(autarky - 0.001 - 1e-6);
  expect(row).toMatchObject({ estimated_kwh: 0, coverage: 1, complete: true, consumption_kwh: null });
}

const INCLUDE =
  'grid_import,grid_export,production,charged,discharged,consumption,untracked,self_consumed,autarky,estimated,coverage';

test.each(['UTC', ZONE])(
  'a year of a home with panels and a battery equals the simulation: days, months and the year, in %s',
  async (tz) => {
    const days = drawnDays(tz);
    const ask = async (group: string) => {
      const query = new URLSearchParams({ ...YEAR, group_by: group, tz, include: INCLUDE });
      const { status, json } = await api.send(`/v1/energy-insights?${query}`, { key });
      expect(status).toBe(200);
      return json.data as ({ date: string; kwh_used: number } & Record<string, number>)[];
    };
    const byDay = await ask('day');
    expect(byDay.map(({ date }) => date)).toEqual([...days.keys()]);
    for (const row of byDay) expectReported(row, 'kwh_used', days.get(row.date) as Record<SolarFlow, number>);
    const months = Map.groupBy(days, ([date]) => `${date.slice(0, 7)}-01`);
    const byMonth = await ask('month');
    expect(byMonth.map(({ date }) => date)).toEqual([...months.keys()]);
    for (const row of byMonth)
      expectReported(row, 'kwh_used', sumOf((months.get(row.date) ?? []).map(([, drawn]) => drawn)));
    const body = { ...YEAR, tz, metrics: ['kwh_used'], include: INCLUDE };
    const { status, json } = await api.send('/v1/energy-insights', { method: 'POST', key, body });
    expect([status, json]).toEqual([200, expect.anything()]);
    expectReported(json.summary, 'total_kwh', sumOf([...days.values()]));
  },
);

test('the quarter-hours of the simulated home add up to the same days, in its time zone', async () => {
  const db = createDatabase(api.database.pool);
  const [{ user_id: userId }] = (await api.database.pool.query('SELECT user_id FROM devices LIMIT 1')).rows;
  const { daily } = await readDailyUsage(db, { userId, zone: ZONE, now: new Date(UNTIL_MS) }, 400);
  const days = drawnDays(ZONE);
  expect(daily.firstDay).toBe(parseDayNumber('2025-01-01'));
  // In UTC, the last day is incomplete.
  expect(daily.kwh.length).toBe(days.size);
  for (const [at, drawn] of [...days.values()].entries())
    expect(Math.abs((daily.kwh[at] ?? Number.NaN) - drawn.load / 1e6), `day ${at}`).toBeLessThan(HALF_WH);
  const home = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true });
  const range = { from: new Date(FROM_MS), to: new Date(UNTIL_MS) };
  const { production, coverage } = await readHomeQuarterHours(db, home, range);
  const made = [...days.values()].reduce((sum, drawn) => sum + drawn.production, 0);
  expect(production.reduce((sum, one) => sum + one, 0) / 1e6).toBeCloseTo(made / 1e6, 2);
  expect(coverage.every((share) => share === 1)).toBe(true);
});

test('the placements of its devices follow from their types', async () => {
  const { json } = await api.send('/v1/devices', { key });
  const placed = Object.fromEntries(json.map(({ type, placement }: Record<string, string>) => [type, placement]));
  expect(placed).toEqual({ smart_meter: 'grid', inverter: 'production', battery: 'storage' });
});
