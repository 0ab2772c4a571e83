import { omitUndefined } from '#src/core/omit-undefined.ts';
import { countUnreadableValue, type ImportCounts, type ImportedReadingElement } from './importers/element.ts';
import { readCsvRows } from './importers/file-rows.ts';
import { createLocalTimeParser } from './local-time-parser.ts';

/** Options for reading the rows of a CSV file. */
export interface CsvOptions {
  timeColumn: string;
  valueColumn: string;
  kind: 'register' | 'interval' | 'power';
  unit: 'kWh' | 'Wh' | 'W' | 'kW';
  /** Length of the intervals in seconds, if `kind` is `interval`. */
  intervalSeconds: number;
  /** Whether the time of a row is the start or the end of the row's interval. */
  timeMarks: 'start' | 'end';
  channel?: string;
  /** IANA time zone of times without an offset. Default: UTC. */
  zone?: string;
  /** Only rows with these values in these columns are read. */
  where: readonly { column: string; value: string }[];
}

/** Reads a CSV file with a header line, gzipped or plain, row by row. `onBytes` receives the number of bytes that have been read. */
export async function* readCsvReadings(
  file: string,
  options: CsvOptions,
  counts: ImportCounts,
  onBytes?: (bytes: number) => void,
): AsyncGenerator<ImportedReadingElement> {
  const local = options.zone === undefined ? undefined : createLocalTimeParser(options.zone);
  const wanted = [options.timeColumn, options.valueColumn, ...options.where.map(({ column }) => column)];
  for await (const row of readCsvRows<Record<string, string>>(file, onBytes, { columns: true })) {
    counts.rows++;
    if (counts.rows === 1) {
      const missing = wanted.find((column) => !(column in row));
      if (missing !== undefined) {
        throw new Error(`There is no column "${missing}". Columns: ${Object.keys(row).join(', ')}`);
      }
    }
    if (options.where.some(({ column, value }) => row[column] !== value)) {
      counts.skipped++;
      continue;
    }
    const time = row[options.timeColumn] ?? '';
    const text = row[options.valueColumn] ?? '';
    if (time === '' || text === '' || /^null$/i.test(text)) {
      counts.empty++;
      continue;
    }
    const atMs = parseReadingTime(time, local);
    const value = Number(text);
    if (atMs === null || !Number.isFinite(value)) {
      if (atMs === null) countUnreadableValue(counts, options.timeColumn, time, 'time');
      else countUnreadableValue(counts, options.valueColumn, text, 'number');
      continue;
    }
    yield toElement(atMs, value, options);
  }
}

/**
 * Parses a time in ISO 8601, Unix seconds or Unix milliseconds into Unix ms, or returns null. `local` converts a time without an offset; by
 * default, such a time is in UTC.
 */
export function parseReadingTime(text: string, local?: (stamp: string) => number | null): number | null {
  if (/^\d{9,10}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000);
  if (/^\d{12,13}$/.test(text)) return Number(text);
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(\.\d{1,9})?\s*(Z|[+-]\d{2}:?\d{2})?$/.exec(text);
  if (!match) return null;
  const [, date, minutes, seconds = ':00', fraction = '', named] = match;
  if (named === undefined && local) return local(`${date}T${minutes}${seconds}${fraction.slice(0, 4)}`);
  const zone = named ?? 'Z';
  const at = Date.parse(`${date}T${minutes}${seconds}${fraction.slice(0, 4)}${zone.replace(/^(...)(\d\d)$/, '$1:$2')}`);
  return Number.isNaN(at) ? null : at;
}

function toElement(atMs: number, value: number, options: CsvOptions): ImportedReadingElement {
  const scaled = options.unit === 'Wh' ? value / 1000 : options.unit === 'kW' ? value * 1000 : value;
  const endMs = options.kind === 'interval' && options.timeMarks === 'start' ? options.intervalSeconds * 1000 : 0;
  const head = {
    ts: new Date(atMs + endMs).toISOString(),
    ...omitUndefined({ channel: options.channel }),
  };
  if (options.kind === 'power') return { ...head, power_w: scaled };
  if (options.kind === 'register') return { ...head, energy_total_kwh: scaled };
  return { ...head, energy_kwh: scaled, interval_s: options.intervalSeconds };
}
