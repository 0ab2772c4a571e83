import { hasMatchingSeriesRole } from '#ingest/normalise/roles-by-time.ts';
import { HOUR_MS, QUARTER_HOUR_MS } from '#src/core/units.ts';
import { isElectricityQuantity } from '#src/database/meter.ts';
import type { FastPathResult } from './fast-path.ts';
import type { DeviceHeadWithPlan } from './head.ts';
import type { OpenHourUpdate } from './open-hour.ts';
import type { DeviceWritePlan } from './plan.ts';
import type { SeriesWritePlan } from './series-plan.ts';
import {
  type BatchStatement,
  createBatchStatement,
  encodeBigints,
  encodeBooleans,
  encodeTexts,
  encodeTimestamps,
} from './statement.ts';

/** Changed hours (Unix ms). For each hour and user: whether the hour is still the latest hour of a device. */
type Changes = Map<number, Map<string, boolean>>;

/** Records which hours of which users a batch changes. Background workers process these records. */
export function recordChangedHours(
  stepped: FastPathResult,
  planned: readonly DeviceHeadWithPlan[],
  opened: readonly OpenHourUpdate[],
): BatchStatement[] {
  const changes: Changes = new Map();
  for (const { hourMs, userId, isOpen } of stepped.changes) add(changes, hourMs, userId, isOpen);
  for (const [index, { head, plan }] of planned.entries()) {
    const { closed } = opened[index] as OpenHourUpdate;
    for (const [startMs, { energyMilliwattHours, coveredMs }] of plan.deltas.own) {
      if (energyMilliwattHours === 0 && coveredMs === 0) continue;
      add(changes, Math.floor(startMs / HOUR_MS) * HOUR_MS, head.userId, !closed.has(startMs));
    }
  }
  if (changes.size === 0) return [];
  const [userIds, hoursMs, areOpen]: [string[], number[], boolean[]] = [[], [], []];
  for (const [hourMs, users] of changes) {
    users.forEach((isOpen, userId) => {
      userIds.push(userId);
      hoursMs.push(hourMs);
      areOpen.push(isOpen);
    });
  }
  const text = 'SELECT note_usage_changes($1::text[], $2::timestamptz[], $3::boolean[])';
  const values = [encodeTexts(userIds), encodeTimestamps(hoursMs), encodeBooleans(areOpen)];
  return [createBatchStatement({ name: 'note-changes', text, values })];
}

function add(changes: Changes, hourMs: number, userId: string, isOpen: boolean): void {
  let users = changes.get(hourMs);
  if (!users) {
    users = new Map();
    changes.set(hourMs, users);
  }
  users.set(userId, users.get(userId) === true || isOpen);
}

/** Changes of an hour whose consumption was already known. Energies are in mWh. */
interface LateHour {
  deviceId: string;
  hourMs: number;
  lateReadings: number;
  corrections: 0 | 1;
  imported: number;
  exported: number;
}

/**
 * Returns the changes of hours whose consumption was already known. `lateReadings`: number of readings that arrived after a later reading
 * of their series.
 */
const lateHours = (plans: readonly DeviceWritePlan[]): LateHour[] => plans.flatMap(lateHoursOf);

function lateHoursOf({ device: { deviceId }, series, deltas, followed }: DeviceWritePlan): LateHour[] {
  const late: number[] = [];
  let knownToMs = 0;
  for (const plan of series) {
    if (!isOfElectricity(plan)) continue;
    const { inserts, revises } = plan;
    const lastReadAtMs = plan.series.lastReadAtMs ?? 0;
    for (const { readAtMs } of inserts) if (readAtMs < lastReadAtMs) late.push(readAtMs);
    // The quarter-hour of the series' last stored reading contains both new energy and corrections, so it is left out.
    if (revises) knownToMs = Math.max(knownToMs, Math.floor(lastReadAtMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS);
  }
  if (late.length === 0 && knownToMs === 0) return [];
  const hours = new Map<number, LateHour>();
  const hourOf = (ms: number): LateHour => {
    const hourMs = Math.floor(ms / HOUR_MS) * HOUR_MS;
    let hour = hours.get(hourMs);
    if (!hour) {
      hour = { deviceId, hourMs, lateReadings: 0, corrections: 0, imported: 0, exported: 0 };
      hours.set(hourMs, hour);
    }
    return hour;
  };
  // A reading at the end of an hour belongs to that hour.
  for (const readAtMs of late) hourOf(readAtMs - 1).lateReadings++;
  for (const [startMs, sums] of deltas.own) {
    if (startMs >= knownToMs) continue;
    // The energy of readings after all stored ones of their series (`followed`) is new, so it is not a correction.
    const isNew = followed?.own.get(startMs);
    const changeOf = (measure: 'energyMilliwattHours' | 'estimatedMilliwattHours' | 'exportMilliwattHours') =>
      sums[measure] - (isNew?.[measure] ?? 0);
    const [imported, exported] = [changeOf('energyMilliwattHours'), changeOf('exportMilliwattHours')];
    if (imported === 0 && exported === 0 && changeOf('estimatedMilliwattHours') === 0) continue;
    const hour = hourOf(startMs);
    hour.corrections = 1;
    hour.imported += imported;
    hour.exported += exported;
  }
  return [...hours.values()];
}

/** Whether the series contributes to the electricity of its device, before or after the batch. */
const isOfElectricity = (plan: SeriesWritePlan): boolean =>
  [plan, plan.series].some((of) =>
    hasMatchingSeriesRole(
      of,
      (one) => (one.import || one.export) && (one.meter === null || isElectricityQuantity(one.meter)),
    ),
  );

/** Stores changes by late readings, one row per hour. */
export function recordChangesFromLateReadings(plans: readonly DeviceWritePlan[]): BatchStatement[] {
  const hours = lateHours(plans);
  if (hours.length === 0) return [];
  const text = `INSERT INTO late_changes AS l (device_id, hour, late_readings, corrections, import_milliwatt_hours, export_milliwatt_hours, changed_at)
     SELECT h.*, now() FROM unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) h
     ON CONFLICT (device_id, hour) DO UPDATE SET late_readings = l.late_readings + excluded.late_readings,
       corrections = l.corrections + excluded.corrections,
       import_milliwatt_hours = l.import_milliwatt_hours + excluded.import_milliwatt_hours,
       export_milliwatt_hours = l.export_milliwatt_hours + excluded.export_milliwatt_hours, changed_at = excluded.changed_at`;
  const values = [
    encodeTexts(hours.map(({ deviceId }) => deviceId)),
    encodeTimestamps(hours.map(({ hourMs }) => hourMs)),
    encodeBigints(hours.map(({ lateReadings }) => lateReadings)),
    encodeBigints(hours.map(({ corrections }) => corrections)),
    encodeBigints(hours.map(({ imported }) => imported)),
    encodeBigints(hours.map(({ exported }) => exported)),
  ];
  return [createBatchStatement({ text, values })];
}
