import { parseReadingTime } from '../csv-readings.ts';
import { createLocalTimeParser } from '../local-time-parser.ts';
import {
  addImportNote,
  countUnreadableRow,
  type ImportCounts,
  type ImportedReadingElement,
  type ImportReader,
} from './element.ts';
import { readCsvRows } from './file-rows.ts';

const HOUR_SECONDS = 3_600;
/** Channels of an electricity meter. Live data of dsmr-reader and of a P1 port use the same names. */
const CHANNELS = ['import/t1', 'import/t2', 'export/t1', 'export/t2'];
const GAS = 'gas/m3';
const HOURS = /^(hour start|begintijd uur)$/i;
const DAYS = /^(date|datum)$/i;
const READ_AT = /^(electricity reading timestamp|tijdstip elektriciteitsmeterstand)$/i;
const GAS_READ_AT = /^(gas reading timestamp|tijdstip gasmeterstand)$/i;

/** A column of an export: its index in a row, and the channel of its readings. */
interface Column {
  at: number;
  channel: string;
}

/** Kind of an export and its columns, detected by the header. The columns are identified by their order, because their names repeat. */
type Form = { kind: 'hours'; columns: Column[] } | { kind: 'days'; read: { timeAt: number; columns: Column[] }[] };

function formOf(file: string, header: readonly string[]): Form {
  const [first = ''] = header;
  const meters = (from: number): Column[] => CHANNELS.map((channel, index) => ({ at: from + index, channel }));
  if (HOURS.test(first)) return { kind: 'hours', columns: [...meters(1), { at: 5, channel: GAS }] };
  const timeAt = header.findIndex((name) => READ_AT.test(name));
  const gasAt = header.findIndex((name) => GAS_READ_AT.test(name));
  if (DAYS.test(first) && timeAt > 0)
    return {
      kind: 'days',
      read: [
        { timeAt, columns: meters(timeAt + 1) },
        ...(gasAt > 0 ? [{ timeAt: gasAt, columns: [{ at: gasAt + 1, channel: GAS }] }] : []),
      ],
    };
  throw new Error(
    `${file} is no export of dsmr-reader with energy: its first column is “${first.slice(0, 60)}”. In dsmr-reader choose Export, then hour totals (or day totals, of version 4 or later, for the meter's positions).`,
  );
}

/**
 * Reads the CSV exports of dsmr-reader's web page. Hour totals become intervals; day totals become register readings at the beginning of
 * each day. Columns that contain only 0 are skipped. `zone`: time zone of times without an offset.
 */
export const createDsmrReaderImport = (zone = 'Europe/Amsterdam'): ImportReader =>
  async function* (file, counts, onBytes) {
    const used = new Set<number>();
    for await (const row of readCsvRows(file))
      for (const [index, text] of row.entries()) if (Number(text) > 0) used.add(index);
    const local = createLocalTimeParser(zone);
    let form: Form | undefined;
    for await (const row of readCsvRows(file, onBytes)) {
      if (!form) form = formOf(file, row);
      else {
        counts.rows++;
        const has = ({ at }: Column) => used.has(at);
        if (form.kind === 'hours') yield* hourOf(row, form.columns.filter(has), local, counts);
        else
          for (const [index, { timeAt, columns }] of form.read.entries())
            yield* positionsOf(row, timeAt, columns.filter(has), local, index === 0 ? counts : null);
      }
    }
    if (!form) throw new Error(`${file} is empty.`);
  };

type Local = ReturnType<typeof createLocalTimeParser>;

function* hourOf(
  row: string[],
  columns: Column[],
  local: Local,
  counts: ImportCounts,
): Generator<ImportedReadingElement> {
  const startMs = parseReadingTime(row[0] ?? '', local);
  const values = columns.map(({ at, channel }) => ({ channel, value: Number(row[at] || 'none') }));
  if (startMs === null || values.some(({ value }) => !(value >= 0)))
    return countUnreadableRow(counts, `row ${counts.rows}: ${row.slice(0, 6).join(', ').slice(0, 200)}`);
  const ts = new Date(startMs + HOUR_SECONDS * 1_000).toISOString();
  for (const { channel, value } of values) yield { ts, channel, energy_kwh: value, interval_s: HOUR_SECONDS };
}

/**
 * Yields the register readings of a row. `counts`: numbers of rows, which this function updates. Null for gas, because a row without a gas
 * value is valid.
 */
function* positionsOf(
  row: string[],
  timeAt: number,
  columns: Column[],
  local: Local,
  counts: ImportCounts | null,
): Generator<ImportedReadingElement> {
  const time = row[timeAt] ?? '';
  const atMs = parseReadingTime(time, local);
  const values = columns.map(({ at, channel }) => ({ channel, value: Number(row[at] || 'none') }));
  if (time === '' && counts) {
    counts.empty++;
    addImportNote(
      counts,
      'Days without the position of the meter were left out. The export of hour totals has their energy.',
    );
  }
  if (time === '') return;
  if (atMs === null || values.some(({ value }) => !(value >= 0))) {
    if (counts)
      countUnreadableRow(
        counts,
        `row ${counts.rows}: ${[time, ...values.map(({ value }) => value)].join(', ').slice(0, 200)}`,
      );
    return;
  }
  const ts = new Date(atMs).toISOString();
  for (const { channel, value } of values) yield { ts, channel, energy_total_kwh: value };
}
