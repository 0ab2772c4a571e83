import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { DateTime } from 'luxon';
import { parseDayNumber } from '#src/remarks/calendar.ts';
import type { DailyUsage } from '#src/remarks/daily-use.ts';

/** Readings of a register, as Unix ms and cumulative kWh, ordered by time. */
export type RegisterReadings = readonly (readonly [atMs: number, kwh: number])[];

/** A real home: its usage by local day, and its register readings if they are known. */
export interface MeasuredHome {
  name: string;
  zone: string;
  used: DailyUsage;
  registers: ReadonlyMap<string, RegisterReadings>;
}

const HOUR_MS = 3_600_000;
/** A day is usable if the gaps between its register readings are at most this long, in ms. */
const MAX_GAP_MS = 6 * HOUR_MS;
/** Maximum plausible usage of a home per hour, in kWh; a higher value is a jump of the register. */
const MAX_KWH_PER_HOUR = 40;

/**
 * Energy that is assumed to be used evenly over a span of time. `sign`: 1 if the energy is added to the home's usage, -1 if it is
 * subtracted.
 */
interface Piece {
  fromMs: number;
  toMs: number;
  kwh: number;
}

/** Reads the homes of a file, which may be gzipped. The column names determine the format. */
export function readHomes(file: string): MeasuredHome[] {
  const bytes = readFileSync(file);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString('utf8');
  const [header = '', ...lines] = text.trim().split(/\r?\n/);
  const columns = header.split(',');
  const rows = lines.map((line) => line.split(','));
  const at = (name: string) => columns.indexOf(name);
  const name = basename(file).replace(/\.csv(\.gz)?$/, '');
  if (at('date') >= 0) {
    const used = ofDays(rows.map((row) => [row[at('date')] ?? '', row[at('kwh')] ?? '']));
    return [{ name, zone: 'UTC', used, registers: new Map() }];
  }
  if (at('LCLid') >= 0) return halfHours(rows);
  const registers = new Map<string, [number, number][]>();
  const add = (register: string, ms: number, value: string | undefined, unit: number) => {
    if (value === undefined || value === '') return;
    const steps = registers.get(register) ?? [];
    registers.set(register, steps);
    steps.push([ms, Number(value) * unit]);
  };
  if (at('epoch_s') >= 0) {
    const [value, unit] = at('value_wh') >= 0 ? [at('value_wh'), 0.001] : [at('kwh'), 1];
    for (const row of rows) add(row[at('register')] ?? '', Number(row[at('epoch_s')]) * 1_000, row[value], unit);
  } else if (at('reading_at_utc') >= 0) {
    for (const row of rows) {
      if (row[0] === '') continue;
      for (const [place, column] of columns.entries())
        if (column.startsWith('DE_'))
          add(column.split('_').slice(3).join('_'), Date.parse(row[0] ?? ''), row[place], 1);
    }
  } else throw new Error(`${file}: none of its columns is known`);
  const zone = at('reading_at_utc') >= 0 ? 'Europe/Berlin' : 'Europe/Amsterdam';
  return [{ name, zone, used: ofRegisters(registers, zone), registers }];
}

/**
 * The columns of a file from which the used energy is computed, each with its sign: used = import − export + production. Each column is
 * optional.
 */
export const USAGE_COLUMN_FACTORS: readonly [RegExp, number][] = [
  [/^(import_t\d|grid_import)$/, 1],
  [/^(export_t\d|grid_export)$/, -1],
  [/^(solar|pv)$/, 1],
];

function ofRegisters(registers: ReadonlyMap<string, [number, number][]>, zone: string): DailyUsage {
  const days = new Map<number, number>();
  const unknown = new Set<number>();
  const spans: [number, number][] = [];
  const dayOf = dayIn(zone);
  for (const [name, readings] of registers) {
    const sign = USAGE_COLUMN_FACTORS.find(([pattern]) => pattern.test(name))?.[1];
    if (sign === undefined) continue;
    const sorted = readings.toSorted(([a], [b]) => a - b);
    // The home's usage is unknown until all of its meters have readings.
    spans.push([sorted[0]?.[0] ?? 0, sorted.at(-1)?.[0] ?? 0]);
    for (const [index, [toMs, value]] of sorted.entries()) {
      const [fromMs, before] = sorted[index - 1] ?? [toMs, value];
      if (toMs <= fromMs) continue;
      const step = value - before;
      const hours = (toMs - fromMs) / HOUR_MS;
      const isOdd = step > MAX_KWH_PER_HOUR * Math.max(1, hours);
      const piece = { fromMs, toMs, kwh: isOdd || step < 0 ? 0 : sign * step };
      if (isOdd || (toMs - fromMs > MAX_GAP_MS && step > 0.5))
        for (let day = dayOf(fromMs); day <= dayOf(toMs - 1); day++) unknown.add(day);
      spreadOver(days, piece, dayOf);
    }
  }
  const first = dayOf(Math.max(...spans.map(([start]) => start))) + 1;
  const end = dayOf(Math.min(...spans.map(([, last]) => last)));
  return {
    firstDay: first,
    kwh: Array.from({ length: end - first }, (_, at) =>
      unknown.has(first + at) ? null : (days.get(first + at) ?? null),
    ),
  };
}

/** Distributes the energy between two readings evenly over the days between them, one hour at a time. */
function spreadOver(days: Map<number, number>, { fromMs, toMs, kwh }: Piece, dayOf: (ms: number) => number): void {
  for (let ms = fromMs; ms < toMs; ) {
    const next = Math.min(toMs, Math.floor(ms / HOUR_MS) * HOUR_MS + HOUR_MS);
    const day = dayOf(ms);
    days.set(day, (days.get(day) ?? 0) + (kwh * (next - ms)) / (toMs - fromMs));
    ms = next;
  }
}

/** Parses half-hourly values of several homes in one file (the data set Low Carbon London), whose times are in UTC. */
function halfHours(rows: readonly string[][]): MeasuredHome[] {
  const dayOf = dayIn('Europe/London');
  return [...Map.groupBy(rows, ([id]) => id ?? '')].map(([id, own]) => {
    const days = new Map<number, { kwh: number; count: number }>();
    const register: [number, number][] = [];
    for (const [, stamp = '', kwh = ''] of own) {
      const atMs = Date.parse(`${stamp.slice(0, 10)}T${stamp.slice(11, 19)}Z`);
      const day = dayOf(atMs);
      register.push([atMs + HOUR_MS / 2, (register.at(-1)?.[1] ?? 0) + Number(kwh)]);
      const known = days.get(day) ?? { kwh: 0, count: 0 };
      days.set(day, { kwh: known.kwh + Number(kwh), count: known.count + 1 });
    }
    const first = Math.min(...days.keys());
    const kwhOf = (day: number) => {
      const one = days.get(day);
      return one && one.count >= 46 ? one.kwh : null;
    };
    const count = Math.max(...days.keys()) - first;
    return {
      name: `lcl ${id}`,
      zone: 'Europe/London',
      registers: new Map([['import_t1', register]]),
      used: { firstDay: first, kwh: Array.from({ length: count }, (_, at) => kwhOf(first + at)) },
    };
  });
}

function ofDays(rows: readonly (readonly [string, string])[]): DailyUsage {
  const days = new Map(rows.map(([date, kwh]) => [parseDayNumber(date), kwh === '' ? null : Number(kwh)]));
  const first = Math.min(...days.keys());
  const count = Math.max(...days.keys()) - first + 1;
  return { firstDay: first, kwh: Array.from({ length: count }, (_, at) => days.get(first + at) ?? null) };
}

/**
 * Returns a function that returns the number of the local day that contains a time. The function determines the local date once per hour of
 * data.
 */
function dayIn(zone: string): (ms: number) => number {
  const known = new Map<number, number>();
  return (ms) => {
    const hour = Math.floor(ms / HOUR_MS);
    const day = known.get(hour) ?? parseDayNumber(DateTime.fromMillis(hour * HOUR_MS, { zone }).toISODate() ?? '');
    known.set(hour, day);
    return day;
  };
}
