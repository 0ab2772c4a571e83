import { randomBytes } from 'node:crypto';
import type { DemoHome, DemoHomes } from '#simulators/demo-homes.ts';
import { simulateSpotPrice } from '#simulators/spot-prices.ts';
import { createAlert, listAlerts } from '#src/alerts/store.ts';
import { closeBillPeriod, createBillPeriod, listBillPeriods } from '#src/billing/store.ts';
import type { Config } from '#src/config/load.ts';
import { castToBillionths } from '#src/core/decimal.ts';
import { createSecretEncrypter } from '#src/core/secrets.ts';
import { DAY_MS, HOUR_MS, kwhToMilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { TEST_RECEIVER_HOST } from '#src/delivery/webhook/send.ts';
import { createWebhook, listWebhooks } from '#src/delivery/webhook/subscriptions.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { changeGroupMembers } from '#src/groups/members.ts';
import { createGroup, listGroups } from '#src/groups/store.ts';
import { packPrices } from '#src/tariffs/packed-days.ts';
import { createSeries, listSeries } from '#src/tariffs/price-series.ts';
import { storePrices } from '#src/tariffs/prices.ts';
import { createTariff, hasTariff } from '#src/tariffs/store.ts';
import { loadSecretKey } from './secret-key.ts';

const DAY_AND_NIGHT = {
  name: 'Day and night',
  valid_from: '2020-01-01',
  currency: 'EUR',
  terms: {
    standing_per_day: '0.41',
    import: { periods: [{ per_kwh: '0.3420', from: '06:00', to: '22:00' }, { per_kwh: '0.2680' }] },
    export: { per_kwh: '0.0803' },
  },
};
/** A tariff offer that would have been cheaper in the past year, so that the home gets a remark (notice) about it. */
const OFFER = {
  name: 'Offer: one price',
  currency: 'EUR',
  terms: { standing_per_day: '0.33', import: { per_kwh: '0.2490' }, export: { per_kwh: '0.0803' } },
};
/** A tariff offer for charging a car at night, which would have been cheaper for the home with the dynamic tariff. */
const NIGHT_OFFER = {
  name: 'Offer: cheap nights',
  currency: 'EUR',
  terms: {
    standing_per_day: '0.25',
    import: { periods: [{ per_kwh: '0.1390', from: '23:00', to: '06:00' }, { per_kwh: '0.2390' }] },
  },
};
/** Taxes and fees that a Dutch supplier adds to the wholesale price (in EUR per kWh), and the rate of the value-added tax. */
const DYNAMIC = { add: '0.1482', multiply: '1.21', standing_per_day: '0.25' };
const SERIES_NAME = 'Wholesale prices (simulated)';
const LOOK_MS = HOUR_MS;

/** Returns the first day of an offer, so far in the future that the offer never becomes the current tariff. */
const inAYear = (now: Date): string => new Date(now.getTime() + 365 * DAY_MS).toISOString().slice(0, 10);

const named = ({ users }: DemoHomes, name: string): DemoHome | undefined =>
  users.find(({ email, isEarlier }) => email.startsWith(`${name}@`) && !isEarlier);

/**
 * Creates a tariff and an offer for the demo's first home, and a dynamic tariff with its prices for another home. Does nothing for a home
 * that has a tariff.
 */
export async function ensureDemoTariffs(db: Database, homes: DemoHomes, now: Date): Promise<void> {
  const [first] = homes.users;
  if (first && !(await hasTariff(db, first.userId))) {
    await createTariff(db, { userId: first.userId, ...DAY_AND_NIGHT });
    if (!first.isEarlier)
      await createTariff(db, {
        userId: first.userId,
        ...OFFER,
        valid_from: inAYear(now),
      });
  }
  const daan = named(homes, 'daan');
  if (daan && !(await hasTariff(db, daan.userId))) {
    const { series_id } = await ensureSeries(db, homes.utilityId);
    const { add, multiply, standing_per_day } = DYNAMIC;
    const terms = { standing_per_day, import: { series_id, add, multiply } };
    await createTariff(db, { userId: daan.userId, name: 'Dynamic', valid_from: '2020-01-01', currency: 'EUR', terms });
    await createTariff(db, { userId: daan.userId, ...NIGHT_OFFER, valid_from: inAYear(now) });
  }
  await storePricesUntilTomorrow(db, homes, now);
}

/**
 * Creates an alert for the first home, with a daily threshold that yesterday's usage exceeds, and a webhook to the service's own test
 * receiver. Must be called before the readings of yesterday are sent.
 */
export async function ensureDemoAlerts(db: Database, config: Config, homes: DemoHomes, now: Date): Promise<void> {
  const home = named(homes, 'anna');
  if (!home) return;
  const { userId } = home;
  // Marks the account as having signed in before, because the first sign-in would end its keys.
  await db
    .updateTable('users')
    .set({ signed_in_at: now })
    .where('user_id', '=', userId)
    .where('signed_in_at', 'is', null)
    .execute();
  if ((await listWebhooks(db, userId, { limit: 1 })).length === 0)
    await createWebhook(db, createSecretEncrypter(await loadSecretKey(config, db)), userId, {
      events: ['alert.triggered', 'remark.raised', 'device.connected'],
      url: `https://${TEST_RECEIVER_HOST}/anna`,
      authToken: `whsec_${randomBytes(32).toString('base64')}`,
    });
  if ((await listAlerts(db, ALL_ACCOUNTS, userId, { limit: 1 })).length > 0) return;
  const yesterday = dayRangeOf(home, new Date(now.getTime() - DAY_MS));
  const used = home.usedKwh(yesterday.from.getTime(), yesterday.to.getTime());
  await createAlert(db, {
    userId,
    type: 'daily_usage',
    threshold_milliwatt_hours: kwhToMilliwattHours(Math.max(1, Math.floor(used * 0.95))),
    threshold: null,
    threshold_hours: null,
    delivery: 'webhook',
  });
}

function dayRangeOf({ timezone }: DemoHome, at: Date) {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(at);
  return createDayRange(day, day, timezone);
}

async function ensureSeries(db: Database, userId: string) {
  const known = await listSeries(db, 'price', userId, { limit: 200 });
  return (
    known.find(({ name }) => name === SERIES_NAME) ??
    createSeries(db, { userId, kind: 'price', name: SERIES_NAME, currency: 'EUR', resolution_minutes: 60 })
  );
}

async function storePricesUntilTomorrow(db: Database, homes: DemoHomes, now: Date): Promise<void> {
  const daan = named(homes, 'daan');
  if (!daan) return;
  const { series_id } = await ensureSeries(db, homes.utilityId);
  const last = await db
    .selectFrom('prices')
    .select(({ fn }) => fn.max('day').as('day'))
    .where('series_id', '=', series_id)
    .executeTakeFirst();
  const firstMs = Math.min(...daan.devices.map(({ installedAtMs }) => installedAtMs));
  // Prices are stored for whole UTC days, which cover tomorrow in Amsterdam.
  const fromMs = last?.day ? last.day.getTime() + DAY_MS : Math.floor(firstMs / DAY_MS) * DAY_MS;
  const toMs = (Math.floor(now.getTime() / DAY_MS) + 2) * DAY_MS;
  const prices = [];
  for (let startsAtMs = fromMs; startsAtMs < toMs; startsAtMs += HOUR_MS)
    prices.push({ startsAtMs, perKwh: castToBillionths(BigInt(Math.round(simulateSpotPrice(startsAtMs) * 1e9))) });
  await storePrices(db, series_id, packPrices(prices, 60));
}

/** Stores tomorrow's prices regularly while the demo runs. Returns a function that stops the updates. */
export function startStoringDemoPrices(db: Database, homes: DemoHomes): () => Promise<void> {
  let work: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // Errors are ignored, because the next attempt follows in an hour.
    work = storePricesUntilTomorrow(db, homes, new Date()).catch(() => {});
  }, LOOK_MS);
  return () => {
    clearInterval(timer);
    return work;
  };
}

/** Closes the bill of the first home's last whole month, after the home's history was stored. */
export async function ensureClosedDemoBill(db: Database, homes: DemoHomes, now: Date): Promise<void> {
  const anna = named(homes, 'anna');
  if (!anna) return;
  const subject = { userId: anna.userId, deviceId: null };
  if ((await listBillPeriods(db, ALL_ACCOUNTS, { userId: anna.userId }, { limit: 1 })).length > 0) return;
  const month = new Intl.DateTimeFormat('en-CA', { timeZone: anna.timezone }).format(now).slice(0, 7);
  const firstOfMonth = new Date(`${month}-01T00:00:00Z`);
  const end = new Date(firstOfMonth.getTime() - DAY_MS).toISOString().slice(0, 10);
  const start = `${end.slice(0, 7)}-01`;
  const { from, to, zone } = createDayRange(start, end, anna.timezone);
  const { period } = await createBillPeriod(db, subject, { start, end, zone, from, to }, now);
  await closeBillPeriod(db, ALL_ACCOUNTS, period.bill_period_id, now);
}

const GROUPS: readonly (readonly [name: string, kind: string, homes: readonly string[]])[] = [
  ['Europe', 'region', ['anna', 'ben', 'chiara', 'daan']],
  ['North America', 'region', ['emma', 'farid']],
];

export async function ensureDemoGroups(db: Database, homes: DemoHomes): Promise<void> {
  const { utilityId: userId } = homes;
  if ((await listGroups(db, ALL_ACCOUNTS, { userId, limit: 1 })).length > 0) return;
  for (const [name, kind, names] of GROUPS) {
    const { group_id } = await createGroup(db, { userId, name, kind, parent_group_id: null });
    const add = names.flatMap((one) => named(homes, one)?.userId ?? []);
    await changeGroupMembers(db, group_id, { add, remove: [] });
  }
}

/** Period in ms before the first start of the demo for which silences of devices are recorded. */
const WATCHED_MS = 30 * DAY_MS;

/**
 * Records the silences of devices in the history that this start of the demo sends, because the worker cannot detect them. Must be called
 * before the history is sent.
 */
export async function ensureDemoSilences(db: Database, homes: DemoHomes, now: Date): Promise<void> {
  const silences = homes.users.flatMap(({ userId, devices }) =>
    devices.flatMap(({ deviceId, silence, knownUntilMs }) =>
      silence && knownUntilMs <= silence.fromMs
        ? [{ device_id: deviceId, user_id: userId, was_heard: true, ...timesOf(silence) }]
        : [],
    ),
  );
  if (silences.length === 0) return;
  await db
    .insertInto('device_silences')
    .values(silences)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .insertInto('silence_watches')
    .values({ began_at: new Date(now.getTime() - WATCHED_MS), ended_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const timesOf = ({ fromMs, toMs }: { fromMs: number; toMs: number }) => ({
  began_at: new Date(fromMs),
  ended_at: new Date(toMs),
});
