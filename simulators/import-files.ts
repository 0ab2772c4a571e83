import { sql } from 'kysely';
import type { Database } from '#src/database/connect.ts';
import { isElectricityQuantity } from '#src/database/meter.ts';
import { runWithTemporarySecret } from './credentials.ts';
import { getReadingsTopic } from './devices/native-meter.ts';
import {
  createImportCounts,
  type ImportCounts,
  type ImportedReadingElement,
  type ImportReader,
} from './importers/element.ts';
import { createPublisher } from './publisher.ts';
import { publishReadings } from './send.ts';

interface ImportOptions {
  deviceId: string;
  files: readonly string[];
  /** Reader for the files' format. */
  read: ImportReader;
  /** URL of the broker. The import logs in as the user in the URL. If the URL contains no user, the import logs in as the device. */
  mqttUrl: string;
  /** Ends the import early. Readings that the broker has already acknowledged remain. */
  signal?: AbortSignal;
  /** Called with a file's name and the number of its bytes that have been read. */
  onBytes?: (file: string, bytes: number) => void;
}

/** Numbers of rows by outcome, and number of readings that the broker has acknowledged. */
export interface ImportResult extends ImportCounts {
  device_id: string;
  sent: number;
  /** Number of readings of this import that the service has rejected so far, by reason. */
  rejected: Record<string, number>;
  /**
   * Number of readings in the imported period that add no energy, by reason, such as an overlapping interval or an implausible reading.
   * `uncounted`: all readings of a quantity that contributes to no total.
   */
  left_out: Record<string, number>;
  seconds: number;
}

/** Publishes the readings of files over MQTT, as the device would have sent them. */
export async function importFiles(db: Database, options: ImportOptions): Promise<ImportResult> {
  const { deviceId, files, read, mqttUrl, signal, onBytes } = options;
  const began = performance.now();
  const sentOf = new Map<string, Sent>();
  const counts = createImportCounts();
  const play = async (username: string, secret: string) => {
    const publisher = await createPublisher({ url: mqttUrl, deviceId: username, secret });
    // Closing the publisher rejects pending publishes. An import that the user ends by Ctrl-C therefore does not wait for an unreachable
    // broker.
    const abort = () => void publisher.close();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      let sent = 0;
      for (const file of files) {
        signal?.throwIfAborted();
        const elements = read(
          file,
          counts,
          (bytes) => onBytes?.(file, bytes),
          (channel) => storedRegisters(db, deviceId, channel),
        );
        sent += await publishReadings(publisher, getReadingsTopic(deviceId), noted(elements, sentOf));
      }
      return sent;
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
      await publisher.close();
    }
  };
  const rejectedBefore = await lastRejection(db);
  const { username, password } = new URL(mqttUrl);
  const sent = username
    ? await play(decodeURIComponent(username), decodeURIComponent(password))
    : await runWithTemporarySecret(db, deviceId, (secret) => play(deviceId, secret));
  const rejected = await rejections(db, deviceId, rejectedBefore);
  const left_out = await leftOut(db, deviceId, [...sentOf.values()]);
  const seconds = Math.round(performance.now() - began) / 1000;
  return { device_id: deviceId, ...counts, sent, rejected, left_out, seconds };
}

/** Returns the stored register readings of a channel at full hours, in kWh (or m³), by Unix ms. */
async function storedRegisters(db: Database, deviceId: string, channel: string): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('readings')
    .innerJoin('series', 'series.series_id', 'readings.series_id')
    .select(['read_at', 'value'])
    .where('device_id', '=', deviceId)
    .where('channel', '=', channel)
    .where('kind', '=', 'register')
    .where('interval_ms', '=', 0)
    .where(sql<boolean>`extract(epoch FROM read_at)::bigint % 3600 = 0 AND date_trunc('second', read_at) = read_at`)
    .execute();
  return new Map(rows.map(({ read_at, value }) => [read_at.getTime(), Number(value) / 1e6]));
}

/** For a quantity: the number of readings that were sent, and the times of the first and the last of these readings in Unix ms. */
interface Sent {
  channel: string;
  kind: 'register' | 'interval' | 'power';
  readings: number;
  fromMs: number;
  toMs: number;
}

const kindOf = (element: ImportedReadingElement): Sent['kind'] =>
  'energy_total_kwh' in element ? 'register' : 'energy_kwh' in element ? 'interval' : 'power';

async function* noted(
  elements: AsyncIterable<ImportedReadingElement>,
  sent: Map<string, Sent>,
): AsyncGenerator<ImportedReadingElement> {
  for await (const element of elements) {
    const atMs = Date.parse(element.ts);
    const { channel = 'import' } = element;
    const kind = kindOf(element);
    const of = sent.get(`${kind} ${channel}`) ?? { channel, kind, readings: 0, fromMs: atMs, toMs: atMs };
    sent.set(`${kind} ${channel}`, of);
    of.readings++;
    of.fromMs = Math.min(of.fromMs, atMs);
    of.toMs = Math.max(of.toMs, atMs);
    yield element;
  }
}

/** Whether a quantity contributes to a total. Also true if none of its readings is stored yet, which may happen with an external broker. */
async function isCounted(db: Database, deviceId: string, { channel, kind }: Sent): Promise<boolean> {
  const series = await db
    .selectFrom('series')
    .select(['counts_import', 'counts_export', 'meter'])
    .where('device_id', '=', deviceId)
    .where('channel', '=', channel)
    .where('kind', '=', kind)
    .executeTakeFirst();
  // Gas, heat and water contribute to their totals whatever role the device has for electricity.
  return (
    !series ||
    series.counts_import ||
    series.counts_export ||
    (series.meter !== null && !isElectricityQuantity(series.meter))
  );
}

/** Reasons why readings add no energy. */
const LEFT_OUT = ['overlap', 'glitch', 'held', 'confirming', 'excluded'];

async function leftOut(db: Database, deviceId: string, sent: readonly Sent[]): Promise<ImportResult['left_out']> {
  const total: Record<string, number> = {};
  const add = (verdict: string, count: number) => {
    total[verdict] = (total[verdict] ?? 0) + count;
  };
  for (const one of sent) {
    if (!(await isCounted(db, deviceId, one))) add('uncounted', one.readings);
    else for (const { verdict, count } of await verdictsOf(db, deviceId, one)) add(verdict, count);
  }
  return total;
}

const verdictsOf = (db: Database, deviceId: string, { channel, kind, fromMs, toMs }: Sent) =>
  db
    .selectFrom('reading_notes')
    .innerJoin('series', 'series.series_id', 'reading_notes.series_id')
    .select(({ fn }) => ['verdict', fn.countAll<number>().as('count')])
    .where('device_id', '=', deviceId)
    .where('channel', '=', channel)
    .where('kind', '=', kind)
    .where('read_at', '>=', new Date(fromMs))
    .where('read_at', '<=', new Date(toMs))
    .where('verdict', 'in', LEFT_OUT)
    .groupBy('verdict')
    .orderBy('verdict')
    .execute();

async function lastRejection(db: Database): Promise<number> {
  const row = await db
    .selectFrom('rejected_messages')
    .select(({ fn }) => fn.max('rejected_id').as('last'))
    .executeTakeFirst();
  return row?.last ?? 0;
}

async function rejections(db: Database, deviceId: string, after: number): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('rejected_messages')
    .select(({ fn }) => ['reason', fn.countAll<number>().as('count')])
    .where('device_id', '=', deviceId)
    .where('rejected_id', '>', after)
    .groupBy('reason')
    .orderBy('count', 'desc')
    .execute();
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
}
