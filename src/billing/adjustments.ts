import { sql } from 'kysely';
import { castToMilliwattHours, formatExactKwh, type MilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { getNativeQuantityName } from '#src/devices/channel-name.ts';
import type { BilledHomeOrDevice } from './billed-energy.ts';

export interface BilledEnergyByDirection {
  imported: MilliwattHours;
  exported: MilliwattHours;
}

/** Fields of a bill period that decide which corrections it includes. */
export interface AdjustableBillPeriod {
  id: string;
  startsAtMs: number;
  isClosed: boolean;
}

export const ZERO_ENERGIES: BilledEnergyByDirection = {
  imported: castToMilliwattHours(0),
  exported: castToMilliwattHours(0),
};

export const addEnergies = (a: BilledEnergyByDirection, b: BilledEnergyByDirection): BilledEnergyByDirection => ({
  imported: castToMilliwattHours(a.imported + b.imported),
  exported: castToMilliwattHours(a.exported + b.exported),
});

export const subtractEnergies = (a: BilledEnergyByDirection, b: BilledEnergyByDirection): BilledEnergyByDirection => ({
  imported: castToMilliwattHours(a.imported - b.imported),
  exported: castToMilliwattHours(a.exported - b.exported),
});

export const areEnergiesZero = ({ imported, exported }: BilledEnergyByDirection): boolean =>
  imported === 0 && exported === 0;

/**
 * Returns the period in which later corrections of a closed period will be billed: the first open period that begins after the closed one.
 * Null if there is none yet.
 */
export function findNextOpenBillPeriod(
  periods: readonly AdjustableBillPeriod[],
  closed: AdjustableBillPeriod,
): AdjustableBillPeriod | null {
  const open = periods.filter(({ isClosed, startsAtMs }) => !isClosed && startsAtMs > closed.startsAtMs);
  return open.reduce<AdjustableBillPeriod | null>(
    (first, one) => (first && first.startsAtMs <= one.startsAtMs ? first : one),
    null,
  );
}

/**
 * Returns the closed periods whose corrections concern a period. For a closed period, this is the period itself; for an open period, these
 * are the closed periods whose corrections it will include.
 */
export function listBillPeriodsToCorrect(
  periods: readonly AdjustableBillPeriod[],
  one: AdjustableBillPeriod,
): AdjustableBillPeriod[] {
  if (one.isClosed) return [one];
  return periods.filter((period) => period.isClosed && findNextOpenBillPeriod(periods, period)?.id === one.id);
}

/** An edit of readings that was in force when a bill statement was recorded. */
export type StatementEdit = {
  edit_id: string;
  device_id: string;
  action: 'exclude' | 'add';
  native_name: string | null;
  start: string;
  end: string | null;
  kwh: string | null;
  reason: string;
  /**
   * Role of the person who made the edit. The person is not named, because a bill statement never changes, whereas an account can be
   * erased. Null if the account was erased.
   */
  author: 'homeowner' | 'utility' | 'admin' | null;
};

const MAX_TOLD = 1_000;

interface Row {
  edit_id: string;
  device_id: string;
  channel: string | null;
  kind: string | null;
  native_name: string | null;
  from_at: Date;
  to_at: Date;
  value: MilliwattHours | null;
  reason: string;
  author: StatementEdit['author'];
}

/** Returns the edits of a range, in order of creation: of the billed device, or of all devices of the billed home. */
export async function listEditsInForce(
  db: Database,
  { userId, deviceId }: BilledHomeOrDevice,
  { from, to }: { from: Date; to: Date },
): Promise<StatementEdit[]> {
  // Raw SQL: a condition applies only if its parameter (`deviceId`) is not null.
  const { rows } = await sql<Row>`
    SELECT e.edit_id, e.device_id, e.channel, e.kind, s.native_name, e.from_at, e.to_at, CASE WHEN e.instants IS NULL THEN e.value END AS value, e.reason, author.role AS author
    FROM reading_edits e JOIN devices d USING (device_id) LEFT JOIN users author ON author.user_id = e.author
    LEFT JOIN series s ON s.device_id = e.device_id AND s.channel = e.channel AND s.kind = e.kind
    WHERE d.user_id = ${userId} AND (${deviceId}::text IS NULL OR d.device_id = ${deviceId})
      AND e.revoked_at IS NULL AND e.from_at < ${to} AND e.to_at > ${from}
    ORDER BY e.edit_id LIMIT ${MAX_TOLD}`.execute(db);
  return rows.map(({ channel, kind, native_name: nativeName, value, ...row }) => ({
    edit_id: row.edit_id,
    device_id: row.device_id,
    action: value === null ? 'exclude' : 'add',
    native_name: channel === null || kind === null ? null : getNativeQuantityName({ channel, kind, nativeName }),
    start: row.from_at.toISOString(),
    end: value === null ? row.to_at.toISOString() : null,
    kwh: value === null ? null : formatExactKwh(castToMilliwattHours(value)),
    reason: row.reason,
    author: row.author,
  }));
}
