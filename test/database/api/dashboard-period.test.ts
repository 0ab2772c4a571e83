import { beforeAll, describe, expect, test } from 'vitest';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createDevice, deleteDevice, updateDevice } from '#src/devices/store.ts';
import { type Person, setUpDashboardApi } from '#test/support/dashboard-api.ts';
import { addToLoadProfile, COMPLETE_QUARTER_HOUR_MEASURES } from '#test/support/load-profile.ts';

/** Tests of a home's usage and costs in a period, as the dashboard requests them. */
const QUARTER_HOUR_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const own = setUpDashboardApi();
const { ask } = own;
const { utility, home: anna } = own.people;

const kwh = (milliwattHours: number) => Math.floor((milliwattHours + 500) / 1_000) / 1_000;

/**
 * Returns a function that converts an instant to the local time of a zone. It uses the platform's calendar instead of the code under test.
 */
function localOf(zone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  } as Intl.DateTimeFormatOptions);
  const known = new Map<number, { date: string; slot: number }>();
  return (at: number) => {
    const found = known.get(at);
    if (found) return found;
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const local = {
      date: `${part.year}-${part.month}-${part.day}`,
      slot: Number(part.hour) * 4 + Math.floor(Number(part.minute) / 15),
    };
    known.set(at, local);
    return local;
  };
}
const daysBefore = (date: string, days: number) =>
  new Date(Date.parse(date) - days * DAY_MS).toISOString().slice(0, 10);

describe('a period', () => {
  const profile = new Map<number, number>();
  beforeAll(async () => {
    // A meter has readings from August 2024 to the afternoon of 27 October 2025. On the day before, Europe's clocks were set back.
    const { device } = await createDevice(own.api.db, { userId: anna.userId, type: 'smart_meter', location: 'cellar' });
    let random = 7;
    for (let at = Date.UTC(2024, 7, 20); at < Date.UTC(2025, 9, 27, 15, 15); at += QUARTER_HOUR_MS) {
      random = (random * 48_271) % 2_147_483_647;
      if (new Date(at).toISOString().startsWith('2025-10-10')) continue;
      profile.set(at, 20_000 + (random % 400_000));
    }
    await own.api.database.pool.query(
      `INSERT INTO series (device_id, channel, kind, counts_import) VALUES ($1, 'import', 'register', true)`,
      [device.device_id],
    );
    await addToLoadProfile(
      own.api.database,
      [...profile].map(([startsAtMs, energyMilliwattHours]) => ({
        ...{
          deviceId: device.device_id,
          userId: anna.userId,
          startsAtMs,
          energyMilliwattHours,
          ...COMPLETE_QUARTER_HOUR_MEASURES,
        },
      })),
    );
  });

  const get = async (zone: string, now: string, query: string) => {
    await own.api.database.pool.query('UPDATE users SET timezone = $2 WHERE user_id = $1', [anna.userId, zone]);
    const before = own.api.now;
    own.api.now = new Date(now);
    const { status, json, text } = await ask(`/v1/period?${query}`, anna);
    own.api.now = before;
    expect(status, text).toBe(200);
    return json;
  };
  const sumOf = (wants: (at: number) => boolean) => {
    const chosen = [...profile].filter(([at]) => wants(at));
    return chosen.length === 0 ? null : kwh(chosen.reduce((sum, [, energy]) => sum + energy, 0));
  };

  const NOW = '2025-10-27T15:20:00Z';
  test.each([
    ['Europe/Berlin', 'day', '2025-10-27'],
    ['Europe/Berlin', 'day', '2025-10-26'],
    ['Europe/Berlin', 'week', '2025-10-22'],
    ['Europe/Berlin', 'month', '2025-10-05'],
    ['Europe/Berlin', 'year', '2025-03-01'],
    ['Asia/Kolkata', 'month', '2025-09-30'],
    ['Australia/Lord_Howe', 'week', '2025-10-05'],
    ['UTC', 'year', '2024-12-31'],
  ])('in %s, the %s of %s equals the sum of its load profile, with matching comparisons', async (zone, unit, date) => {
    const json = await get(zone, NOW, `unit=${unit}&date=${date}`);
    const local = localOf(zone);
    const cut = local(Date.parse(NOW));
    const within = (start: string, end: string, isCut: boolean) => (at: number) => {
      const { date: day, slot } = local(at);
      return day >= start && day <= end && !(isCut && day === end && slot >= cut.slot);
    };
    expect(json.start <= date && date <= json.end).toBe(true);
    expect(json.used.kwh_used).toBe(sumOf(within(json.start, json.end, false)));
    const { now, before, last_year } = json.compared;
    const isRunning = cut.date <= json.end;
    expect(now).toMatchObject({ start: json.start, end: isRunning ? cut.date : json.end });
    const length = Date.parse(now.end) - Date.parse(now.start);
    for (const one of [now, ...(before ? [before] : []), last_year]) {
      expect(one.kwh_used).toBe(sumOf(within(one.start, one.end, isRunning)));
      expect(Date.parse(one.end) - Date.parse(one.start)).toBe(length);
      expect(((Date.parse(now.start) - Date.parse(one.start)) / DAY_MS) % 7).toBe(0);
    }
    // Compares each day or month with the usage that was computed separately.
    for (const bucket of json.buckets) {
      const of = unit === 'year' ? [`${bucket.at}-01`, `${bucket.at}-31`] : [bucket.at, bucket.at];
      expect(bucket.kwh_used).toBe(sumOf(within(of[0] as string, of[1] as string, false)));
    }
    const total = json.buckets.reduce((sum: number, { kwh_used }: { kwh_used: number }) => sum + kwh_used, 0);
    if (unit !== 'day') expect(Math.abs(total - json.used.kwh_used)).toBeLessThan(0.02);
    // A day's curve has a value for each quarter-hour: 100 on the day on which the clocks are set back, otherwise 96.
    if (unit === 'day') {
      const quarters = json.curve.filter(({ watts }: { watts: number | null }) => watts !== null);
      expect(json.curve).toHaveLength(date === '2025-10-26' ? 100 : 96);
      for (const { at, watts } of quarters) expect(watts).toBe(Math.round((profile.get(Date.parse(at)) ?? 0) * 0.004));
      const highest = Math.max(...quarters.map(({ watts }: { watts: number }) => watts));
      expect(json.peak.watts).toBe(highest);
    } else expect(json.curve).toHaveLength(96);
  });

  test('contains the known part of each day, and distinguishes a day without data from a day without usage', async () => {
    const day = await get('UTC', NOW, 'unit=day&date=2025-10-10');
    expect(day.used).toEqual({ kwh_used: null, estimated_kwh: null, coverage: 0 });
    expect(day.curve.every(({ watts }: { watts: number | null }) => watts === null)).toBe(true);
    const month = await get('UTC', NOW, 'unit=month&date=2025-10-01');
    expect(month.used.coverage).toBeCloseTo((26.63 - 1) / 26.64, 2);
    // The meter was installed in August 2024, so the coverage of the previous year is low.
    const year = await get('UTC', NOW, 'unit=year&date=2025-06-01');
    expect(year.first_date).toBe('2024-08-20');
    expect(year.compared.last_year.coverage).toBeLessThan(0.3);
    expect(year.compared.before).toBeNull();
    const future = await get('UTC', NOW, 'unit=week&date=2026-03-01');
    expect(future).toMatchObject({ compared: null, buckets: [], peak: null, week: { cells: [] } });
    expect((await get('UTC', NOW, 'unit=month&date=1990-01-01')).used.kwh_used).toBeNull();
    // In the first minutes of a month, the comparison covers only the same minutes of the previous month, which have no usage.
    const monthStart = await get('UTC', '2025-10-01T00:03:00Z', 'unit=month&date=2025-10-01');
    expect(monthStart.compared.before.kwh_used).toBeNull();
    expect((await get('UTC', '2025-10-01T00:00:00Z', 'unit=year&date=2026-10-01')).used.kwh_used).toBeNull();
  });

  test('contains a mean week of whole hours from the last twelve weeks', async () => {
    const { week, profile: found } = await get('Europe/Berlin', NOW, 'unit=day&date=2025-10-27');
    expect(week).toMatchObject({ weeks: 12 });
    expect(week.cells).toHaveLength(7 * 24);
    const local = localOf('Europe/Berlin');
    const from = daysBefore('2025-10-27', 83);
    const hours = new Map<number, number[]>();
    for (const [at, energy] of profile) {
      if (local(at).date < from || (new Date(local(at).date).getUTCDay() || 7) !== 2 || local(at).slot >> 2 !== 7)
        continue;
      const hour = Math.floor(at / HOUR_MS);
      hours.set(hour, [...(hours.get(hour) ?? []), energy]);
    }
    const sums = [...hours.values()].map((quarters) => quarters.reduce((sum, one) => sum + one, 0));
    const mean = sums.reduce((sum, one) => sum + one, 0) / sums.length / 1e6;
    const cell = week.cells.find(({ weekday, hour }: { weekday: number; hour: number }) => weekday === 2 && hour === 7);
    expect(cell.kwh_used).toBeCloseTo(mean, 3);
    expect(found.base_watts).toBeGreaterThan(80);
    expect(found.base_watts).toBeLessThan(found.night_watts);
  });

  test('is returned only to a caller that reaches the user, for valid parameters', async () => {
    const stranger = await own.api.user('utility');
    const home = await own.api.user('homeowner');
    for (const path of ['/v1/period', '/v1/period-costs']) {
      const status = async (query: string, { key }: Person) => (await ask(`${path}?${query}`, { key })).status;
      const of = `user_id=${anna.userId}&unit=day&date=2025-10-10`;
      expect(await Promise.all([anna, utility, stranger, home].map((one) => status(of, one)))).toEqual([
        ...[200, 200, 404, 403],
      ]);
      const asked: [string, number][] = [
        ['unit=day', 422],
        ['date=2025-10-10', 422],
        ['unit=hour&date=2025-10-10', 422],
        ['unit=day&date=2025-02-30', 422],
        ['unit=day&date=9999-12-31', 200],
        ['unit=year&date=1970-01-01', 200],
        ['unit=day&date=2025-10-10&device_id=nothing', 404],
        ['unit=day&date=2025-10-10&device_id=%00', 404],
        ['unit=day&date=2025-10-10&zone=UTC', 400],
        ['unit=day&unit=week&date=2025-10-10', 400],
      ];
      for (const [query, expected] of asked)
        expect({ query, status: await status(query, anna) }).toEqual({ query, status: expected });
    }
    const { device } = await createDevice(own.api.db, { userId: home.userId, type: 'smart_plug', location: 'x' });
    const foreign = `user_id=${anna.userId}&device_id=${device.device_id}&unit=day&date=2025-10-10`;
    expect((await ask(`/v1/period?${foreign}`, utility)).status).toBe(404);
  });
});

describe('a home with solar, a battery and plugs', () => {
  let owner: Person;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    owner = await own.api.user('homeowner', { enrolledBy: utility.userId });
    const make = async (name: string, type: string, channels: readonly ('import' | 'export')[]) => {
      const { device } = await createDevice(own.api.db, { userId: owner.userId, type, location: name });
      ids[name] = device.device_id;
      for (const channel of channels)
        await own.api.database.pool.query(
          `INSERT INTO series (device_id, channel, kind, counts_import, counts_export) VALUES ($1, $2, 'register', $3, $4)`,
          [device.device_id, channel, channel === 'import', channel === 'export'],
        );
    };
    await make('meter', 'smart_meter', ['import', 'export']);
    await make('roof', 'solar_inverter', ['export']);
    await make('freezer', 'smart_plug', ['import']);
    await make('heater', 'smart_plug', ['import']);
    await make('gone', 'smart_plug', ['import']);
    await make('room', 'thermostat', []);
    await own.api.database.pool.query(
      `INSERT INTO series (device_id, channel, kind) VALUES ($1, 'temperature', 'temperature')`,
      [ids.room],
    );
    const rows: Parameters<typeof addToLoadProfile>[1][number][] = [];
    const sendPower = (name: string, startsAtMs: number, importW: number | null, exportW: number | null = null) =>
      rows.push({
        ...{ deviceId: ids[name] as string, userId: owner.userId, startsAtMs, readingCount: 1 },
        ...(importW === null ? {} : { energyMilliwattHours: importW * 250, coveredMs: QUARTER_HOUR_MS }),
        ...(exportW === null ? {} : { exportMilliwattHours: exportW * 250, exportCoveredMs: QUARTER_HOUR_MS }),
      });
    // Ten weeks of a home: 300 W at all times, a kettle of 2 kW at 7:00, a heater of 500 W at night, and 1 kW from solar panels from 10:00
    // to 16:00.
    for (let at = Date.UTC(2026, 3, 1); at < Date.UTC(2026, 5, 15, 12); at += QUARTER_HOUR_MS) {
      const hour = new Date(at).getUTCHours();
      const [sun, night] = [hour >= 10 && hour < 16 ? 1_000 : 0, hour < 5];
      const used = 300 + (hour === 7 ? 2_000 : 0) + (night ? 500 : 0);
      sendPower('meter', at, Math.max(0, used - sun), Math.max(0, sun - used));
      sendPower('roof', at, null, sun);
      sendPower('freezer', at, 80);
      sendPower('heater', at, night ? 500 : 0);
      if (at < Date.UTC(2026, 4, 10)) sendPower('gone', at, 10);
    }
    await addToLoadProfile(own.api.database, rows);
    await deleteDevice(own.api.db, ALL_ACCOUNTS, ids.gone as string);
  });

  test('lists its devices, also with their night usage, its untracked energy, and its solar energy', async () => {
    const { json } = await ask('/v1/period?unit=month&date=2026-05-01', owner);
    expect(json.used.kwh_used).toBeCloseTo(31 * (0.3 * 24 + 2 + 0.5 * 5), 2);
    const byLocation = Object.fromEntries(json.devices.map((one: { location: string }) => [one.location, one]));
    // Devices are listed by usage, the largest first.
    expect(json.devices.map(({ location }: { location: string }) => location).slice(0, 3)).toEqual([
      ...['meter', 'heater', 'freezer'],
    ]);
    expect(byLocation.heater).toMatchObject({
      import_kwh: 77.5,
      base_watts: 0,
      night_watts: 500,
      placement: 'consumption',
    });
    expect(byLocation.freezer).toMatchObject({ import_kwh: 59.52, base_watts: 80, night_watts: 80, is_gone: false });
    expect(byLocation.gone).toMatchObject({ import_kwh: 2.16, is_gone: true });
    expect(byLocation.room).toBeUndefined();
    expect(json.thermostats).toEqual([{ device_id: ids.room, location: 'room' }]);
    expect(json.profile).toEqual({ days: 28, base_watts: 300, night_watts: 800 });
    expect(json.flows).toMatchObject({ production_kwh: 186, autarky: expect.any(Number) });
    expect(json.flows.untracked_kwh).toBeCloseTo(json.used.kwh_used - 77.5 - 59.52 - 2.16, 2);
    expect(json.peak).toMatchObject({ watts: 2_300 });
  });

  test('has its current power measured by the meter', async () => {
    const { json } = await ask('/v1/period?unit=day&date=2026-06-15', owner);
    // Power in the last quarter-hour before noon. Exported energy is not part of the usage.
    expect(json.power).toEqual({ watts: 300, at: null, minutes: 15 });
    expect((await ask('/v1/period?unit=day&date=2026-06-15', anna)).json.power).toBeNull();
  });

  test('can be requested for a single device; for a producer it contains the production', async () => {
    const of = async (name: string, unit = 'day') =>
      (await ask(`/v1/period?unit=${unit}&date=2026-05-12&device_id=${ids[name]}`, owner)).json;
    expect(await of('roof')).toMatchObject({ used: { kwh_used: 6 }, peak: { watts: 1_000 }, devices: [], flows: null });
    expect(await of('freezer', 'week')).toMatchObject({
      used: { kwh_used: 13.44, coverage: 1 },
      profile: { base_watts: 80, night_watts: 80 },
      compared: { before: { kwh_used: 13.44 } },
    });
    expect(await of('room')).toMatchObject({ used: { kwh_used: null }, thermostats: [{ location: 'room' }] });
    expect((await ask(`/v1/period?unit=day&date=2026-05-12&device_id=${ids.gone}`, owner)).status).toBe(404);
  });

  test('has costs for the period, its comparisons, each device, and a permanent load', async () => {
    const path = '/v1/period-costs?unit=month&date=2026-06-01';
    const nothing = { used: null, compared: { now: null, before: null, last_year: null }, devices: [] };
    expect((await ask(path, owner)).json).toEqual({ has_tariff: false, ...nothing, kilowatt_year: null });
    const tariff = (valid_from: string, per_kwh: string, currency = 'EUR') =>
      own.api.send('/v1/tariffs', {
        method: 'POST',
        key: owner.key,
        body: { name: per_kwh, valid_from, currency, import: { per_kwh }, standing_per_day: '1' },
      });
    expect((await tariff('2026-05-10', '0.5')).status).toBe(201);
    const { json } = await ask(path, owner);
    // A day's import from the grid is 0.3 × 18 + 2 + 0.5 × 5 kWh.
    const perDay = 0.5 * (0.3 * 18 + 2 + 0.5 * 5) + 1;
    // The 15th day is not over.
    expect(Number(json.used.total)).toBeGreaterThan(14 * perDay);
    expect(Number(json.used.total)).toBeLessThan(15 * perDay);
    // Before the tariff's start, there are no costs to compare with.
    expect(json.compared.last_year).toBeNull();
    expect(json.compared.before.missing_prices_kwh).toBeGreaterThan(0);
    // For six hours of each day, the panels supply all usage, so the home imports nothing.
    expect(json.kilowatt_year).toEqual({
      currency: 'EUR',
      amount: expect.closeTo(0.5 * 8_766 * 0.75, -1),
      night_amount: expect.closeTo(0.5 * 8_766, -1),
    });
    expect(json.devices.map(({ device_id }: { device_id: string }) => device_id)).toEqual([ids.heater, ids.freezer]);
    expect(Number(json.devices[0].cost.total)).toBeCloseTo(0.5 * 0.5 * 5 * 15, 2);
    // The costs of the previous week cover only as many days as have passed in the current week.
    const week = (await ask('/v1/period-costs?unit=week&date=2026-06-15', owner)).json;
    expect(Number(week.compared.before.total)).toBeCloseTo(Number(week.compared.now.total), 2);
    // The currency changes within the period, so the costs cannot be added up.
    expect((await tariff('2026-06-10', '3', 'SEK')).status).toBe(201);
    expect((await ask(path, owner)).json).toMatchObject({ used: null, kilowatt_year: null });
    await updateDevice(own.api.db, ALL_ACCOUNTS, ids.freezer as string, { placement: 'excluded' });
    expect((await ask('/v1/period-costs?unit=day&date=2026-06-12', owner)).json.devices).toHaveLength(1);
  });
});
