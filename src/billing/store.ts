import { sql } from 'kysely';
import { AppError } from '#src/core/errors.ts';
import { createId } from '#src/core/ids.ts';
import { formatExactKwh, type MilliwattHours } from '#src/core/units.ts';
import type { BoughtEnergySource } from '#src/cost/bought-energy.ts';
import { getAdvisoryLockId } from '#src/database/advisory-locks.ts';
import type { Database } from '#src/database/connect.ts';
import { type AccessibleAccounts, isAccountAccessibleSql } from '#src/database/reach.ts';
import { joinOrBeginTransaction } from '#src/database/transaction.ts';
import {
  areEnergiesZero,
  type BilledEnergyByDirection,
  findNextOpenBillPeriod,
  listBillPeriodsToCorrect,
  listEditsInForce,
  subtractEnergies,
} from './adjustments.ts';
import {
  type BilledEnergyOfRange,
  type BilledHomeOrDevice,
  loadBilledEnergySource,
  readBilledEnergyOfRange,
} from './billed-energy.ts';
import { loadBilledRegisters } from './registers.ts';
import {
  addAdjustments,
  type BillAdjustment,
  type BillStatement,
  type BillVersionCause,
  computeChecksum,
  createStatementAdjustment,
  createStatementEnergy,
  type StatementAdjustment,
  type StatementEnergy,
} from './statement.ts';

const MAX_PERIODS = 1_000;
const MAX_VERSIONS = 100;

export interface BillPeriod {
  bill_period_id: string;
  user_id: string;
  device_id: string | null;
  start: string;
  end: string;
  timezone: string;
  starts_at: Date;
  ends_at: Date;
  created_at: Date;
  closed_at: Date | null;
}

/** A stored version of a bill. The energy (mWh) excludes corrections of earlier periods. `sha256` is hexadecimal. */
export interface BillVersion {
  statement: BillStatement;
  sha256: string;
  imported: MilliwattHours;
  exported: MilliwattHours;
  estimated: MilliwattHours;
}

/**
 * A correction of a closed period. `billedIn`: the period with which it is billed; null if there is none yet. `isBilled`: whether that
 * period is closed.
 */
interface LaterCorrection extends BilledEnergyByDirection {
  billedIn: string | null;
  isBilled: boolean;
}

export interface BillDetails {
  period: BillPeriod;
  versions: BillVersion[];
  known: BilledEnergyOfRange;
  energy: StatementEnergy;
  /** Corrections of earlier periods that this period includes, or would include if it were closed now. */
  adjustments: StatementAdjustment[];
  corrections: LaterCorrection[];
}

const COLUMNS = sql<BillPeriod>`p.bill_period_id, p.user_id, p.device_id, p.first_day::text AS start, p.last_day::text AS "end", p.timezone,
  p.starts_at, p.ends_at, p.created_at, p.closed_at`;

const billedOf = ({ user_id, device_id }: BillPeriod): BilledHomeOrDevice => ({ userId: user_id, deviceId: device_id });
const rangeOf = ({ starts_at, ends_at }: BillPeriod) => ({ from: starts_at, to: ends_at });
const ordered = ({ bill_period_id, starts_at, closed_at }: BillPeriod) => ({
  id: bill_period_id,
  startsAtMs: starts_at.getTime(),
  isClosed: closed_at !== null,
});

/** Locks all bills of an account, because all of them determine which period includes a correction. */
const holdBills = (trx: Database, userId: string) =>
  sql`SELECT pg_advisory_xact_lock(${getAdvisoryLockId('bills of', userId)}::bigint)`.execute(trx);

/**
 * Creates a bill period of a device, or of a home if `deviceId` is null, and records its first version. The caller must have checked the
 * access rights. Error 409 if another period contains some of the days.
 */
export async function createBillPeriod(
  db: Database,
  { userId, deviceId }: BilledHomeOrDevice,
  days: { start: string; end: string; zone: string; from: Date; to: Date },
  now: Date,
): Promise<BillDetails> {
  return joinOrBeginTransaction(db, async (trx) => {
    await holdBills(trx, userId);
    // Raw SQL in this file: dates are read as text, and conditions compare with null.
    const { rows } = await sql<{ periods: number; taken: boolean; endBefore: Date | null; startAfter: Date | null }>`
      SELECT count(*)::int AS periods,
        coalesce(bool_or(is_same AND first_day <= ${days.end}::date AND last_day >= ${days.start}::date), false) AS taken,
        max(ends_at) FILTER (WHERE is_same AND last_day = ${days.start}::date - 1) AS "endBefore",
        min(starts_at) FILTER (WHERE is_same AND first_day = ${days.end}::date + 1) AS "startAfter"
      FROM (SELECT *, device_id IS NOT DISTINCT FROM ${deviceId} AS is_same FROM bill_periods WHERE user_id = ${userId}) p`.execute(
      trx,
    );
    const [found] = rows;
    // Adjacent periods share their boundary. The start of the day is not used there, because the account's time zone may have changed since
    // the adjacent period was created.
    const [from, to] = [found?.endBefore ?? days.from, found?.startAfter ?? days.to];
    if (found?.taken || from >= to) throw new AppError('billDaysTaken');
    if ((found?.periods ?? 0) >= MAX_PERIODS) throw new AppError('tooManyBills');
    const period: BillPeriod = {
      bill_period_id: createId('bil'),
      user_id: userId,
      device_id: deviceId,
      start: days.start,
      end: days.end,
      timezone: days.zone,
      starts_at: from,
      ends_at: to,
      created_at: now,
      closed_at: null,
    };
    const { start, end, ...columns } = period;
    await trx
      .insertInto('bill_periods')
      .values({ ...columns, first_day: start, last_day: end })
      .execute();
    await addVersion(trx, period, 'first', [], now);
    return detailsOf(trx, period);
  });
}

/** Returns at most `limit` bill periods of an account after `cursor`, each with its last version. */
export async function listBillPeriods(
  db: Database,
  reach: AccessibleAccounts,
  { userId, deviceId }: { userId: string; deviceId?: string | undefined },
  page: { limit: number; cursor?: string },
): Promise<{ period: BillPeriod; last: BillVersion }[]> {
  const { rows } = await sql<BillPeriod & BillVersion>`
    SELECT ${COLUMNS}, v.* FROM bill_periods p
    CROSS JOIN LATERAL (SELECT ${VERSION} FROM bill_versions v WHERE v.bill_period_id = p.bill_period_id ORDER BY version DESC LIMIT 1) v
    WHERE p.user_id = ${userId} AND ${isAccountAccessibleSql(reach, 'p.user_id')} AND p.bill_period_id > ${page.cursor ?? ''}
      AND (${deviceId ?? null}::text IS NULL OR p.device_id = ${deviceId ?? null})
    ORDER BY p.bill_period_id LIMIT ${page.limit}`.execute(db);
  return rows.map((row) => ({ period: row, last: row }));
}

/** Returns a bill period that the caller can access, with its current energy. Null if there is none. */
export async function findBillPeriod(db: Database, reach: AccessibleAccounts, id: string): Promise<BillDetails | null> {
  const period = await storedPeriod(db, reach, id);
  return period && detailsOf(db, period);
}

/** Records the current energy as another version of an open period. Null if the caller can access no such period. */
export async function recordBill(
  db: Database,
  reach: AccessibleAccounts,
  id: string,
  now: Date,
): Promise<BillDetails | null> {
  return changeOpen(db, reach, id, async (trx, period) => {
    await addVersion(trx, period, 'again', [], now);
    return detailsOf(trx, period);
  });
}

/**
 * Closes a period that has ended: records its energy, and the corrections of earlier periods that are not billed yet. Later changes of its
 * energy are billed with the next open period.
 */
export async function closeBillPeriod(
  db: Database,
  reach: AccessibleAccounts,
  id: string,
  now: Date,
): Promise<BillDetails | null> {
  return changeOpen(db, reach, id, async (trx, period) => {
    if (period.ends_at > now) throw new AppError('billNotOver');
    const waiting = (await outstandingOf(trx, period)).map(adjustmentOf);
    if (waiting.length > 0)
      await trx
        .insertInto('bill_adjustments')
        .values(
          waiting.map(({ periodId, imported, exported }) => ({
            told_in: id,
            bill_period_id: periodId,
            import_milliwatt_hours: imported,
            export_milliwatt_hours: exported,
          })),
        )
        .execute();
    await addVersion(trx, period, 'closing', waiting, now);
    await trx.updateTable('bill_periods').set({ closed_at: now }).where('bill_period_id', '=', id).execute();
    return detailsOf(trx, { ...period, closed_at: now });
  });
}

/** Deletes an open period, which has not been billed. Returns false if the caller can access no such period. */
export async function deleteBillPeriod(db: Database, reach: AccessibleAccounts, id: string): Promise<boolean> {
  const removed = await changeOpen(db, reach, id, async (trx) => {
    await trx.deleteFrom('bill_periods').where('bill_period_id', '=', id).execute();
    return true;
  });
  return removed ?? false;
}

/**
 * Locks the bills of the account, and calls `change` with an open period. Null if the caller can access no such period; error 409 if it is
 * closed.
 */
async function changeOpen<T>(
  db: Database,
  reach: AccessibleAccounts,
  id: string,
  change: (trx: Database, period: BillPeriod) => Promise<T>,
): Promise<T | null> {
  return joinOrBeginTransaction(db, async (trx) => {
    const found = await storedPeriod(trx, reach, id);
    if (!found) return null;
    await holdBills(trx, found.user_id);
    // Another transaction may have closed the period in the meantime.
    const period = await storedPeriod(trx, reach, id);
    if (!period) return null;
    if (period.closed_at) throw new AppError('billClosed');
    return change(trx, period);
  });
}

async function storedPeriod(db: Database, reach: AccessibleAccounts, id: string): Promise<BillPeriod | null> {
  const { rows } = await sql<BillPeriod>`
    SELECT ${COLUMNS} FROM bill_periods p WHERE p.bill_period_id = ${id} AND ${isAccountAccessibleSql(reach, 'p.user_id')}`.execute(
    db,
  );
  return rows[0] ?? null;
}

const VERSION =
  sql.raw(`v.told AS statement, encode(v.sha256, 'hex') AS sha256, v.import_milliwatt_hours AS imported, v.export_milliwatt_hours AS exported,
  v.estimated_milliwatt_hours AS estimated`);

async function versionsOf(db: Database, id: string): Promise<BillVersion[]> {
  const { rows } = await sql<BillVersion>`
    SELECT ${VERSION} FROM bill_versions v WHERE v.bill_period_id = ${id} ORDER BY version`.execute(db);
  return rows;
}

async function addVersion(
  trx: Database,
  period: BillPeriod,
  cause: BillVersionCause,
  adjustments: readonly BillAdjustment[],
  now: Date,
): Promise<void> {
  const last = (await versionsOf(trx, period.bill_period_id)).at(-1);
  const version = (last?.statement.version ?? 0) + 1;
  // The closing version is recorded even if there are already `MAX_VERSIONS` versions.
  if (version > MAX_VERSIONS && cause !== 'closing') throw new AppError('tooManyBills');
  const { known, energy } = await currentEnergy(trx, period);
  const sum = addAdjustments(known, adjustments);
  const statement: BillStatement = {
    bill_period_id: period.bill_period_id,
    version,
    cause,
    user_id: period.user_id,
    device_id: period.device_id,
    start: period.start,
    end: period.end,
    timezone: period.timezone,
    starts_at: period.starts_at.toISOString(),
    ends_at: period.ends_at.toISOString(),
    recorded_at: now.toISOString(),
    ...energy,
    adjustments: adjustments.map(createStatementAdjustment),
    billed_import_kwh: formatExactKwh(sum.imported),
    billed_export_kwh: formatExactKwh(sum.exported),
    previous_sha256: last?.sha256 ?? null,
  };
  await trx
    .insertInto('bill_versions')
    .values({
      bill_period_id: period.bill_period_id,
      version,
      told: JSON.stringify(statement),
      sha256: computeChecksum(statement),
      import_milliwatt_hours: known.imported,
      export_milliwatt_hours: known.exported,
      estimated_milliwatt_hours: known.estimated,
    })
    .execute();
}

async function currentEnergy(
  db: Database,
  period: BillPeriod,
): Promise<{ known: BilledEnergyOfRange; energy: StatementEnergy }> {
  const [of, range] = [billedOf(period), rangeOf(period)];
  const known = await readBilledEnergyOfRange(await loadBilledEnergySource(db, of), range);
  const registers = await loadBilledRegisters(db, of, range);
  return { known, energy: createStatementEnergy(known, registers, await listEditsInForce(db, of, range)) };
}

async function detailsOf(db: Database, period: BillPeriod): Promise<BillDetails> {
  const versions = await versionsOf(db, period.bill_period_id);
  const of = { period, versions, ...(await currentEnergy(db, period)) };
  const waiting = await outstandingOf(db, period);
  if (!period.closed_at)
    return { ...of, adjustments: waiting.map((one) => createStatementAdjustment(adjustmentOf(one))), corrections: [] };
  const { rows } = await sql<BilledEnergyByDirection & { billedIn: string }>`
    SELECT told_in AS "billedIn", import_milliwatt_hours AS imported, export_milliwatt_hours AS exported
    FROM bill_adjustments WHERE bill_period_id = ${period.bill_period_id} ORDER BY told_in`.execute(db);
  const statedCorrections = rows.map((row) => ({ ...row, isBilled: true }));
  const unbilled = waiting.map(({ next, imported, exported }) => ({
    billedIn: next,
    isBilled: false,
    imported,
    exported,
  }));
  return {
    ...of,
    adjustments: versions.at(-1)?.statement.adjustments ?? [],
    corrections: [...statedCorrections, ...unbilled],
  };
}

/** A correction of a closed period that no bill statement contains yet. */
interface Outstanding extends BilledEnergyByDirection {
  period: BillPeriod;
  /** Id of the period that will include the correction. Null if there is none yet. */
  next: string | null;
}

const adjustmentOf = ({ period, imported, exported }: Outstanding): BillAdjustment => ({
  periodId: period.bill_period_id,
  start: period.start,
  end: period.end,
  imported,
  exported,
});

/**
 * Returns the corrections that concern this period and that no bill statement contains yet. A correction is the current energy of a closed
 * period minus the energy that was already billed for it.
 */
async function outstandingOf(db: Database, of: BillPeriod): Promise<Outstanding[]> {
  const { rows: periods } = await sql<BillPeriod & { imported: MilliwattHours; exported: MilliwattHours }>`
    SELECT ${COLUMNS}, coalesce(v.imported, 0)::bigint AS imported, coalesce(v.exported, 0)::bigint AS exported FROM bill_periods p
    LEFT JOIN LATERAL (
      SELECT sum(t.import_milliwatt_hours) AS imported, sum(t.export_milliwatt_hours) AS exported FROM (
        (SELECT import_milliwatt_hours, export_milliwatt_hours FROM bill_versions WHERE bill_period_id = p.bill_period_id ORDER BY version DESC LIMIT 1)
        UNION ALL SELECT import_milliwatt_hours, export_milliwatt_hours FROM bill_adjustments WHERE bill_period_id = p.bill_period_id) t
    ) v ON p.closed_at IS NOT NULL
    WHERE p.user_id = ${of.user_id} AND p.device_id IS NOT DISTINCT FROM ${of.device_id} ORDER BY p.starts_at`.execute(
    db,
  );
  const all = periods.map(ordered);
  const asked = new Set(listBillPeriodsToCorrect(all, ordered(of)).map(({ id }) => id));
  if (asked.size === 0) return [];
  const meter: BoughtEnergySource = await loadBilledEnergySource(db, billedOf(of));
  const found: Outstanding[] = [];
  for (const period of periods.filter(({ bill_period_id }) => asked.has(bill_period_id))) {
    const unstated = subtractEnergies(await readBilledEnergyOfRange(meter, rangeOf(period)), period);
    if (!areEnergiesZero(unstated))
      found.push({ ...unstated, period, next: findNextOpenBillPeriod(all, ordered(period))?.id ?? null });
  }
  return found;
}
