import { DateTime } from 'luxon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type ApiTariff,
  type CostedQuarterHour,
  computeReferenceCosts,
  type ReferenceCost,
  type ReferenceHome,
} from '#test/reference/cost.ts';
import { startTestApi, type TestApi } from '#test/support/api.ts';
import { addToLoadProfile, type LoadProfileChange } from '#test/support/load-profile.ts';

/** API responses contain the costs of an independent calculation, also for packed days (one row per day). */
const QUARTER_HOUR_MS = 900_000;
const FROM_MS = Date.UTC(2026, 2, 20);
const DAYS = 22;
const QUARTER_HOURS = DAYS * 96;
const ZONE = 'Europe/Berlin';

type Placement = 'grid' | 'consumption' | 'production';
interface Device {
  placement: Placement;
  /** Index of the first quarter-hour for which the home has data. */
  from: number;
}
const HOMES: Record<string, Device[]> = {
  'a meter': [{ placement: 'grid', from: 10 }],
  'a meter with plugs behind it, and solar': [
    { placement: 'grid', from: 0 },
    { placement: 'consumption', from: 0 },
    { placement: 'consumption', from: 40 },
    { placement: 'production', from: 0 },
  ],
  'plugs alone': [
    { placement: 'consumption', from: 0 },
    { placement: 'consumption', from: 300 },
  ],
  'plugs, and a meter that came later': [
    { placement: 'consumption', from: 0 },
    { placement: 'grid', from: 1_111 },
  ],
};
const TARIFFS: ApiTariff[] = [
  {
    valid_from: '2026-03-22',
    currency: 'EUR',
    standing_per_day: '0.41',
    import: { per_kwh: '0.3117' },
    export: { per_kwh: '0.082' },
  },
  {
    valid_from: '2026-03-27',
    currency: 'EUR',
    standing_per_day: '0.41',
    capacity: { per_kw_month: '4.123456789', months_averaged: 12, minimum_kw: '2.5' },
    import: {
      periods: [{ per_kwh: '0.2815', days: [1, 2, 3, 4, 5], from: '07:00', to: '22:15' }, { per_kwh: '0.19' }],
    },
  },
  {
    valid_from: '2026-04-02',
    currency: 'EUR',
    import: { series_id: '', add: '0.1534', multiply: '1.19' },
    export: { series_id: '' },
  },
];

let state = 20_261_123;
const random = (below: number): number => {
  state = (state * 48_271) % 2_147_483_647;
  return state % below;
};

let api: TestApi;
const homes = new Map<
  string,
  { key: string; first: string; quarters: CostedQuarterHour[]; ofFirst: CostedQuarterHour[] }
>();
const series: ReferenceHome['series'] = new Map([['', { minutes: 15, prices: new Map<number, string>() }]]);

beforeAll(async () => {
  api = await startTestApi();
  // The current time is in the middle of a quarter-hour of the last day.
  api.now = new Date(FROM_MS + (QUARTER_HOURS - 30) * QUARTER_HOUR_MS + 100_000);
  const prices = series.get('')?.prices as Map<number, string>;
  for (let index = 0; index < QUARTER_HOURS + 96; index++)
    if (random(50) > 0) prices.set(FROM_MS + index * QUARTER_HOUR_MS, (random(400) / 1000 - 0.05).toFixed(5));
  for (const [name, devices] of Object.entries(HOMES)) homes.set(name, await make(devices));
  await api.database.settle(new Date(FROM_MS + 12 * 96 * QUARTER_HOUR_MS));
});
afterAll(() => api.close());

async function make(devices: readonly Device[]) {
  const { userId, key } = await api.user('homeowner');
  const send = async (path: string, method: string, body: unknown) => {
    const answer = await api.send(path, { method, key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json;
  };
  await send(`/v1/users/${userId}`, 'PATCH', { timezone: ZONE });
  const { series_id } = await send('/v1/price-series', 'POST', {
    name: 'spot',
    currency: 'EUR',
    resolution_minutes: 15,
  });
  const prices = [...(series.get('')?.prices ?? [])].map(([ms, per_kwh]) => ({
    starts_at: new Date(ms).toISOString(),
    per_kwh,
  }));
  await send(`/v1/price-series/${series_id}/prices`, 'PUT', prices);
  for (const tariff of TARIFFS) {
    const named = (rates: object | undefined) => (rates && 'series_id' in rates ? { ...rates, series_id } : rates);
    const [bought, sold] = [named(tariff.import), named(tariff.export)];
    await send('/v1/tariffs', 'POST', {
      name: tariff.valid_from,
      ...tariff,
      import: bought,
      ...(sold && { export: sold }),
    });
  }
  const quarters = Array.from(
    { length: QUARTER_HOURS },
    (): CostedQuarterHour => ({ imported: 0, estimated: 0, exported: 0, known: false }),
  );
  const ofFirst = quarters.map((quarter) => ({ ...quarter }));
  const gridFrom = Math.min(
    ...devices.filter(({ placement }) => placement === 'grid').map(({ from }) => from),
    QUARTER_HOURS,
  );
  const rows: LoadProfileChange[] = [];
  const ids: string[] = [];
  for (const { placement, from } of devices) {
    const { device_id: deviceId } = await send('/v1/devices', 'POST', { type: 'meter', location: 'x', placement });
    const isFirst = ids.push(deviceId) === 1;
    const hasExport = placement !== 'consumption';
    await api.database.pool.query(
      `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) SELECT $1, c, 'register', c = 'import', c = 'export' FROM unnest($2::text[]) c`,
      [deviceId, hasExport ? ['import', 'export'] : ['import']],
    );
    for (let index = from; index < QUARTER_HOURS - 29; index++) {
      if (random(30) === 0) continue;
      const imported = random(900_000);
      const quarter = {
        imported,
        estimated: random(3) === 0 ? random(imported + 1) : 0,
        exported: hasExport ? random(500_000) : 0,
      };
      rows.push({
        deviceId,
        userId,
        startsAtMs: FROM_MS + index * QUARTER_HOUR_MS,
        readingCount: 1,
        energyMilliwattHours: quarter.imported,
        estimatedMilliwattHours: quarter.estimated,
        exportMilliwattHours: quarter.exported,
        coveredMs: QUARTER_HOUR_MS,
        exportCoveredMs: hasExport ? QUARTER_HOUR_MS : 0,
      });
      const into = quarters[index] as CostedQuarterHour;
      const isBought = placement === 'grid' || (placement === 'consumption' && index < gridFrom);
      if (isBought) {
        into.imported += quarter.imported;
        into.estimated += quarter.estimated;
        into.known = true;
      }
      if (placement === 'grid') into.exported += quarter.exported;
      if (isFirst) ofFirst[index] = { ...quarter, exported: 0, known: true };
    }
  }
  for (let at = 0; at < rows.length; at += 20_000) await addToLoadProfile(api.database, rows.slice(at, at + 20_000));
  return { key, first: ids[0] as string, quarters, ofFirst };
}

type Group = 'quarter_hour' | 'half_hour' | 'hour' | 'day' | 'month' | 'all';
const CLOCK_MINUTES: Partial<Record<Group, number>> = { quarter_hour: 15, half_hour: 30, hour: 60 };
const [START, END] = ['2026-03-18', '2026-04-14'];

/** Returns the costs by the name of the row, as computed by the reference implementation. */
function expected(quarters: readonly CostedQuarterHour[], tariffs: readonly ApiTariff[], group: Group, zone: string) {
  const home: ReferenceHome = { zone: ZONE, tariffs, fromMs: FROM_MS, quarters, series };
  const fromMs = DateTime.fromISO(START, { zone }).toMillis();
  const toMs = DateTime.fromISO(END, { zone }).plus({ days: 1 }).toMillis();
  const nameOf = (ms: number) => {
    const local = DateTime.fromMillis(ms, { zone });
    if (group === 'all') return '';
    if (group === 'month') return local.toFormat('yyyy-MM-01');
    const minutes = CLOCK_MINUTES[group];
    return minutes ? String(ms - (local.minute % minutes) * 60_000) : (local.toISODate() as string);
  };
  const withoutMonths = tariffs.map(({ capacity: _, ...rest }) => rest);
  const ofRows = group === 'month' || group === 'all' ? home : { ...home, tariffs: withoutMonths };
  const costs = computeReferenceCosts(
    ofRows,
    { fromMs, toMs, nowMs: api.now.getTime() },
    nameOf,
    group in CLOCK_MINUTES ? 2 : 0,
  );
  return new Map([...costs].filter(([, cost]) => cost !== null));
}

const costsByStart = (rows: { date: string; starts_at?: string; cost: ReferenceCost | null }[]) =>
  new Map(
    rows
      .filter(({ cost }) => cost !== null)
      .map(({ date, starts_at, cost }) => [starts_at === undefined ? date : String(Date.parse(starts_at)), cost]),
  );

test.each(Object.keys(HOMES))(
  '%s costs as much as in an independent calculation',
  async (name) => {
    const home = homes.get(name);
    if (!home) throw new Error(name);
    const { key, quarters, first, ofFirst } = home;
    const ask = async (path: string) => {
      const { status, json, text } = await api.send(path, { key });
      expect(status, text).toBe(200);
      return json;
    };
    for (const zone of ['UTC', ZONE]) {
      for (const group of ['quarter_hour', 'half_hour', 'hour', 'day', 'month'] as const) {
        const query = `start=${START}&end=${END}&group_by=${group}&tz=${zone}&include=cost`;
        const { data } = await ask(`/v1/energy-insights?${query}`);
        expect(costsByStart(data)).toEqual(expected(quarters, TARIFFS, group, zone));
        const usage = await ask(`/v1/devices/${first}/usage?${query}`);
        const plain = TARIFFS.map(({ standing_per_day: _, capacity: __, export: ___, ...rest }) => rest);
        expect(costsByStart(usage.data)).toEqual(expected(ofFirst, plain, group, zone));
      }
      const body = { start: START, end: END, tz: zone, include: 'cost' };
      const { json } = await api.send('/v1/energy-insights', { method: 'POST', key, body });
      expect(json.summary.cost).toEqual(expected(quarters, TARIFFS, 'all', zone).get(''));
    }
  },
  120_000,
);
