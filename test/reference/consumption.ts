import type { DecodedReading } from '#ingest/decoders/decoder.ts';
import { applyEdits, createRepeatedTimeCalculator, type ReferenceEdit } from './edits.ts';
import { computeRegisterIncrements, type RegisterIncrement } from './registers.ts';
import { applyTariffRule } from './tariffs.ts';

/** Settings of a device that affect its energy, as in the table `devices`. */
interface ReferenceSettings {
  limitKw: number;
  registerMaxKwh: number | null;
  maxGapMinutes: number;
}

export interface AggregateRow {
  energy: bigint;
  estimated: bigint;
  exported: bigint;
  readings: bigint;
  covered: bigint;
  exportCovered: bigint;
}

interface Within {
  from: bigint;
  to: bigint;
}

/**
 * Imported and exported energy of a step (from one reading to the next). The import is spread evenly over the whole step or, if set, over
 * its part `importWithin`; the export likewise over `exportWithin`.
 */
type Flowed = RegisterIncrement & { exported: bigint; importWithin?: Within; exportWithin?: Within };
type Flow = Flowed & { countsImport: boolean; countsExport: boolean };

const RANKS = ['register total', 'register tariff', 'register phase', 'interval total', 'interval tariff'];
const ORDER = [
  ...RANKS,
  'interval phase',
  'power total',
  'power tariff',
  'power phase',
  'negative total',
  'negative tariff',
  'negative phase',
];

function describe(channel: string) {
  const all = channel.split('/');
  const known = !all.includes('unknown');
  const words = known ? all : all.slice(0, all.indexOf('unknown'));
  const direction = words.includes('export') ? 'export' : 'import';
  const part = words.some((w) => /^t\d+$/.test(w)) ? 'tariff' : words.some((w) => /^l\d+$/.test(w)) ? 'phase' : 'total';
  const circuit = words.filter((w) => w !== 'import' && w !== 'export' && !/^[tl]\d+$/.test(w)).join('/');
  return { known, direction, part, circuit, electric: !words.some((w) => ['gas', 'heat', 'water'].includes(w)) };
}

/**
 * Returns the readings of one channel and kind in order of time. If several readings have the same time (and length of interval), only the
 * lowest of them is returned.
 */
export function orderDistinctReadings(readings: DecodedReading[]): DecodedReading[] {
  const sorted = [...readings].sort(
    (a, b) => a.readAtMs - b.readAtMs || a.intervalMs - b.intervalMs || a.value - b.value,
  );
  return sorted.filter(
    (r, i) => i === 0 || sorted[i - 1]?.readAtMs !== r.readAtMs || sorted[i - 1]?.intervalMs !== r.intervalMs,
  );
}

const isTariff = ({ kind, part }: { kind: string; part: string }) => kind === 'register' && part === 'tariff';

/** A series: the readings of one channel and kind. */
interface Series {
  kind: string;
  channel: string;
  direction: string;
  part: string;
  known: boolean;
  /** Readings in order of time, after the owner's edits. */
  readings: DecodedReading[];
  first: number;
  /** Time (Unix ms) of the first reading that is not 0. */
  firstNonzero: number;
}

/**
 * Returns a function that gets the end of an interval, and returns the series from which the interval's energy is computed. These are the
 * series with the highest precedence that begin before this end. A total register begins at its first reading above 0 if a register of a
 * tariff or phase was above 0 before. `circuit`: all series of a part of the home that is measured separately.
 */
function bestOf(direction: string, circuit: readonly Series[]): (end: number) => Series[] {
  const known = circuit.filter((s) => s.known);
  const offers = known.flatMap((s) => {
    const rank =
      s.direction === direction
        ? ORDER.indexOf(`${s.kind} ${s.part}`)
        : direction === 'export' && s.kind === 'power'
          ? ORDER.indexOf(`negative ${s.part}`)
          : -1;
    const parts = known.filter((p) => p.kind === 'register' && p.direction === direction && p.part !== 'total');
    const isLate = s.kind === 'register' && s.part === 'total' && parts.some((p) => p.firstNonzero < s.firstNonzero);
    const since = isLate ? s.firstNonzero : s.first;
    return rank === -1 || since === Infinity ? [] : [{ s, rank, since }];
  });
  const unknown = circuit.filter((s) => !s.known && s.kind === 'register').map((s) => s.first);
  const start = Math.min(...offers.map((o) => o.since));
  return (end) => {
    // The series that begins first also supplies the energy before its first reading.
    const isBefore = (since: number) => since < Math.max(end, start + 1);
    const valid = unknown.some(isBefore) ? offers.filter((o) => o.s.kind !== 'power') : offers;
    const best = Math.min(...valid.filter((o) => isBefore(o.since)).map((o) => o.rank));
    return valid.filter((o) => o.rank === best).map((o) => o.s);
  };
}

/** Returns all energy flows that result from the readings of a device. The readings may be in any order. */
function flows(all: DecodedReading[], settings: ReferenceSettings, edits: readonly ReferenceEdit[]): Flow[] {
  const series = [...new Set(all.map((r) => `${r.kind} ${r.channel}`))].map((name) => {
    const [kind = '', channel = ''] = name.split(' ');
    const sent = orderDistinctReadings(all.filter((r) => r.kind === kind && r.channel === channel));
    return {
      kind,
      channel,
      ...describe(channel),
      readings: applyEdits(sent, edits),
      first: sent[0]?.readAtMs ?? Infinity,
      firstNonzero: sent.find((r) => r.value !== 0)?.readAtMs ?? Infinity,
    };
  });
  const result: Flow[] = [];
  for (const circuit of new Set(series.map((s) => s.circuit))) {
    const here = series.filter(
      (s) => s.circuit === circuit && s.electric && ['register', 'interval', 'power'].includes(s.kind),
    );
    const [imports, exports] = [bestOf('import', here), bestOf('export', here)];
    const times = here.flatMap((s) => [s.first, s.firstNonzero]).filter((at) => at < Infinity);
    /**
     * Returns the steps of a series, up to the last time at which the series supplies energy. Each step states whether it counts as import
     * or export.
     */
    const countedOf = (s: Series) => {
      const counts = (end: number) => imports(end).includes(s) || exports(end).includes(s);
      const last = counts(Infinity) ? Infinity : Math.max(...times.filter(counts));
      return computeReferenceIncrements(
        { ...s, readings: s.readings.filter((r) => r.readAtMs <= last) },
        settings,
        createRepeatedTimeCalculator(edits, s),
      ).map((step) => ({
        ...step,
        countsImport: imports(Number(step.to)).includes(s),
        countsExport: exports(Number(step.to)).includes(s),
      }));
    };
    for (const s of here) {
      for (const { countsImport, countsExport, ...step } of countedOf(s)) {
        if (!countsImport && !countsExport) continue;
        // The rises of one tariff register show when the other tariffs were not active. They limit the time in which this step's energy can
        // lie.
        const others = isTariff(s)
          ? here.filter((o) => o !== s && isTariff(o) && o.direction === s.direction).flatMap(countedOf)
          : [];
        const counted = others.filter((other) => other.countsImport || other.countsExport);
        result.push({ ...applyTariffRule(step, counted), countsImport, countsExport });
      }
    }
  }
  return result;
}

/** Energy between the straight line through two power readings and the zero line. `above`: the line is above zero. */
interface Area extends Within {
  above: boolean;
  energy: bigint;
}

/** Returns the areas under the straight line between two power readings: two areas if the line crosses zero, otherwise one. */
function areas(a: { at: bigint; mw: bigint }, b: { at: bigint; mw: bigint }): Area[] {
  const time = b.at - a.at;
  const size = (mw: bigint) => (mw < 0n ? -mw : mw);
  const [left, right] = [size(a.mw), size(b.mw)];
  const rounded = (top: bigint, bottom: bigint) => (top + bottom / 2n) / bottom;
  if (a.mw * b.mw >= 0n) {
    const energy = rounded((left + right) * time, 7_200_000n);
    return [{ above: a.mw > 0n || b.mw > 0n, energy, from: a.at, to: b.at }];
  }
  const crossing = a.at + (left * time) / (left + right);
  const first = { above: a.mw > 0n, energy: rounded(left * left * time, 7_200_000n * (left + right)) };
  const second = { above: b.mw > 0n, energy: rounded(right * right * time, 7_200_000n * (left + right)) };
  return [
    { ...first, from: a.at, to: crossing > a.at ? crossing : b.at },
    { ...second, from: crossing, to: b.at },
  ];
}

/** Returns the steps of a series that contribute energy. `readings`: in order, one per time (`orderDistinctReadings`). */
export function computeReferenceIncrements(
  s: { kind: string; direction: string; readings: DecodedReading[] },
  settings: ReferenceSettings,
  more?: (from: bigint, to: bigint) => bigint,
): Flowed[] {
  const exporting = s.direction === 'export';
  const both = (steps: RegisterIncrement[]) =>
    steps.map((step) => ({ ...step, exported: exporting ? step.energy : 0n }));
  if (s.kind === 'register') {
    const readings = s.readings.map((r) => ({ at: BigInt(r.readAtMs), value: BigInt(r.value) }));
    return both(
      computeRegisterIncrements(readings, { limitKw: settings.limitKw, maximumKwh: settings.registerMaxKwh }, more),
    );
  }
  if (s.kind === 'interval') {
    const countedSteps: RegisterIncrement[] = [];
    for (const r of s.readings) {
      const [from, to] = [BigInt(r.readAtMs - r.intervalMs), BigInt(r.readAtMs)];
      if (countedSteps.every((k) => to <= k.from || k.to <= from))
        countedSteps.push({ from, to, energy: BigInt(r.value), estimated: false });
    }
    return both(countedSteps);
  }
  const result: Flowed[] = [];
  for (let i = 1; i < s.readings.length; i++) {
    const [a, b] = [s.readings[i - 1] as DecodedReading, s.readings[i] as DecodedReading];
    if (b.readAtMs - a.readAtMs > settings.maxGapMinutes * 60_000) continue;
    const [from, to] = [BigInt(a.readAtMs), BigInt(b.readAtMs)];
    const parts = areas({ at: from, mw: BigInt(a.value) }, { at: to, mw: BigInt(b.value) });
    const [up, down] = [parts.filter((part) => part.above), parts.filter((part) => !part.above)];
    const [imported, exported] = exporting ? [undefined, up[0]] : [up[0], down[0]];
    const within = (part: Area | undefined) => (part ? { from: part.from, to: part.to } : { from, to });
    result.push({
      from,
      to,
      estimated: false,
      energy: imported?.energy ?? 0n,
      exported: exported?.energy ?? 0n,
      importWithin: within(imported),
      exportWithin: within(exported),
    });
  }
  return result;
}

/** Returns the start of the bucket (hour, day, month …) that contains a time, both in Unix ms. */
export type BucketStartFunction = (at: bigint) => bigint;

export const getStartOfQuarterHour: BucketStartFunction = (at) => at - (at % 900_000n);
export const getStartOfHour: BucketStartFunction = (at) => at - (at % 3_600_000n);
export const getStartOfDay: BucketStartFunction = (at) => at - (at % 86_400_000n);
export const getStartOfMonth: BucketStartFunction = (at) => {
  const date = new Date(Number(at));
  return BigInt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1));
};

/** Returns a device's energy by bucket. It is computed from all readings of the device and from the edits in force. */
export function computeReferenceConsumption(
  all: DecodedReading[],
  settings: ReferenceSettings,
  bucket: BucketStartFunction,
  edits: readonly ReferenceEdit[] = [],
): Map<bigint, AggregateRow> {
  const rows = new Map<bigint, AggregateRow>();
  const rowAt = (at: bigint) => {
    const key = bucket(at);
    const row = rows.get(key) ?? {
      energy: 0n,
      estimated: 0n,
      exported: 0n,
      readings: 0n,
      covered: 0n,
      exportCovered: 0n,
    };
    rows.set(key, row);
    return row;
  };
  for (const flow of flows(all, settings, edits)) {
    const upTo = (energy: bigint, within: Within, at: bigint) => {
      if (at <= within.from) return 0n;
      return at >= within.to ? energy : (energy * (at - within.from)) / (within.to - within.from);
    };
    const { importWithin = flow, exportWithin = flow } = flow;
    for (let from = flow.from; from < flow.to; ) {
      const end = getStartOfQuarterHour(from) + 900_000n;
      const to = end < flow.to ? end : flow.to;
      const row = rowAt(from);
      const energy = upTo(flow.energy, importWithin, to) - upTo(flow.energy, importWithin, from);
      if (flow.countsImport) {
        row.energy += energy;
        row.covered += to - from;
        if (flow.estimated) row.estimated += energy;
      }
      if (flow.countsExport) {
        row.exported += upTo(flow.exported, exportWithin, to) - upTo(flow.exported, exportWithin, from);
        row.exportCovered += to - from;
      }
      from = to;
    }
    rowAt(flow.to - 1n).readings += 1n;
  }
  return rows;
}
