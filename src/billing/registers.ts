import { castToMilliwattHours, kwhToMilliwattHours, type MilliwattHours } from '#src/core/units.ts';
import { createQueryFunction, type Database } from '#src/database/connect.ts';
import type { AggregatedQuantity } from '#src/database/meter.ts';
import { getNativeQuantityName } from '#src/devices/channel-name.ts';
import { MANUAL_READING_INTERVAL_MARKER } from '#src/devices/edits/edit.ts';
import { loadHome } from '#src/energy/home/home.ts';
import {
  type BilledHomeOrDevice,
  computeRegisterEnergyBetween,
  computeRegisterReading,
  type RegisterDiscontinuity,
  type RegisterReading,
  type RegisterReadingVerdict,
  type RegisterStateAtTime,
} from './billed-energy.ts';

/** Values of a register at both ends of a bill period, and its energy in between. */
export interface RegisterInBillPeriod {
  deviceId: string;
  channel: string;
  nativeName: string;
  direction: 'import' | 'export';
  /** Null if unknown. */
  atStart: RegisterReading | null;
  atEnd: RegisterReading | null;
  energy: MilliwattHours | null;
}

/** A register, and a time range (Unix ms) in which its energy is counted. */
interface Series {
  series_id: number;
  fromMs: number;
  untilMs: number;
  device_id: string;
  channel: string;
  kind: string;
  native_name: string | null;
  counts_export: boolean;
  meter: string | null;
  is_cut: boolean;
  register_max_kwh: number | null;
}

/** Returns the registers that a bill shows. Empty if all energy was measured as intervals or power. */
export async function loadBilledRegisters(
  db: Database,
  billed: BilledHomeOrDevice,
  { from, to }: { from: Date; to: Date },
): Promise<RegisterInBillPeriod[]> {
  const series = await seriesOf(db, billed, { from, to });
  if (series.length === 0) return [];
  const standings = await standingsAt(
    db,
    series.flatMap(({ series_id: id, fromMs, untilMs }) => [
      { id, atMs: Math.max(from.getTime(), fromMs) },
      { id, atMs: Math.min(to.getTime(), untilMs) },
    ]),
  );
  const ends = series.map((one, index) => {
    const [start, end] = standings.slice(2 * index, 2 * index + 2).map((ends) => within(ends, one, from));
    // If a register begins to count within the period, its energy since its first reading is included.
    const since = start?.registerState ?? (one.is_cut || !start?.next ? null : firstOf(start.next, from));
    return { one, start: start?.registerState ?? null, since, end: end?.registerState ?? null };
  });
  const spans = ends.flatMap(({ one, since, end }) =>
    since && end && end.lastMs > since.lastMs ? [{ id: one.series_id, fromMs: since.lastMs, toMs: end.lastMs }] : [],
  );
  const breaks = await breaksIn(db, spans);
  return ends.flatMap(({ one, start, since, end }) => {
    if (!end) return [];
    const maximum = kwhToMilliwattHours(one.register_max_kwh ?? 0);
    const energy = since && computeRegisterEnergyBetween(since, end, breaks.get(one.series_id) ?? [], maximum);
    return [
      {
        deviceId: one.device_id,
        channel: one.channel,
        nativeName: getNativeQuantityName({ channel: one.channel, kind: one.kind, nativeName: one.native_name }),
        direction: one.counts_export ? ('export' as const) : ('import' as const),
        atStart: start && computeRegisterReading(start),
        atEnd: computeRegisterReading(end),
        energy,
      },
    ];
  });
}

/** Limits the state of a register to the time in which its energy is counted. */
function within({ registerState, next }: Ends, { fromMs, untilMs }: Series, from: Date): Ends {
  const counted = next && next.ms <= untilMs ? next : null;
  if (!registerState) return { registerState, next: counted };
  const atMs = registerState.atMs === fromMs ? Math.max(from.getTime(), registerState.lastMs) : registerState.atMs;
  return { registerState: { ...registerState, atMs, next: counted }, next: counted };
}

/** Returns the state of a register at its first reading or at the start of the bill period (`from`), whichever is later. */
const firstOf = ({ ms, value }: { ms: number; value: MilliwattHours }, from: Date): RegisterStateAtTime => ({
  atMs: Math.max(ms, from.getTime()),
  lastMs: ms,
  isByHand: false,
  value,
  next: null,
});

/** Returns the registers whose energy is counted for at least a part of the range. */
async function seriesOf(
  db: Database,
  { userId, deviceId }: BilledHomeOrDevice,
  range: { from: Date; to: Date },
): Promise<Series[]> {
  const meters = deviceId === null ? await connectionOf(db, userId, range) : [{ deviceId, meter: 'any' as const }];
  // Raw SQL: lists of ids are passed as parameters.
  const { rows } = await createQueryFunction(db)<
    Omit<Series, 'fromMs' | 'untilMs'> & { counts_from: Bound; counts_until: Bound }
  >(
    `SELECT s.series_id, s.device_id, s.channel, s.kind, i.native_name, s.counts_from, s.counts_until, s.counts_export, s.meter, i.closed_until IS NOT NULL AS is_cut,
       d.register_max_kwh
     FROM series_roles s JOIN series i USING (series_id) JOIN devices d ON d.device_id = s.device_id
     WHERE s.device_id = ANY ($1) AND s.kind = 'register' AND (s.counts_import OR s.counts_export) AND s.counts_from < $3 AND s.counts_until > $2
     ORDER BY s.device_id, s.channel, s.counts_from`,
    [[...new Set(meters.map((one) => one.deviceId))], range.from, range.to],
  );
  return rows
    .filter(({ device_id, meter }) =>
      meters.some((one) => one.deviceId === device_id && (one.meter === 'any' || one.meter === meter)),
    )
    .map(({ counts_from, counts_until, ...one }) => ({
      ...one,
      fromMs: Number(counts_from),
      untilMs: Number(counts_until),
    }));
}

/** The driver returns infinite times as numbers. */
type Bound = Date | number;

/** Returns the devices of a home's bill: its grid devices or, while it has none, its consumption devices (docs/cost.md, "Whose energy"). */
async function connectionOf(
  db: Database,
  userId: string,
  { from, to }: { from: Date; to: Date },
): Promise<{ deviceId: string; meter: AggregatedQuantity | null }[]> {
  const { devices, stretches } = await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true });
  const within = stretches.filter(({ fromMs, toMs }) => fromMs < to.getTime() && toMs > from.getTime());
  return devices.flatMap(({ deviceId, partOf, placement }) => {
    const isOnBill = within.some(
      ({ roles, isGridThere }) => roles.get(deviceId) === (isGridThere ? 'grid' : 'consumption'),
    );
    return isOnBill ? [{ deviceId: partOf ?? deviceId, meter: partOf === null ? null : placement }] : [];
  });
}

/** Returns SQL for the readings of a series `s` that meet a condition, including old readings in `closed_readings`. */
const readWhere = (bounds: string) => `(
    SELECT series_id, read_at, interval_ms, value FROM readings r WHERE series_id = s.series_id AND ${bounds}
    UNION ALL SELECT series_id, read_at, interval_ms, value FROM closed_readings r WHERE series_id = s.series_id AND ${bounds}) r
  LEFT JOIN reading_notes n USING (series_id, read_at, interval_ms)`;
/** SQL condition: the reading is valid. A reading without a final verdict is not valid. */
const COUNTS = `(n.verdict IS NULL OR n.verdict NOT IN ('glitch', 'held', 'passed', 'excluded')) AND (h.held_at IS NULL OR r.read_at < h.held_at)`;
const NO_JITTER = `n.verdict IS DISTINCT FROM 'jitter'`;
const HELD = `LEFT JOIN LATERAL (SELECT min(read_at) AS held_at FROM reading_notes WHERE series_id = s.series_id AND verdict = 'held') h ON true`;

/** Time windows in which the nearest reading is searched, shortest first: a whole series may have millions of readings. */
const WINDOWS = `(VALUES ('2 hours'::interval), ('2 days'), ('10 days'), ('60 days'), (NULL)) w (length)`;

/** Returns lateral joins for the last valid reading up to a time, and for the first valid reading after this time. */
const lastUpTo = (at: string, compare: '<=' | '<', more = 'true') => `LATERAL (
  SELECT f.* FROM ${WINDOWS} CROSS JOIN LATERAL (SELECT r.read_at, r.value, r.interval_ms = ${MANUAL_READING_INTERVAL_MARKER} AS by_hand
    FROM ${readWhere(`r.read_at ${compare} ${at} AND r.read_at >= coalesce(${at} - w.length, '-infinity')`)}
    WHERE ${COUNTS} AND ${more} ORDER BY r.read_at DESC LIMIT 1) f LIMIT 1)`;
const firstAfter = (at: string) => `LATERAL (
  SELECT f.* FROM ${WINDOWS} CROSS JOIN LATERAL (SELECT r.read_at, r.value, n.verdict
    FROM ${readWhere(`r.read_at > ${at} AND r.read_at <= coalesce(${at} + w.length, 'infinity')`)}
    WHERE ${COUNTS} ORDER BY r.read_at LIMIT 1) f LIMIT 1)`;

interface Ends {
  registerState: RegisterStateAtTime | null;
  next: RegisterStateAtTime['next'];
}

async function standingsAt(db: Database, asked: readonly { id: number; atMs: number }[]): Promise<Ends[]> {
  // Raw SQL: uses an index for each time and series.
  const { rows } = await createQueryFunction(db)<{
    at: Date;
    last_at: Date | null;
    value: number | null;
    by_hand: boolean | null;
    next_at: Date | null;
    next_value: number | null;
    next_verdict: string | null;
  }>(
    `SELECT t.at, l.read_at AS last_at, l.by_hand, v.value, x.read_at AS next_at, x.value AS next_value, x.verdict AS next_verdict
     FROM unnest($1::bigint[], $2::timestamptz[]) WITH ORDINALITY t (series_id, at, place) CROSS JOIN LATERAL (SELECT t.series_id) s
     ${HELD}
     LEFT JOIN ${lastUpTo('t.at', '<=')} l ON true
     LEFT JOIN ${lastUpTo('t.at', '<=', NO_JITTER)} v ON true
     LEFT JOIN ${firstAfter('t.at')} x ON true ORDER BY t.place`,
    [asked.map(({ id }) => id), asked.map(({ atMs }) => new Date(atMs))],
  );
  return rows.map((row) => {
    const next =
      row.next_at && row.next_value !== null
        ? { ms: row.next_at.getTime(), value: castToMilliwattHours(row.next_value), step: stepOf(row.next_verdict) }
        : null;
    const registerState =
      row.last_at && row.value !== null
        ? {
            atMs: row.at.getTime(),
            lastMs: row.last_at.getTime(),
            isByHand: row.by_hand === true,
            value: castToMilliwattHours(row.value),
            next,
          }
        : null;
    return { registerState, next };
  });
}

const STEPS: ReadonlySet<string> = new Set(['jitter', 'reset', 'rollover', 'swap']);
const stepOf = (verdict: string | null): RegisterReadingVerdict =>
  verdict !== null && STEPS.has(verdict) ? (verdict as RegisterReadingVerdict) : null;

async function breaksIn(
  db: Database,
  spans: readonly { id: number; fromMs: number; toMs: number }[],
): Promise<Map<number, RegisterDiscontinuity[]>> {
  if (spans.length === 0) return new Map();
  const { rows } = await createQueryFunction(db)<{
    series_id: number;
    verdict: string;
    value: number;
    before: number | null;
  }>(
    `SELECT s.series_id, b.verdict, c.value, p.value AS before
     FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) s (series_id, from_at, to_at)
     ${HELD}
     JOIN reading_notes b ON b.series_id = s.series_id AND b.verdict IN ('reset', 'rollover', 'swap') AND b.read_at > s.from_at AND b.read_at <= s.to_at
     CROSS JOIN LATERAL (SELECT value FROM readings r WHERE r.series_id = s.series_id AND r.read_at = b.read_at AND r.interval_ms = b.interval_ms
       UNION ALL SELECT value FROM closed_readings r WHERE r.series_id = s.series_id AND r.read_at = b.read_at AND r.interval_ms = b.interval_ms) c
     LEFT JOIN ${lastUpTo('b.read_at', '<', NO_JITTER)} p ON true`,
    [spans.map(({ id }) => id), spans.map(({ fromMs }) => new Date(fromMs)), spans.map(({ toMs }) => new Date(toMs))],
  );
  const found = new Map<number, RegisterDiscontinuity[]>();
  for (const { series_id, verdict, value, before } of rows) {
    if (before === null) continue;
    const one = { step: stepOf(verdict), before: castToMilliwattHours(before), value: castToMilliwattHours(value) };
    found.set(series_id, [...(found.get(series_id) ?? []), one]);
  }
  return found;
}
