import { sql } from 'kysely';
import { castToMilliwattHours, milliwattHoursToKwh } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { PLACEMENTS, type Placement } from '#src/database/enums.ts';
import { getEstimatedExportKey, hasUnknownChannelNameSql } from '#src/database/meter.ts';
import { loadUsageSummary } from './insights.ts';
import type { DayRange } from './ranges.ts';
import { readDeviceEnergies } from './usage/totals.ts';

/** A device that reports electricity, or may do so, with its energy in a range. */
export interface ElectricityDevice {
  device_id: string;
  type: string;
  location: string;
  placement: Placement;
  /** The consumption meter that also measures this device. */
  upstream_device_id: string | null;
  is_gone: boolean;
  /** Null if unknown. */
  import_kwh: number | null;
  export_kwh: number | null;
  /** Part of the energy that was spread over a time without readings. */
  estimated_kwh: number;
}

/** What a device contributes to the usage of its home. */
interface FigureDevice extends Omit<ElectricityDevice, 'upstream_device_id' | 'is_gone'> {
  /** Numbers of readings that were excluded or treated specially, by verdict. */
  notes: { note: Note; count: number }[];
  /** Reasons of the latest rejected messages, with the number of messages per reason. */
  rejected: { reason: string; count: number }[];
}

/** Usage of a home over some days, with what each device contributes. */
interface UsageBreakdown {
  kwh_used: number;
  estimated_kwh: number;
  coverage: number | null;
  complete: boolean | null;
  devices: FigureDevice[];
}

/** Maximum numbers per device of rejected messages and of reasons. */
const MAX_REJECTED = 1_000;
const MAX_REASONS = 3;

/** Verdicts that are shown to the owner. Any other verdict becomes final with the next reading. */
export const VERDICTS_FOR_OWNER = ['held', 'glitch', 'late', 'back', 'reset', 'rollover', 'swap', 'overlap'] as const;
type Note = (typeof VERDICTS_FOR_OWNER)[number];

const ASKED = new Set(['estimated', 'coverage'] as const);

/** SQL condition: the device reports electricity, or may do so. A gas meter, for example, does not. */
const REPORTS_ELECTRICITY_SQL = sql<boolean>`(NOT EXISTS (SELECT FROM series s WHERE s.device_id = devices.device_id)
  OR EXISTS (SELECT FROM series s WHERE s.device_id = devices.device_id
    AND (s.counts_import OR s.counts_export OR ${hasUnknownChannelNameSql})))`;

/** Returns the devices of a user that report electricity, or may do so, with their energy in a range. */
export async function loadElectricityDevices(
  db: Database,
  userId: string,
  range: DayRange,
): Promise<ElectricityDevice[]> {
  const devices = await db
    .selectFrom('devices')
    .select(['device_id', 'type', 'location', 'placement', 'upstream_device_id', 'deleted_at'])
    .where('user_id', '=', userId)
    .where((where) => where.or([where('deleted_at', 'is', null), where('deleted_at', '>', range.from)]))
    .where(REPORTS_ELECTRICITY_SQL)
    .orderBy('device_id')
    .execute();
  const ids = devices.map(({ device_id }) => device_id);
  const energies = await readDeviceEnergies(db, ids, range);
  return devices.map(({ deleted_at, ...device }) => {
    const energy = energies.get(device.device_id);
    const outwards = energies.get(getEstimatedExportKey(device.device_id));
    const known = (ms = 0, value = 0) => (ms > 0 ? kwhOf(value) : null);
    return {
      ...device,
      is_gone: deleted_at !== null,
      import_kwh: known(energy?.importMs, energy?.imported),
      export_kwh: known(energy?.exportMs, energy?.exported),
      estimated_kwh: kwhOf((energy?.estimated ?? 0) + (outwards?.imported ?? 0)),
    };
  });
}

export async function loadUsageBreakdown(db: Database, userId: string, range: DayRange): Promise<UsageBreakdown> {
  const devices = await loadElectricityDevices(db, userId, range);
  const ids = devices.map(({ device_id }) => device_id);
  const [used, notes, rejected] = await Promise.all([
    loadUsageSummary(db, userId, range, ASKED),
    notesOf(db, ids, range),
    rejectedOf(db, ids, range),
  ]);
  const { estimated_kwh, coverage, complete } = used.included;
  return {
    kwh_used: used.total_kwh,
    estimated_kwh: estimated_kwh ?? 0,
    coverage: coverage ?? null,
    complete: complete ?? null,
    devices: devices.map(({ upstream_device_id: _upstream, is_gone: _gone, ...device }) => ({
      ...device,
      notes: notes.filter((one) => one.device_id === device.device_id).map(({ device_id: _, ...note }) => note),
      rejected: rejected.filter((one) => one.device_id === device.device_id).map(({ device_id: _, ...why }) => why),
    })),
  };
}

const kwhOf = (milliwattHours: number): number => milliwattHoursToKwh(castToMilliwattHours(milliwattHours));

async function notesOf(db: Database, ids: readonly string[], { from, to }: DayRange) {
  const rows = await db
    .selectFrom('reading_notes as n')
    .innerJoin('series_roles as s', (join) =>
      join
        .onRef('s.series_id', '=', 'n.series_id')
        .onRef('s.counts_from', '<', 'n.read_at')
        .onRef('s.counts_until', '>=', 'n.read_at'),
    )
    .select(['s.device_id', 'n.verdict as note', sql<number>`count(*)::int`.as('count')])
    .where('s.device_id', '=', sql<string>`ANY (${ids}::text[])`)
    .where('n.read_at', '>=', from)
    .where('n.read_at', '<', to)
    .where('n.verdict', 'in', VERDICTS_FOR_OWNER)
    .where(({ or, eb }) => or([eb('s.meter', 'is', null), eb('s.meter', 'in', PLACEMENTS)]))
    .groupBy(['s.device_id', 'n.verdict'])
    .orderBy('n.verdict')
    .execute();
  return rows as { device_id: string; note: Note; count: number }[];
}

async function rejectedOf(db: Database, ids: readonly string[], { from, to }: DayRange) {
  // Raw SQL: reads only the latest messages of each device, so that a device with many invalid messages takes no longer than others.
  const { rows } = await sql<{ device_id: string; reason: string; count: number }>`
    SELECT r.* FROM unnest(${ids}::text[]) d (id) CROSS JOIN LATERAL (
      SELECT device_id, reason, count(*)::int AS count FROM (
        SELECT device_id, reason FROM rejected_messages
        WHERE device_id = d.id AND received_at >= ${from} AND received_at < ${to} ORDER BY received_at DESC LIMIT ${MAX_REJECTED}) youngest
      GROUP BY 1, 2 ORDER BY 3 DESC, 2 LIMIT ${MAX_REASONS}) r`.execute(db);
  return rows;
}
