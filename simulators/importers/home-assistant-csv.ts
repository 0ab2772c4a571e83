import { parseReadingTime } from '../csv-readings.ts';
import {
  addImportNote,
  countUnreadableRow,
  countUnreadableValue,
  type ImportCounts,
  type ImportedReadingElement,
} from './element.ts';
import { readCsvRows } from './file-rows.ts';
import { convertToKwh, type ImportSeries, type ImportUnit } from './series.ts';

const HISTORY = 'entity_id,state,last_changed';
const ENERGY = 'entity_id,type,unit';
const PERIODS_MS = [300_000, 3_600_000];
/** States that mean that an entity has no value. */
const SILENT = new Set(['', 'unknown', 'unavailable', 'null']);

/**
 * Kind of a CSV download from Home Assistant. History: one state per row. Energy: one entity per row, and the energy of each hour in a
 * column.
 */
type Kind = 'history' | 'energy';

/** Detects the kind by the header. Throws if the header is unknown, or if the columns are days or months. */
function kindOf(file: string, header: readonly string[]): { kind: Kind; startsMs: number[]; periodMs: number } {
  const head = header.slice(0, 3).join(',');
  if (head === HISTORY) return { kind: 'history', startsMs: [], periodMs: 0 };
  if (head !== ENERGY)
    throw new Error(
      `${file} is no download of Home Assistant: its first line begins with neither ${HISTORY} (History) nor ${ENERGY} (Energy). The database, home-assistant_v2.db, can be imported too.`,
    );
  const startsMs = header.slice(3).map((text) => parseReadingTime(text) ?? Number.NaN);
  const steps = startsMs.slice(1).map((ms, index) => ms - (startsMs[index] as number));
  const periodMs = Math.min(...steps);
  if (!steps.every((ms) => ms > 0) || !PERIODS_MS.includes(periodMs))
    throw new Error(
      `${file} does not tell energy by the hour, but by the day or month, or of one hour alone. In Home Assistant choose a single day before you download, or import its database (home-assistant_v2.db), which has all hours.`,
    );
  return { kind: 'energy', startsMs, periodMs };
}

/** Returns the series of a downloaded file: those with a unit of energy or volume or, in a History download, with a numeric state. */
export async function readCsvSeries(file: string): Promise<ImportSeries[]> {
  const found = new Map<string, ImportSeries>();
  let form: ReturnType<typeof kindOf> | undefined;
  for await (const row of readCsvRows(file)) {
    if (!form) {
      form = kindOf(file, row);
      continue;
    }
    const [name = '', second = '', third = ''] = row;
    if (form.kind === 'energy') {
      const values = row.slice(3);
      const first = values.findIndex((value) => value !== '');
      const last = values.findLastIndex((value) => value !== '');
      if (name === '' || first < 0) continue;
      const [fromMs, lastMs] = [form.startsMs[first] as number, form.startsMs[last] as number];
      const readings = values.filter((value) => value !== '').length;
      found.set(name, { name, unit: third, readings, fromMs, toMs: lastMs + form.periodMs });
    } else {
      const atMs = parseReadingTime(third);
      if (atMs === null || SILENT.has(second) || !Number.isFinite(Number(second))) continue;
      const one = found.get(name) ?? { name, unit: null, readings: 0, fromMs: atMs, toMs: atMs };
      found.set(name, one);
      one.readings++;
      one.fromMs = Math.min(one.fromMs, atMs);
      one.toMs = Math.max(one.toMs, atMs);
    }
  }
  return [...found.values()];
}

/**
 * Yields the readings of one entity. Each state in a History download becomes a register reading, each value in an Energy download an
 * interval.
 */
export async function* readCsvElements(
  file: string,
  { entity, unit, channel }: { entity: string; unit: ImportUnit; channel: string },
  counts: ImportCounts,
  onBytes: (bytes: number) => void,
): AsyncGenerator<ImportedReadingElement> {
  let form: ReturnType<typeof kindOf> | undefined;
  for await (const row of readCsvRows(file, onBytes)) {
    if (!form) {
      form = kindOf(file, row);
      if (form.kind === 'history')
        addImportNote(counts, `States of ${entity} were taken for its register, in ${unit}.`);
      continue;
    }
    counts.rows++;
    if (row[0] !== entity) counts.skipped++;
    else if (form.kind === 'history') yield* stateOf(row, { unit, channel }, counts);
    else yield* energiesOf(row, form, { unit, channel }, counts);
  }
}

interface Into {
  unit: ImportUnit;
  channel: string;
}

function* stateOf(
  [, state = '', time = '']: string[],
  { unit, channel }: Into,
  counts: ImportCounts,
): Generator<ImportedReadingElement> {
  if (SILENT.has(state)) {
    counts.empty++;
    return;
  }
  const atMs = parseReadingTime(time);
  const value = Number(state);
  if (atMs === null) countUnreadableValue(counts, 'last_changed', time, 'time');
  else if (!Number.isFinite(value)) countUnreadableValue(counts, 'state', state, 'number');
  else yield { ts: new Date(atMs).toISOString(), channel, energy_total_kwh: convertToKwh(value, unit) };
}

function* energiesOf(
  row: string[],
  { startsMs, periodMs }: ReturnType<typeof kindOf>,
  { unit, channel }: Into,
  counts: ImportCounts,
): Generator<ImportedReadingElement> {
  for (const [index, startMs] of startsMs.entries()) {
    const text = row[index + 3] ?? '';
    const value = Number(text);
    if (text === '') counts.empty++;
    else if (!Number.isFinite(value) || value < 0) countUnreadableRow(counts, `row ${counts.rows}: ${text}`);
    else
      yield {
        ts: new Date(startMs + periodMs).toISOString(),
        channel,
        energy_kwh: convertToKwh(value, unit),
        interval_s: periodMs / 1_000,
      };
  }
}
