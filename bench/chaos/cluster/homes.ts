import { setTimeout as pause } from 'node:timers/promises';
import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { setCell } from '#src/core/cell.ts';
import { createDatabase, type Pool } from '#src/database/connect.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { createAlert } from '../../../test/support/alerts.ts';
import { type RetryingPublisher, startRetryingPublisher } from '../../../test/support/cluster/publisher.ts';
import { pairDevices } from '../../support.ts';
import type { Cluster } from './installation.ts';

const HOUR_MS = 3_600_000;
const EVERY_MS = 300;
/**
 * Length of the published history in ms. It is less than 24 hours, because alerts are sent only for hours that ended in the last 24 hours.
 */
const PLAYED_MS = 19 * HOUR_MS;
/** Possible differences in ms between the times of two consecutive readings. An hour is a multiple of each. */
const STEPS_MS = [24_000, 18_000, 12_000, 9_000, 6_000, 3_000, 1_000];
/** Threshold for an hour's consumption; about half of the hours exceed it. */
export const ALERT_THRESHOLD_MILLIWATT_HOURS = 1_000_000;

/** A home with a meter and an hourly alert. */
export interface PublishingHome {
  userId: string;
  deviceId: string;
  readings: DecodedReading[];
  publisher: RetryingPublisher;
  /** Index of the reading that takes an hour's usage above the alert threshold, by the start of the hour in Unix ms. */
  crossings: Map<number, number>;
  /** Times (Unix ms) at which a poll found newly stored readings, and time of the latest stored reading. */
  stored: { atMs: number[]; upToMs: number };
}

/** Homes that publish readings in order, and that are distributed over all brokers. Each reading is repeated until it is acknowledged. */
export interface PublishingHomeGroup {
  all: PublishingHome[];
  /** Distributes the homes over all brokers again, as at the start. */
  spread(): void;
  /** Stops publishing. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A database in which homes are created. `watchPool`: pool that polls for stored readings; default: `pool`. `cell`: name of the cell
 * (installation) in the identifiers of the homes.
 */
interface HomesPlace {
  pool: Pool;
  watchPool?: Pool;
  cell?: string | undefined;
}

/** Creates `count` homes in each database and starts publishing. `minutes`: maximum duration. */
export async function startHomes(
  { places, entrances }: { places: readonly HomesPlace[]; entrances: Cluster['entrances'] },
  count: number,
  minutes: number,
): Promise<PublishingHomeGroup> {
  const stepMs = STEPS_MS.find((ms) => (minutes * 60_000 * ms) / EVERY_MS < PLAYED_MS) ?? 1_000;
  const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - PLAYED_MS;
  const all: PublishingHome[] = [];
  for (const place of places) all.push(...(await makeHomes(place, entrances, count)));
  const over = new AbortController();
  const playing = (async () => {
    for (let nextMs = Date.now() + EVERY_MS; !over.signal.aborted; nextMs += EVERY_MS) {
      // The times of the homes' readings are offset from each other, so that the homes' hours do not all end at once.
      for (const [index, home] of all.entries()) publishNext(home, startMs + index * 10 * stepMs, stepMs, index);
      await pause(Math.max(0, nextMs - Date.now()));
    }
  })();
  const watching = watchStored(
    places.map(({ pool, watchPool = pool }) => watchPool),
    all,
    over.signal,
  );
  return {
    all,
    spread() {
      for (const [index, { publisher }] of all.entries()) publisher.moveTo(index);
    },
    async finish() {
      over.abort();
      await playing;
    },
    async close() {
      over.abort();
      await Promise.all([playing, watching, ...all.map(({ publisher }) => publisher.close())]);
    },
  };
}

/** Stops publishing, and waits for at most `withinMs` until all messages are acknowledged. */
export async function waitUntilHomesFinish({ all, finish }: PublishingHomeGroup, withinMs: number): Promise<void> {
  await finish();
  await Promise.race([Promise.all(all.map(({ publisher }) => publisher.flush())), pause(withinMs)]);
}

async function makeHomes(
  { pool, cell }: HomesPlace,
  entrances: Cluster['entrances'],
  count: number,
): Promise<PublishingHome[]> {
  const db = createDatabase(pool);
  const homes: PublishingHome[] = [];
  setCell(cell);
  for (const [index, { deviceId, secret }] of (await pairDevices(pool, count)).entries()) {
    const { rows } = await pool.query('SELECT user_id FROM devices WHERE device_id = $1', [deviceId]);
    const userId: string = rows[0].user_id;
    await createAlert(db, {
      userId,
      type: 'peak_usage',
      thresholdKwh: ALERT_THRESHOLD_MILLIWATT_HOURS / 1e6,
      delivery: 'webhook',
    });
    const topic = getReadingsTopic(deviceId);
    const publisher = startRetryingPublisher({ nodes: entrances, deviceId, secret, topic, first: index });
    homes.push({ userId, deviceId, publisher, readings: [], crossings: new Map(), stored: { atMs: [], upToMs: 0 } });
  }
  setCell(undefined);
  return homes;
}

function publishNext(home: PublishingHome, startMs: number, stepMs: number, number: number): void {
  const readAtMs = startMs + home.readings.length * stepMs;
  const hourMs = Math.floor((readAtMs - 1) / HOUR_MS) * HOUR_MS;
  // The load is 0.6 to 1.4 kW, with a different value every hour.
  const watts = 600 + (((hourMs / HOUR_MS) * 7_919 + number * 104_729) % 801);
  const last = home.readings.at(-1)?.value ?? 1_000_000_000;
  const value = last + Math.round((watts * stepMs) / 3_600);
  home.readings.push({
    deviceId: home.deviceId,
    channel: 'import',
    kind: 'register',
    readAtMs,
    intervalMs: 0,
    value,
    element: 0,
  });
  if (!home.crossings.has(hourMs)) {
    const before = home.readings.findLast((reading) => reading.readAtMs <= hourMs) ?? home.readings[0];
    if (before && value - before.value > ALERT_THRESHOLD_MILLIWATT_HOURS)
      home.crossings.set(hourMs, home.readings.length - 1);
  }
  home.publisher.publish(JSON.stringify({ ts: readAtMs, energy_total_kwh: value / 1e6 }));
}

const WATCH_MS = 200;

/** Polls the time up to which the readings of each home are stored. */
async function watchStored(pools: readonly Pool[], homes: readonly PublishingHome[], over: AbortSignal): Promise<void> {
  const of = new Map(homes.map((home) => [home.deviceId, home]));
  const look = async (pool: Pool) => {
    const { rows } = await pool.query(
      `SELECT device_id, (extract(epoch FROM newest.read_at) * 1000)::bigint AS ms FROM series CROSS JOIN LATERAL
         (SELECT read_at FROM readings WHERE readings.series_id = series.series_id ORDER BY read_at DESC LIMIT 1) newest`,
    );
    for (const { device_id, ms } of rows) {
      const stored = of.get(device_id)?.stored;
      if (!stored || ms <= stored.upToMs) continue;
      stored.upToMs = ms;
      stored.atMs.push(Date.now());
    }
  };
  const watch = async (pool: Pool) => {
    while (!over.aborted) {
      // Errors are ignored, because a fault of the run may make the database unavailable.
      await look(pool).catch(() => {});
      await pause(WATCH_MS);
    }
  };
  // Each database is polled separately, so that a database that does not respond does not delay the polls of the others.
  await Promise.all(pools.map(watch));
}

/** Waits until, for each home, a new reading is acknowledged and stored. Resolves to false if this takes longer than `withinMs`. */
export async function waitUntilHomesResume(homes: readonly PublishingHome[], withinMs: number): Promise<boolean> {
  const from = homes.map(({ readings }) => readings.length);
  const isOn = ({ publisher, stored, readings }: PublishingHome, index: number) => {
    const first = from[index] ?? 0;
    const reading = readings[first];
    return reading !== undefined && publisher.acknowledged.has(first) && stored.upToMs >= reading.readAtMs;
  };
  for (const untilMs = Date.now() + withinMs; Date.now() < untilMs; await pause(50)) if (homes.every(isOn)) return true;
  return false;
}
