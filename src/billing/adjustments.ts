import { sql } from 'kysely';
import { asMilliwattHours, exactKwh, type MilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { nativeNameOf } from '#src/devices/channel-name.ts';
import type { Billed } from './billed-energy.ts';

/** Energies that a bill adds up, mWh. */
export interface Energies {
  imported: MilliwattHours;
  exported: MilliwattHours;
}

/** A period of a home or device, as far as adjustments depend on it. */
export interface Period {
  id: string;
  startsAtMs: number;
  isClosed: boolean;
}

export const NOTHING: Energies = { imported: asMilliwattHours(0), exported: asMilliwattHours(0) };

export const plus = (a: Energies, b: Energies): Energies => ({
  imported: asMilliwattHours(a.imported + b.imported),
  exported: asMilliwattHours(a.exported + b.exported),
});

export const minus = (a: Energies, b: Energies): Energies => ({
  imported: asMilliwattHours(a.imported - b.imported),
  exported: asMilliwattHours(a.exported - b.exported),
});

export const isNothing = ({ imported, exported }: Energies): boolean => imported === 0 && exported === 0;

/**
 * The period that tells what changes of a closed one: of those that are open the first that begins after it; null: there is none yet.
 * Pure.
 */
export function nextOpen(periods: readonly Period[], closed: Period): Period | null {
  const open = periods.filter(({ isClosed, startsAtMs }) => !isClosed && startsAtMs > closed.startsAtMs);
  return open.reduce<Period | null>((first, one) => (first && first.startsAtMs <= one.startsAtMs ? first : one), null);
}

/**
 * The closed periods whose corrections are a matter of one: of a closed one its own, of an open one those that it tells. Each costs a look at all
 * of its quarter-hours, and there are more of them each month. Pure.
 */
export function concernedBy(periods: readonly Period[], one: Period): Period[] {
  if (one.isClosed) return [one];
  return periods.filter((period) => period.isClosed && nextOpen(periods, period)?.id === one.id);
}

/** An edit by hand that was in force when a statement was recorded. */
export type ToldEdit = {
  edit_id: string;
  device_id: string;
  action: 'exclude' | 'add';
  /** Null: every quantity of the device. */
  native_name: string | null;
  start: string;
  end: string | null;
  kwh: string | null;
  reason: string;
  /**
   * What its author is, in place of an id: a statement never changes, and an account can be erased. `GET /v1/devices/{device_id}/edits` has the id.
   * Null: the account was erased.
   */
  author: 'homeowner' | 'utility' | 'admin' | null;
};

/** Most of them that a statement names: those of a device that may be in force. */
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
  author: ToldEdit['author'];
}

/** The edits in force that are about a time of a bill's device, or of any device of its home, in the order in which they were made. */
export async function editsIn(
  db: Database,
  { userId, deviceId }: Billed,
  { from, to }: { from: Date; to: Date },
): Promise<ToldEdit[]> {
  // Raw SQL: comparisons with null.
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
    native_name: channel === null || kind === null ? null : nativeNameOf({ channel, kind, nativeName }),
    start: row.from_at.toISOString(),
    end: value === null ? row.to_at.toISOString() : null,
    kwh: value === null ? null : exactKwh(asMilliwattHours(value)),
    reason: row.reason,
    author: row.author,
  }));
}
