import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { HOUR_MS } from '#src/core/units.ts';
import { addImportNote, type ImportCounts, type ImportedReadingElement } from './element.ts';
import { convertToKwh, type ImportSeries, type ImportUnit } from './series.ts';

interface Row {
  startMs: number;
  sum: number;
  state: number | null;
}

/**
 * Opens Home Assistant's database (`home-assistant_v2.db`) read-only. While Home Assistant runs (a `-wal` file exists), the import reads a
 * snapshot, which blocks no writer.
 */
function opened<T>(file: string, work: (db: DatabaseSync) => T): T {
  const url = pathToFileURL(file);
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { readOnly: true });
    const tables = db.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all();
    const missing = ['statistics', 'statistics_meta'].find((name) => !tables.some((one) => one.name === name));
    if (missing)
      throw new Error(
        `it has no table ${missing}: it is no database of Home Assistant with statistics (2021.6 or later)`,
      );
    return work(db);
  } catch (error) {
    throw new Error(
      `${file} could not be read: ${(error as Error).message}. A copy of the file can be imported as well.`,
    );
  } finally {
    db?.close();
  }
}

/**
 * Returns the SQL expression for the Unix time of a row, in seconds. Times are numbers (`start_ts`) or, in older rows, texts (`start`,
 * UTC).
 */
function timeOf(db: DatabaseSync): string {
  const columns = db.prepare(`SELECT name FROM pragma_table_info('statistics')`).all();
  const text = `unixepoch(substr(start, 1, 19))`;
  const has = (name: string) => columns.some((one) => one.name === name);
  if (has('start_ts')) return has('start') ? `coalesce(start_ts, ${text})` : 'start_ts';
  return text;
}

/** Returns those statistics of a database that have sums. Home Assistant's Energy page shows the same statistics. */
export const listDatabaseSeries = (file: string): ImportSeries[] =>
  opened(file, (db) =>
    db
      .prepare(
        `SELECT m.statistic_id AS name, m.unit_of_measurement AS unit, count(*) AS readings, min(${timeOf(db)}) AS first, max(${timeOf(db)}) AS last
         FROM statistics_meta m JOIN statistics s ON s.metadata_id = m.id WHERE m.has_sum = 1 AND s.sum IS NOT NULL GROUP BY m.id ORDER BY 1`,
      )
      .all()
      .map(({ name, unit, readings, first, last }) => ({
        name: String(name),
        unit: unit === null ? null : String(unit),
        readings: Number(readings),
        fromMs: Number(first) * 1_000,
        toMs: Number(last) * 1_000 + HOUR_MS,
      })),
  );

/**
 * Yields the sums of an entity as register readings at the ends of the hours. All sums are shifted by the same amount, so that the last sum
 * equals the meter's reading, from which live data continue. `stored`: readings of an earlier import, by Unix ms.
 */
export function* readDatabaseElements(
  file: string,
  { entity, unit, channel }: { entity: string; unit: ImportUnit; channel: string },
  counts: ImportCounts,
  stored: ReadonlyMap<number, number>,
): Generator<ImportedReadingElement> {
  const rows = opened(file, (db) =>
    db
      .prepare(
        `SELECT ${timeOf(db)} AS start, sum, state FROM statistics WHERE metadata_id = (SELECT id FROM statistics_meta WHERE statistic_id = ?) ORDER BY 1`,
      )
      .all(entity),
  );
  const known: Row[] = [];
  for (const { start, sum, state } of rows) {
    counts.rows++;
    if (!isNumber(start) || !isNumber(sum)) counts.empty++;
    else known.push({ startMs: Math.round(start * 1_000), sum, state: isNumber(state) ? state : null });
  }
  addImportNote(
    counts,
    `The sums of ${entity} were imported, as the Energy page shows them, and not the states of its meter.`,
  );
  const sums = known.map(({ startMs, sum, state }) => ({
    atMs: startMs + HOUR_MS,
    sum: convertToKwh(sum, unit),
    state: state === null ? null : convertToKwh(state, unit),
  }));
  for (const { atMs, kwh } of registersOf(sums, stored))
    yield { ts: new Date(atMs).toISOString(), channel, energy_total_kwh: kwh };
}

/**
 * Converts sums to register readings in kWh. If an earlier import has stored a reading at the same time, the result repeats the stored
 * value, and later sums continue from it. The repeated reading adds no energy.
 */
function registersOf(
  sums: readonly { atMs: number; sum: number; state: number | null }[],
  stored: ReadonlyMap<number, number>,
): { atMs: number; kwh: number }[] {
  const first = sums.find(({ atMs }) => stored.has(atMs));
  let moved = first ? (stored.get(first.atMs) ?? 0) - first.sum : computeSumOffset(sums);
  return sums.map(({ atMs, sum }) => {
    const kwh = stored.get(atMs);
    if (kwh !== undefined) moved = kwh - sum;
    return { atMs, kwh: kwh ?? Math.max(0, Math.round((sum + moved) * 1e6) / 1e6) };
  });
}

const isNumber = (value: unknown): value is number => Number.isFinite(value);

/**
 * Returns the amount to add to all sums, so that the last sum equals the reading of the meter. If the lowest sum would then be negative,
 * returns the amount with which it is 0.
 */
export function computeSumOffset(rows: readonly Pick<Row, 'sum' | 'state'>[]): number {
  const last = rows.at(-1);
  if (!last) return 0;
  const least = rows.reduce((lowest, { sum }) => Math.min(lowest, sum), Number.POSITIVE_INFINITY);
  return Math.max((last.state ?? last.sum) - last.sum, -least);
}
