import { read, SSF, utils, type WorkSheet } from '@e965/xlsx';
import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { addToLoadProfile, type LoadProfileChange } from '#test/support/load-profile.ts';

/** Tests that emissions in responses equal an independent calculation with integers, for random homes and random series. */
const QUARTER_HOUR_MS = 900_000;
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const FROM_MS = Date.UTC(2026, 2, 20);
const QUARTER_HOURS = 15 * 96;
/** First and last day of the requests. The data begins two days earlier. */
const [START, END] = ['2026-03-22', '2026-04-05'];
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu'];
const RANDOM_HOMES = 8;

type Placement = 'grid' | 'consumption' | 'production' | 'storage';
interface Device {
  placement: Placement;
  /** Index of the device's first quarter-hour with data. */
  from: number;
}
interface Weighed {
  /** Energy of each quarter-hour, in mWh, from which emissions are computed. */
  energies: bigint[];
  /** Intensity in 10^-9 g/kWh, by start of the quarter-hour in Unix ms. */
  intensities: Map<number, bigint>;
}
interface Home extends Weighed {
  name: string;
  key: string;
  userId: string;
  deviceIds: string[];
  ofDevice: bigint[];
}

let state = 20_261_127;
const random = (below: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
};
const PLACEMENTS: Placement[] = ['grid', 'consumption', 'production', 'storage'];
const FIXED: Record<string, Device[]> = {
  'plugs, and a meter that came later': [
    { placement: 'consumption', from: 0 },
    { placement: 'grid', from: 611 },
  ],
  'solar panels alone': [{ placement: 'production', from: 0 }],
};

let api: TestApi;
const homes: Home[] = [];
beforeAll(async () => {
  api = await startTestApi();
  // The last quarter-hour with data has begun but not ended.
  api.now = new Date(FROM_MS + (QUARTER_HOURS - 1) * QUARTER_HOUR_MS + 100_000);
  for (const [name, devices] of Object.entries(FIXED)) homes.push(await make(name, devices));
  for (let index = 0; index < RANDOM_HOMES; index++) {
    const count = 1 + random(4);
    const devices = Array.from({ length: count }, () => ({
      placement: PLACEMENTS[random(4)] as Placement,
      from: random(3) === 0 ? 0 : random(900),
    }));
    homes.push(await make(`home ${index}: ${devices.map(({ placement, from }) => `${placement} ${from}`)}`, devices));
  }
  await api.database.settle(new Date(FROM_MS + 8 * 96 * QUARTER_HOUR_MS));
});
afterAll(() => api.close());

async function send(key: string, path: string, method: string, body: unknown) {
  const answer = await api.send(path, { method, key, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
}

/** Creates an emission series with random intensities for most of the time, and assigns the series to the user. */
async function makeSeries({ key, userId }: { key: string; userId: string }): Promise<Map<number, bigint>> {
  const minutes = [15, 30, 60][random(3)] as number;
  const { series_id } = await send(key, '/v1/emission-series', 'POST', { name: 'grid', resolution_minutes: minutes });
  const intensities = new Map<number, bigint>();
  const emissionRows: object[] = [];
  for (let ms = FROM_MS; ms < FROM_MS + QUARTER_HOURS * QUARTER_HOUR_MS; ms += minutes * 60_000) {
    if (random(12) === 0) continue;
    const billionths = BigInt(random(900)) * 1_000_000_000n + BigInt(random(2) * random(999_999_999));
    const signed = random(15) === 0 ? -billionths : billionths;
    const digits = String(billionths).padStart(10, '0');
    const grams_per_kwh = `${signed < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
    emissionRows.push({ starts_at: new Date(ms).toISOString(), grams_per_kwh });
    for (let quarter = ms; quarter < ms + minutes * 60_000; quarter += QUARTER_HOUR_MS)
      intensities.set(quarter, signed);
  }
  await send(key, `/v1/emission-series/${series_id}/intensities`, 'PUT', emissionRows);
  await send(key, `/v1/users/${userId}`, 'PATCH', { emission_series_id: series_id });
  return intensities;
}

async function make(name: string, devices: readonly Device[]): Promise<Home> {
  const { userId, key } = await api.user('homeowner');
  const intensities = await makeSeries({ key, userId });
  const none = () => Array.from({ length: QUARTER_HOURS }, () => 0n);
  const [energies, ofDevice] = [none(), none()];
  const gridFrom = Math.min(...devices.map(({ placement, from }) => (placement === 'grid' ? from : QUARTER_HOURS)));
  const rows: LoadProfileChange[] = [];
  const deviceIds: string[] = [];
  for (const { placement, from } of devices) {
    const { device_id: deviceId } = await send(key, '/v1/devices', 'POST', { type: 'meter', location: 'x', placement });
    const isFirst = deviceIds.push(deviceId) === 1;
    const hasExport = placement !== 'consumption';
    await api.database.pool.query(
      `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) SELECT $1, c, 'register', c = 'import', c = 'export' FROM unnest($2::text[]) c`,
      [deviceId, hasExport ? ['import', 'export'] : ['import']],
    );
    for (let index = from; index < QUARTER_HOURS; index++) {
      if (index > from && random(30) === 0) continue;
      const imported = random(900_000);
      rows.push({
        deviceId,
        userId,
        startsAtMs: FROM_MS + index * QUARTER_HOUR_MS,
        readingCount: 1,
        energyMilliwattHours: imported,
        exportMilliwattHours: hasExport ? random(500_000) : 0,
        coveredMs: QUARTER_HOUR_MS,
        exportCoveredMs: hasExport ? QUARTER_HOUR_MS : 0,
      });
      const counts = placement === 'grid' || (placement === 'consumption' && index < gridFrom);
      if (counts) energies[index] = (energies[index] as bigint) + BigInt(imported);
      if (isFirst) ofDevice[index] = BigInt(imported);
    }
  }
  for (let at = 0; at < rows.length; at += 20_000) await addToLoadProfile(api.database, rows.slice(at, at + 20_000));
  return { name, key, userId, deviceIds, energies, ofDevice, intensities };
}

/** Returns the quotient, with halves rounded away from zero. */
function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  const size = dividend < 0n ? -dividend : dividend;
  const [whole, rest] = [size / divisor, size % divisor];
  const rounded = 2n * rest >= divisor ? whole + 1n : whole;
  return dividend < 0n ? -rounded : rounded;
}

/** Formats an integer number of thousandths as a decimal number, for example grams as kilograms. */
function formatThousandths(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(4, '0');
  return `${value < 0n ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}`;
}

/** Returns the expected emissions by row name. */
function expected({ energies, intensities }: Weighed, nameOf: (ms: number) => string | null) {
  const sums = new Map<string, { weighted: bigint; missing: bigint }>();
  for (const [index, energy] of energies.entries()) {
    const ms = FROM_MS + index * QUARTER_HOUR_MS;
    const name = nameOf(ms);
    if (name === null) continue;
    const sum = sums.get(name) ?? { weighted: 0n, missing: 0n };
    const intensity = intensities.get(ms);
    if (intensity === undefined) sum.missing += energy;
    else sum.weighted += energy * intensity;
    sums.set(name, sum);
  }
  return new Map(
    [...sums].map(([name, { weighted, missing }]) => [
      name,
      {
        // 10^6 mWh are 1 kWh, so a sum of mWh × 10^-9 g/kWh is divided by 10^15 to get g. The missing energy in mWh is divided by 10^3 to
        // get Wh.
        kg_co2e: formatThousandths(roundedQuotient(weighted, 10n ** 15n)),
        missing_kwh: Number(formatThousandths(roundedQuotient(missing, 1_000n))),
      },
    ]),
  );
}

type Unit = 'hour' | 'day' | 'month';
/**
 * Returns a function that maps a quarter-hour to the name of its row: its date, or the start of its hour in Unix ms. Null outside the
 * range.
 */
const namer = (zone: string, unit: Unit) => (ms: number) => {
  const local = DateTime.fromMillis(ms, { zone });
  const date = local.toISODate() as string;
  if (date < START || date > END) return null;
  if (unit === 'hour') return String(local.startOf('hour').toMillis());
  return unit === 'day' ? date : `${date.slice(0, 7)}-01`;
};

interface Row {
  date: string;
  starts_at?: string;
  emissions: object;
}
const byName = (rows: readonly Row[]) =>
  new Map(
    rows.map((row) => [row.starts_at === undefined ? row.date : String(Date.parse(row.starts_at)), row.emissions]),
  );

/** Returns the expected rows, without rows that the service may omit: those with neither emissions nor missing energy. */
const ofAnswered = (all: Map<string, object>, answered: Map<string, object>) =>
  new Map(
    [...all].filter(
      ([name, one]) => answered.has(name) || JSON.stringify(one) !== '{"kg_co2e":"0.000","missing_kwh":0}',
    ),
  );

test('emissions equal an independent calculation, by hour, day, month and in summaries, for homes and devices', async () => {
  let checked = 0;
  for (const [index, home] of homes.entries()) {
    const { name, key, userId, deviceIds, energies, ofDevice, intensities } = home;
    const ask = async (path: string) => {
      const { status, json, text } = await api.send(path, { key });
      expect([name, status], text).toEqual([name, 200]);
      return json;
    };
    // Rows by hour take the most time, so they are tested in only one zone for each home.
    const zoneOfHours = ZONES[index % ZONES.length];
    for (const zone of ZONES) {
      for (const unit of zone === zoneOfHours ? (['hour', 'day', 'month'] as const) : (['day', 'month'] as const)) {
        const query = `start=${START}&end=${END}&group_by=${unit}&tz=${zone}&include=emissions`;
        const subjects = [
          [`/v1/energy-insights?${query}`, energies],
          [`/v1/devices/${deviceIds[0]}/usage?${query}`, ofDevice],
        ] as const;
        for (const [path, counted] of subjects) {
          const answered = byName((await ask(path)).data);
          const all = expected({ energies: counted, intensities }, namer(zone, unit));
          expect([name, path, answered]).toEqual([name, path, ofAnswered(all, answered)]);
          checked += answered.size;
        }
      }
      const body = { start: START, end: END, tz: zone, include: 'emissions,cost' };
      const { summary } = await send(key, '/v1/energy-insights', 'POST', body);
      const whole = expected({ energies, intensities }, (ms) => (namer(zone, 'day')(ms) === null ? null : ''));
      expect([name, summary.emissions, summary.cost]).toEqual([name, whole.get(''), null]);
    }
    const recent = expected({ energies, intensities }, () => '');
    expect((await ask(`/v1/energy-insights?include=emissions&user_id=${userId}`)).emissions).toEqual(recent.get(''));
    const { data } = await ask('/v1/analytics/monthly?include=emissions&tz=Europe/Berlin');
    const months = expected({ energies, intensities }, (ms) =>
      DateTime.fromMillis(ms, { zone: 'Europe/Berlin' }).toFormat('yyyy-MM'),
    );
    for (const { month, emissions } of data) expect([name, month, emissions]).toEqual([name, month, months.get(month)]);
  }
  expect(checked).toBeGreaterThan(4_000);
});

test('emissions are rounded once from the exact sum, halves away from zero', async () => {
  const { userId, key } = await api.user('homeowner');
  const { device_id: deviceId } = await send(key, '/v1/devices', 'POST', { type: 'meter', location: 'x' });
  const { series_id } = await send(key, '/v1/emission-series', 'POST', { name: 'grid', resolution_minutes: 60 });
  const fromMs = Date.UTC(2026, 2, 21);
  const rows = Array.from({ length: 6 }, (_, hour) => ({
    ...{ deviceId, userId, readingCount: 1, coveredMs: QUARTER_HOUR_MS },
    ...{ startsAtMs: fromMs + hour * 3_600_000, energyMilliwattHours: 500_000 },
  }));
  await addToLoadProfile(api.database, rows);
  const put = (list: readonly (string | null)[]) =>
    send(
      key,
      `/v1/emission-series/${series_id}/intensities`,
      'PUT',
      list.flatMap((grams_per_kwh, hour) =>
        grams_per_kwh === null ? [] : [{ starts_at: new Date(fromMs + hour * 3_600_000).toISOString(), grams_per_kwh }],
      ),
    );
  const day = 'start=2026-03-21&end=2026-03-21&include=emissions';
  const emissionsBy = async (unit: Unit) =>
    (await api.send(`/v1/energy-insights?${day}&group_by=${unit}`, { key })).json.data.map((row: Row) => row.emissions);
  // The home has no emission series at first, and then a series without any intensity.
  expect(await emissionsBy('day')).toEqual([null]);
  await send(key, `/v1/users/${userId}`, 'PATCH', { emission_series_id: series_id });
  expect(await emissionsBy('day')).toEqual([{ kg_co2e: '0.000', missing_kwh: 3 }]);
  await put(['1', '0.999999999', '-1', '0.8', '0.8', null]);
  expect(await emissionsBy('hour')).toEqual([
    { kg_co2e: '0.001', missing_kwh: 0 },
    { kg_co2e: '0.000', missing_kwh: 0 },
    { kg_co2e: '-0.001', missing_kwh: 0 },
    { kg_co2e: '0.000', missing_kwh: 0 },
    { kg_co2e: '0.000', missing_kwh: 0 },
    { kg_co2e: '0.000', missing_kwh: 0.5 },
  ]);
  // The sum is 0.5 + 0.4999999995 − 0.5 + 0.4 + 0.4 g. Then an intensity is corrected, and the correction must apply at once.
  expect(await emissionsBy('day')).toEqual([{ kg_co2e: '0.001', missing_kwh: 0.5 }]);
  await put(['1', '2.000000001']);
  expect(await emissionsBy('month')).toEqual([{ kg_co2e: '0.002', missing_kwh: 0.5 }]);
});

test('emissions are columns in CSV and in a spreadsheet, next to costs', async () => {
  const { key, deviceIds } = homes[0] as Home;
  const query = `start=2026-03-22&end=2026-03-24&group_by=day&include=coverage,emissions,cost`;
  const columns = ['emissions_kg_co2e', 'emissions_missing_kwh'];
  for (const path of [`/v1/energy-insights?${query}`, `/v1/devices/${deviceIds[0]}/usage?${query}`]) {
    const { data } = (await api.send(path, { key })).json;
    expect(Object.keys(data[0]).slice(-2)).toEqual(['cost', 'emissions']);
    const values = data.map(({ emissions }: { emissions: Record<string, unknown> }) =>
      Object.values(emissions).map(String),
    );
    const { text } = await api.send(path, { key, headers: { accept: 'text/csv' } });
    const [header = [], ...lines] = text
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    expect(header.slice(-3)).toEqual(['cost_missing_prices_kwh', ...columns]);
    expect(lines.map((line) => line.slice(-2))).toEqual(values);
    const { bytes } = await api.send(path, { key, headers: { accept: XLSX } });
    const sheet = read(bytes, { cellNF: true }).Sheets.Usage as WorkSheet;
    const range = utils.decode_range(sheet['!ref'] ?? '');
    const shown = lines.map((_, row) =>
      [1, 0].map((back) => {
        const cell = sheet[utils.encode_cell({ r: row + 1, c: range.e.c - back })];
        return [cell.t, SSF.format(cell.z, cell.v)];
      }),
    );
    expect(shown).toEqual(
      values.map(([kg, missing]: string[]) => [
        ['n', kg],
        ['n', Number(missing).toFixed(3)],
      ]),
    );
  }
  const summary = await api.send('/v1/energy-insights?include=emissions', { key, headers: { accept: 'text/csv' } });
  expect(summary.text.split('\n')[0]).toMatch(/,emissions_kg_co2e,emissions_missing_kwh$/);
  const months = await api.send('/v1/analytics/monthly?include=emissions', { key, headers: { accept: 'text/csv' } });
  expect(months.text.split('\n')[0]).toMatch(/,emissions_kg_co2e,emissions_missing_kwh$/);
});

test('emissions in long answers by the hour are streamed with the rows', async () => {
  const { key, energies, intensities } = homes[0] as Home;
  const path = '/v1/energy-insights?start=2026-01-01&end=2026-12-31&group_by=hour&include=emissions';
  const answered = byName((await api.send(path, { key })).json.data);
  const all = expected({ energies, intensities }, (ms) => String(Math.floor(ms / 3_600_000) * 3_600_000));
  expect(answered).toEqual(ofAnswered(all, answered));
});

test('emissions are refused where costs are refused: for groups, for gas, and for gaps filled by similar days', async () => {
  const { key, deviceIds } = homes[0] as Home;
  const admin = await api.user('admin');
  const { group_id } = await send(admin.key, '/v1/groups', 'POST', { name: 'x' });
  for (const [path, by] of [
    [`/v1/groups/${group_id}/energy-insights?include=emissions`, admin.key],
    ['/v1/energy-insights?commodity=gas&include=emissions', key],
    [`/v1/devices/${deviceIds[0]}/usage?start=${START}&end=${END}&gaps=like_days&include=emissions`, key],
  ] as const) {
    const { status, json } = await api.send(path, { key: by });
    expect([path, status, json.details?.[0].field]).toEqual([path, 422, 'include']);
  }
});
