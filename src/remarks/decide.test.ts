import { describe, expect, test } from 'vitest';
import { parseDayNumber } from './calendar.ts';
import { findCheaperTariff } from './cheaper-tariff.ts';
import { findRemarksOfProfile } from './decide.ts';
import { type HomeProfile, QUARTER_HOURS_PER_DAY } from './profile.ts';

const DAYS = 60;
const QUARTER_HOURS = DAYS * QUARTER_HOURS_PER_DAY;
const FROM_MS = Date.parse('2025-09-01T00:00:00Z');
const FIRST_DAY = parseDayNumber('2025-09-01');

/** Power of a home at a quarter-hour: 100 W, 700 W in the evening, and 4 W more on every second day. */
const evenings = (at: number) => {
  const hour = (at % QUARTER_HOURS_PER_DAY) / 4;
  return (hour >= 18 && hour < 22 ? 700 : 100) + (Math.floor(at / QUARTER_HOURS_PER_DAY) % 2) * 4;
};

function profile(
  usedAt: (at: number) => number = evenings,
  more: Partial<Pick<HomeProfile, 'production' | 'devices'>> = {},
): HomeProfile {
  const used = Float64Array.from({ length: QUARTER_HOURS }, (_, at) => usedAt(at));
  const kwh = Array.from({ length: DAYS }, (_, day) => {
    const watts = used.subarray(day * QUARTER_HOURS_PER_DAY, (day + 1) * QUARTER_HOURS_PER_DAY);
    return watts.some(Number.isNaN) ? null : watts.reduce((sum, one) => sum + one / 4_000, 0);
  });
  return {
    fromMs: FROM_MS,
    used,
    production: null,
    devices: [],
    daily: { firstDay: FIRST_DAY, kwh },
    today: FIRST_DAY + DAYS,
    ...more,
  };
}

const kindsOf = (one: HomeProfile) => findRemarksOfProfile(one).map(({ kind }) => kind);
const last = (hours: number) => (at: number) => at >= QUARTER_HOURS - 4 * hours;
const dayOf = (at: number) => Math.floor(at / QUARTER_HOURS_PER_DAY);

describe('an ordinary home gets no remark', () => {
  test('a home with two weeks of data, or with many unknown hours, gets no remark', () => {
    expect(kindsOf(profile())).toEqual([]);
    const young = (at: number) => (dayOf(at) < DAYS - 13 ? Number.NaN : last(30)(at) ? 900 : evenings(at));
    expect(kindsOf(profile(young))).toEqual([]);
    const silent = (at: number) => (last(8)(at) ? Number.NaN : last(22)(at) ? 900 : evenings(at));
    expect(kindsOf(profile(silent))).toEqual([]);
  });

  test('the return after two weeks away causes no remark', () => {
    const away = (at: number) => (dayOf(at) >= DAYS - 16 && dayOf(at) < DAYS - 2 ? 100 : evenings(at));
    expect(kindsOf(profile(away))).toEqual([]);
  });
});

describe('a load that stays on', () => {
  const heater = (at: number) => evenings(at) + (last(23)(at) ? 1_200 : 0);

  test('is reported within a day, once, with its start and the compared levels', () => {
    const [remark, ...others] = findRemarksOfProfile(profile(heater));
    expect(others).toEqual([]);
    expect(remark?.kind).toBe('stays_on');
    if (remark?.kind !== 'stays_on') return;
    expect(remark.sinceMs).toBe(FROM_MS + (QUARTER_HOURS - 92) * 900_000);
    expect(remark.leastW).toBeGreaterThan(1_299);
    expect(remark.usualW).toBeLessThan(105);
    expect(remark.compared).toHaveLength(29);
  });

  test('names the device that causes most of it', () => {
    const plug = (deviceId: string, at: (at: number) => number) => ({
      deviceId,
      used: Float64Array.from({ length: QUARTER_HOURS }, (_, one) => at(one)),
    });
    const [lamp, oven] = [plug('dev_lamp', () => 5), plug('dev_heater', (at) => (last(23)(at) ? 1_180 : 0))];
    expect(findRemarksOfProfile(profile(heater, { devices: [lamp, oven] }))[0]).toMatchObject({
      deviceId: 'dev_heater',
    });
    expect(findRemarksOfProfile(profile(heater, { devices: [lamp] }))[0]).toMatchObject({ deviceId: null });
  });

  test('is not reported if it happens every weekend, or was as high in an unusual week', () => {
    const guests = (at: number) => heater(at) + (dayOf(at) % 7 >= 5 ? 1_200 : 0);
    expect(
      kindsOf(profile((at) => (last(23)(at) ? evenings(at) + 1_200 : guests(at) - (heater(at) - evenings(at))))),
    ).toEqual([]);
  });
});

test('a load that stays on is not reported if the same happened two weeks before, nor is the night after it', () => {
  const spell = (at: number) => dayOf(at) >= DAYS - 14 && dayOf(at) < DAYS - 11;
  const cold = (now: (at: number) => boolean) => profile((at) => evenings(at) + (spell(at) || now(at) ? 400 : 0));
  expect(kindsOf(cold(last(23)))).toEqual([]);
  // Without the earlier rise, the same rise causes a remark.
  expect(kindsOf(profile((at) => evenings(at) + (last(23)(at) ? 400 : 0)))).toEqual(['stays_on']);
  const over = (at: number) => last(47)(at) && !last(16)(at);
  expect(kindsOf(profile((at) => evenings(at) + (over(at) ? 400 : 0)))).toEqual([]);
});

test('a rise of quiet hours is not reported for a home whose quiet hours vary slightly from day to day', () => {
  const restless = (at: number) => evenings(at) + 40 * ((dayOf(at) * 7) % 5) + (last(23)(at) ? 130 : 0);
  expect(kindsOf(profile(restless))).toEqual([]);
});

test('a fridge without a pause of a whole quarter-hour is not reported as a rise of the night load', () => {
  const pauses = (at: number) => at % QUARTER_HOURS_PER_DAY === 12 && !last(24)(at);
  expect(kindsOf(profile((at) => evenings(at) - (pauses(at) ? 60 : 0)))).toEqual([]);
});

test('a device that uses many times as much is not reported as using more', () => {
  const pump = Float64Array.from({ length: QUARTER_HOURS }, (_, at) => (last(24)(at) ? 400 : 6));
  expect(kindsOf(profile(evenings, { devices: [{ deviceId: 'dev_3', used: pump }] }))).toEqual([]);
  // The usage of this device varies by a third from day to day, so no remark is possible.
  const screen = Float64Array.from({ length: QUARTER_HOURS }, (_, at) =>
    last(24)(at) ? 140 : 40 + 7 * (dayOf(at) % 4),
  );
  expect(kindsOf(profile(evenings, { devices: [{ deviceId: 'dev_4', used: screen }] }))).toEqual([]);
});

test('a rise of quiet hours is reported, unless a device that explains it is reported', () => {
  const extra = (at: number) => (last(25)(at) ? 40 : 0);
  const freezer = (at: number) => 35 + (at % 3) * 2;
  const night = profile((at) => evenings(at) + extra(at));
  expect(kindsOf(night)).toEqual(['night_rose']);
  const devices = [
    { deviceId: 'dev_1', used: Float64Array.from({ length: QUARTER_HOURS }, (_, at) => freezer(at) + extra(at)) },
  ];
  const remarks = findRemarksOfProfile({ ...night, devices });
  expect(remarks.map(({ kind }) => kind)).toEqual(['device_uses_more']);
  // A washing machine does not run every day, so no remark is possible.
  const washing = Float64Array.from({ length: QUARTER_HOURS }, (_, at) =>
    dayOf(at) % 3 === 0 && at % QUARTER_HOURS_PER_DAY < 6 ? 1_500 : 0,
  );
  expect(kindsOf(profile(evenings, { devices: [{ deviceId: 'dev_2', used: washing }] }))).toEqual([]);
});

describe('production that is missing', () => {
  const sun = (at: number) => {
    const hour = (at % QUARTER_HOURS_PER_DAY) / 4;
    const height = Math.max(0, Math.sin(((hour - 7) / 10) * Math.PI)) * (hour > 7 && hour < 17 ? 1 : 0);
    return 3_000 * height * (dayOf(at) % 5 === 0 ? 0.15 : 0.8);
  };
  const panels = (at: (at: number) => number) => ({
    production: Float64Array.from({ length: QUARTER_HOURS }, (_, one) => at(one)),
  });

  test('is reported by the evening, but not for a cloudy day or a night', () => {
    expect(kindsOf(profile(evenings, panels(sun)))).toEqual([]);
    expect(
      kindsOf(
        profile(
          evenings,
          panels((at) => (last(24)(at) ? 0.1 * sun(at) : sun(at))),
        ),
      ),
    ).toEqual([]);
    const [remark] = findRemarksOfProfile(
      profile(
        evenings,
        panels((at) => (last(24)(at) ? 0 : sun(at))),
      ),
    );
    expect(remark).toMatchObject({ kind: 'production_missing', isSilent: false });
  });

  test('is not reported for a foggy day if such days occur', () => {
    const foggy = (at: number) => sun(at) * (dayOf(at) % 5 === 0 ? 0.01 : 1);
    expect(
      kindsOf(
        profile(
          evenings,
          panels((at) => (last(24)(at) ? 0 : foggy(at))),
        ),
      ),
    ).toEqual([]);
  });

  test('is reported for an inverter that stays silent, but not for one that is off at night or reports once a day', () => {
    const asleep = (at: number) => sun(at) || Number.NaN;
    expect(kindsOf(profile(evenings, panels(asleep)))).toEqual([]);
    expect(
      kindsOf(
        profile(
          evenings,
          panels((at) => (last(24)(at) ? Number.NaN : asleep(at))),
        ),
      ),
    ).toEqual([]);
    const [remark] = findRemarksOfProfile(
      profile(
        evenings,
        panels((at) => (last(60)(at) ? Number.NaN : asleep(at))),
      ),
    );
    expect(remark).toMatchObject({ kind: 'production_missing', isSilent: true });
  });
});

describe('an unusual day', () => {
  /** Returns the power of a home that uses 12 kWh more on one day. */
  const party = (day: number) => (at: number) =>
    evenings(at) + (dayOf(at) === day && at % QUARTER_HOURS_PER_DAY >= 60 ? 1_333 : 0);

  test('is reported for three days with the same weekdays for comparison, and a second one within a month is not reported', () => {
    const [remark] = findRemarksOfProfile(profile(party(DAYS - 2)));
    expect(remark).toMatchObject({ kind: 'unusual_day', date: '2025-10-29', weekday: 3 });
    if (remark?.kind === 'unusual_day') expect(remark.compared).toHaveLength(7);
    expect(kindsOf(profile(party(DAYS - 5)))).toEqual([]);
    const two = (at: number) => party(DAYS - 2)(at) + party(DAYS - 12)(at) - evenings(at);
    expect(kindsOf(profile(two))).toEqual([]);
  });

  test('is not reported if the weeks vary as much', () => {
    const restless = (at: number) => {
      const back = DAYS - 1 - dayOf(at);
      return back === 0 ? 833 : 200 + 120 * ((Math.floor(back / 7) * 3) % 5);
    };
    expect(kindsOf(profile(restless)).filter((kind) => kind === 'unusual_day')).toEqual([]);
  });

  test('is reported after one unusual week, which does not count as usual, but not after two', () => {
    const odd = (weeks: number[]) => (at: number) =>
      party(DAYS - 1)(at) +
      (weeks.includes(Math.floor((DAYS - 2 - dayOf(at)) / 7)) && at % QUARTER_HOURS_PER_DAY >= 60 ? 1_500 : 0);
    expect(kindsOf(profile(odd([3])))).toContain('unusual_day');
    expect(kindsOf(profile(odd([3, 4])))).not.toContain('unusual_day');
  });
});

describe('a cheaper tariff', () => {
  const cost = (total: string, missing = 0) => ({ currency: 'EUR', total, missing_prices_kwh: missing });
  const other = (tariffId: string, total: string, missing = 0) => ({
    tariffId,
    name: tariffId,
    cost: cost(total, missing),
  });
  const year = { start: '2025-01-01', end: '2025-12-31' };

  test('is the cheapest one, if it would have saved at least 5 %', () => {
    expect(
      findCheaperTariff(cost('1000.00'), [other('trf_a', '940.00'), other('trf_b', '930.00')], year),
    ).toMatchObject({
      tariffId: 'trf_b',
      paid: '1000.00',
      wouldHavePaid: '930.00',
    });
    expect(findCheaperTariff(cost('1000.00'), [other('trf_a', '960.00')], year)).toBeNull();
    expect(findCheaperTariff(cost('-100.00'), [other('trf_a', '-120.00')], year)?.tariffId).toBe('trf_a');
  });

  test('is not reported if prices are unknown', () => {
    expect(findCheaperTariff(cost('1000.00'), [other('trf_a', '500.00', 11)], year)).toBeNull();
    expect(findCheaperTariff(cost('1000.00', 11), [other('trf_a', '500.00')], year)).toBeNull();
  });
});
