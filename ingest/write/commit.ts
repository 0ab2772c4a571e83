import { findAppliedRangeOfEdit, findPendingEditStartMs, getPendingEditEndMs } from '#ingest/normalise/edits.ts';
import { areSeriesRolesEqual, type SeriesRolesByTime } from '#ingest/normalise/roles-by-time.ts';
import { findRangeComputedWithOtherSettings } from '#ingest/normalise/settings.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { getSeparateQuantityKey } from '#src/database/meter.ts';
import { createDeltaRows, createDeltaStatements, type DeltaRow, type DeviceDeltas } from './deltas.ts';
import { createStoredCountingSettingsByTime, formatSeriesName } from './device-state.ts';
import type { FastPathResult } from './fast-path.ts';
import {
  computeDeviceHeadAfterPlan,
  type DeviceHeadAfterBatch,
  type DeviceHeadWithPlan,
  formatCountingStates,
  formatOpenHourOfDeviceHead,
} from './head.ts';
import { addToOpenHour, type OpenHourUpdate } from './open-hour.ts';
import type { PartitionMonthCache } from './partition-months.ts';
import type { DeviceWritePlan } from './plan.ts';
import { recordChangedHours, recordChangesFromLateReadings } from './record-changes.ts';
import { createSeries, type SeriesWritePlanWithId, saveReadings, updateSeries } from './save-series.ts';
import {
  type BatchStatement,
  createBatchStatement,
  encodeBigints,
  encodeBooleans,
  encodeTextElements,
  encodeTexts,
  joinTextElements,
} from './statement.ts';

/** The statements that write a batch, and the stored states of its devices after the batch. */
interface BatchWritePlan {
  steps: BatchStatement[];
  heads: DeviceHeadAfterBatch[];
}

/**
 * Converts the planned changes of a batch's devices into SQL statements, each for all devices of the batch. The first one stores the states
 * of the devices, and throws OutdatedDeviceHeadsError if one of them has changed since it was read. Throws MissingPartitionsError if a
 * partition is missing.
 */
export async function planBatchStatements(
  client: PoolClient,
  stepped: FastPathResult,
  planned: readonly DeviceHeadWithPlan[],
  months: PartitionMonthCache,
): Promise<BatchWritePlan> {
  const opened = planned.map(({ head, plan }) => addToOpenHour(head.open, plan.deltas.own));
  const ofPlans = planned.flatMap(({ head: { deviceId, userId }, plan }, index) => [
    ...createDeltaRows(deviceId, userId, (opened[index] as OpenHourUpdate).closed),
    ...meterRows(deviceId, userId, plan.deltas.meters),
  ]);
  const deltas = [...stepped.closed, ...ofPlans];
  const plans = planned.map(({ plan }) => plan);
  months.check(timesOf(stepped, plans, deltas));
  const stored = await createSeries(client, plans);
  const heads = nextHeads(planned, opened, stored);
  const steps = [
    ...saveHeads(stepped, heads),
    ...saveReadings(stepped, stored),
    ...createDeltaStatements(deltas),
    ...updateSeries(stored),
    ...recordChangedHours(stepped, planned, opened),
    ...recordChangesFromLateReadings(plans),
    ...addRoleChangeNotes(plans),
    ...recordAppliedSettings(plans),
    ...recordRecounts(plans),
  ];
  return { steps, heads };
}

/**
 * Returns the changes of energy that is reported separately from electricity, for example gas. Few devices have such energy. It is
 * therefore added to the aggregates immediately, and not collected in the device's latest hour (open-hour.ts).
 */
const meterRows = (deviceId: string, userId: string, meters: DeviceDeltas['meters']): DeltaRow[] =>
  [...(meters ?? [])].flatMap(([meter, deltas]) =>
    createDeltaRows(getSeparateQuantityKey(deviceId, meter), getSeparateQuantityKey(userId, meter), deltas),
  );

const NO_IDS: ReadonlyMap<string, number> = new Map();

function nextHeads(
  planned: readonly DeviceHeadWithPlan[],
  opened: readonly OpenHourUpdate[],
  stored: readonly SeriesWritePlanWithId[],
): DeviceHeadAfterBatch[] {
  const fresh = stored.filter(({ plan }) => plan.series.seriesId === null);
  const ids = new Map<string, Map<string, number>>();
  for (const { deviceId, seriesId, plan } of fresh) {
    const ofDevice = ids.get(deviceId) ?? new Map();
    ids.set(deviceId, ofDevice.set(formatSeriesName(plan.series.channel, plan.series.kind), seriesId));
  }
  return planned.map(({ head, plan }, index) =>
    computeDeviceHeadAfterPlan(head, plan, (opened[index] as OpenHourUpdate).open, ids.get(head.deviceId) ?? NO_IDS),
  );
}

function timesOf(
  { readings }: FastPathResult,
  plans: readonly DeviceWritePlan[],
  deltas: readonly DeltaRow[],
): number[] {
  const times = readings.map(({ readAtMs }) => readAtMs);
  for (const { startsAtMs } of deltas) times.push(startsAtMs);
  for (const { series } of plans) {
    for (const { inserts, added } of series) for (const { readAtMs } of [...inserts, ...added]) times.push(readAtMs);
  }
  return times;
}

function noteOf(kind: string, { roles, earlierRoles }: SeriesRolesByTime): string {
  const until = earlierRoles?.at(-1);
  const ended = (['import', 'export'] as const).filter((direction) => until?.roles[direction] && !roles[direction]);
  if (!until || ended.length === 0) return `what counts has changed: ${kind} of this channel was recomputed`;
  const untilAt = new Date(until.untilMs - 1).toISOString();
  return `a better quantity appeared: ${kind} of this channel counts as ${ended.join(' and ')} up to ${untilAt}`;
}

/** Adds a note for the owner about each channel that now contributes to another total. */
function addRoleChangeNotes(plans: readonly DeviceWritePlan[]): BatchStatement[] {
  const notes = plans.flatMap(({ device, series }) =>
    series
      .filter(({ series, roles }) => series.lastReadAtMs !== null && !areSeriesRolesEqual(series.roles, roles))
      .map(({ series: { channel, kind }, ...plan }) => ({
        deviceId: device.deviceId,
        channel,
        note: noteOf(kind, plan),
      })),
  );
  if (notes.length === 0) return [];
  const text = `INSERT INTO quantity_changes (device_id, channel, noted_at, note)
     SELECT device_id, channel, now(), note FROM unnest($1::text[], $2::text[], $3::text[]) n (device_id, channel, note)
     ON CONFLICT DO NOTHING`;
  const values = [
    notes.map(({ deviceId }) => deviceId),
    notes.map(({ channel }) => channel),
    notes.map(({ note }) => note),
  ];
  return [createBatchStatement({ text, values })];
}

/**
 * Records the settings with which a device's consumption is now computed, and whether all changes by its owner are applied. If not, a
 * worker applies the rest later.
 */
function recordAppliedSettings(plans: readonly DeviceWritePlan[]): BatchStatement[] {
  // A late reading may also require a recomputation, without any change by the owner.
  const changed = plans.filter(({ device, areRolesOpen }) => device.computedWith !== null || areRolesOpen);
  const applied = changed.flatMap(({ device, computedWith, areRolesOpen, ...plan }) => {
    const isDone =
      !findRangeComputedWithOtherSettings(computedWith, device.settings) &&
      !areRolesOpen &&
      areEditsApplied({ device, ...plan });
    if (!isDone && computedWith === device.computedWith) return [];
    return {
      deviceId: device.deviceId,
      computedWith: isDone ? null : JSON.stringify(createStoredCountingSettingsByTime(computedWith)),
    };
  });
  if (applied.length === 0) return recordAppliedEdits(changed);
  const text = `UPDATE devices d SET computed_with = c.computed_with
     FROM unnest($1::text[], $2::jsonb[]) c (device_id, computed_with) WHERE d.device_id = c.device_id`;
  const values = [applied.map(({ deviceId }) => deviceId), applied.map(({ computedWith }) => computedWith)];
  return [createBatchStatement({ text, values }), ...recordAppliedEdits(changed)];
}

/** Records that a software update has changed the past consumption of a home, once per owner. A job then sends the owner an e-mail. */
function recordRecounts(plans: readonly DeviceWritePlan[]): BatchStatement[] {
  const userIds = plans.flatMap(({ device, isRecounted }) => (isRecounted ? device.userId : []));
  if (userIds.length === 0) return [];
  const text = `UPDATE users SET home_recounted = true, may_be_recounted = false
     WHERE user_id IN (SELECT user_id FROM users WHERE user_id = ANY ($1) AND may_be_recounted ORDER BY user_id FOR NO KEY UPDATE)`;
  return [createBatchStatement({ text, values: [[...new Set(userIds)]] })];
}

/** Whether the owner's edits of a device are completely applied, and the revoked ones completely undone. */
const areEditsApplied = ({
  device: { edits = [] },
  pieceUntilMs,
}: Pick<DeviceWritePlan, 'device' | 'pieceUntilMs'>): boolean =>
  edits.every((edit) => findPendingEditStartMs(edit) === null || getPendingEditEndMs(edit) <= pieceUntilMs);

/** Records the time range in which each edit is applied. Without `counted_from` and `counted_to`, the whole edit is applied. */
function recordAppliedEdits(plans: readonly DeviceWritePlan[]): BatchStatement[] {
  const changed = plans.flatMap(({ device: { edits = [] }, pieceUntilMs }) =>
    edits.flatMap((edit) => {
      if ((findPendingEditStartMs(edit) ?? pieceUntilMs) >= pieceUntilMs) return [];
      const counted = findAppliedRangeOfEdit(edit, pieceUntilMs);
      const isWhole = counted?.fromMs === edit.fromMs && counted.toMs === edit.toMs;
      return { editId: edit.editId, counted, part: isWhole ? null : counted };
    }),
  );
  if (changed.length === 0) return [];
  const text = `UPDATE reading_edits e SET is_counted = c.is_counted, counted_from = c.counted_from, counted_to = c.counted_to
     FROM unnest($1::text[], $2::boolean[], $3::timestamptz[], $4::timestamptz[]) c (edit_id, is_counted, counted_from, counted_to)
     WHERE e.edit_id = c.edit_id`;
  const values = [
    changed.map(({ editId }) => editId),
    changed.map(({ counted }) => counted !== null),
    changed.map(({ part }) => part && new Date(part.fromMs)),
    changed.map(({ part }) => part && new Date(part.toMs)),
  ];
  return [createBatchStatement({ text, values })];
}

/** Thrown if the stored state of a device has changed since it was read. The writer then evicts it from its cache and repeats the batch. */
export class OutdatedDeviceHeadsError extends Error {
  readonly count: number;
  constructor(count: number) {
    super('heads were changed meanwhile');
    this.count = count;
  }
}

/**
 * Stores the states of the batch's devices. A state is stored only if nobody has changed it since it was read; otherwise
 * OutdatedDeviceHeadsError is thrown. `next`: states from the slow path, stored together with those from the fast path.
 */
function saveHeads(
  { deviceIds, was, versions, states, opens }: FastPathResult,
  next: readonly DeviceHeadAfterBatch[],
): BatchStatement[] {
  const count = deviceIds.length + next.length;
  if (count === 0) return [];
  // Sorted by device id like the index of the table, so that the database writes neighbouring rows together.
  const planned = next.toSorted((a, b) => (a.deviceId < b.deviceId ? -1 : 1));
  const values = [
    encodeTexts([...deviceIds, ...planned.map(({ deviceId }) => deviceId)]),
    encodeBigints([...was, ...planned.map((one) => one.was)]),
    encodeBigints([...versions, ...planned.map(({ head }) => head.version)]),
    joinTextElements(states, encodeTextElements(planned.map(({ head }) => formatCountingStates(head)))),
    joinTextElements(opens, encodeTextElements(planned.map(({ head }) => formatOpenHourOfDeviceHead(head)))),
    encodeBooleans([...deviceIds.map(() => true), ...planned.map(({ hasValidReading }) => hasValidReading)]),
  ];
  return [update(values, count)];
}

const update =
  (values: Buffer[], count: number): BatchStatement =>
  async (client) => {
    // Raw SQL: each batch runs this prepared statement, which takes arrays.
    const { rowCount } = await client.query({
      name: 'save-heads',
      text: `UPDATE device_heads h SET version = n.version, laws = n.laws, open = n.open,
             seen_at = CASE WHEN n.is_heard THEN now() ELSE h.seen_at END
           FROM (SELECT unnest($1::text[]) AS device_id, unnest($2::bigint[]) AS was, unnest($3::bigint[]) AS version,
                   unnest($4::text[]) AS laws, unnest($5::text[]) AS open, unnest($6::boolean[]) AS is_heard) n
           WHERE h.device_id = n.device_id AND h.version = n.was`,
      values,
    });
    if (rowCount !== count) throw new OutdatedDeviceHeadsError(count - (rowCount ?? 0));
  };
