import type { PoolClient } from '#src/database/connect.ts';
import { applyDeltas, type DeltaRow, deltaRows } from './deltas.ts';
import { type Head, type HeadPlan, headAfter, type NextHead } from './head.ts';
import { noteChanges } from './note-changes.ts';
import { addToOpenHour, type Opened } from './open-hour.ts';
import type { PartitionMonths } from './partition-months.ts';
import type { DevicePlan } from './plan.ts';
import { saveHeads } from './save-heads.ts';
import { saveReadings } from './save-readings.ts';
import { createSeries, type StoredPlan, updateSeries } from './save-series.ts';
import { seriesName } from './standing.ts';

/**
 * Writes the plans of a batch, each statement for all of them, and answers the heads as they are once it is committed. Heads
 * come first: what was planned on one that is no longer so ends the transaction (StaleHeads) before it costs anything. Throws
 * MissingPartitions before it writes anything.
 */
export async function commitPlans(
  client: PoolClient,
  planned: readonly HeadPlan[],
  months: PartitionMonths,
): Promise<Head[]> {
  const opened = planned.map(({ head, plan }) => addToOpenHour(head.open, plan.deltas));
  const deltas = planned.flatMap(({ head }, index) =>
    deltaRows(head.deviceId, head.userId, (opened[index] as Opened).closed),
  );
  const plans = planned.map(({ plan }) => plan);
  months.check(timesOf(plans, deltas));
  const stored = await createSeries(client, plans);
  const next = nextHeads(planned, opened, stored);
  await saveHeads(client, next);
  await saveReadings(client, stored);
  await applyDeltas(client, deltas);
  await updateSeries(client, stored);
  await noteChanges(client, planned, opened);
  await noteComputedAnew(client, plans);
  await settingsApplied(client, plans);
  return next.map(({ head }) => head);
}

function nextHeads(planned: readonly HeadPlan[], opened: readonly Opened[], stored: readonly StoredPlan[]): NextHead[] {
  const fresh = stored.filter(({ plan }) => plan.series.seriesId === null);
  const ids = new Map<string, Map<string, number>>();
  for (const { deviceId, seriesId, plan } of fresh) {
    const ofDevice = ids.get(deviceId) ?? new Map();
    ids.set(deviceId, ofDevice.set(seriesName(plan.series.channel, plan.series.kind), seriesId));
  }
  return planned.map(({ head, plan }, index) =>
    headAfter(head, plan, (opened[index] as Opened).open, ids.get(head.deviceId) ?? new Map()),
  );
}

/** Times of all rows that partitions are needed for. */
function timesOf(plans: readonly DevicePlan[], deltas: readonly DeltaRow[]): number[] {
  const times = deltas.map(({ startsAtMs }) => startsAtMs);
  for (const { series } of plans) {
    for (const { inserts } of series) for (const { readAtMs } of inserts) times.push(readAtMs);
  }
  return times;
}

/** Tells the owner that a channel's energy now comes from elsewhere, and its past was computed anew. */
async function noteComputedAnew(client: PoolClient, plans: readonly DevicePlan[]): Promise<void> {
  const notes = plans.flatMap(({ device, series }) =>
    series
      .filter(({ recompute }) => recompute === 'roles')
      .map(({ series: { channel, kind } }) => ({ deviceId: device.deviceId, channel, kind })),
  );
  if (notes.length === 0) return;
  // Raw SQL: the hot path of ingest: statements over arrays, prepared where each batch has them.
  await client.query(
    `INSERT INTO quantity_changes (device_id, channel, noted_at, note)
     SELECT device_id, channel, now(), note FROM unnest($1::text[], $2::text[], $3::text[]) n (device_id, channel, note)
     ON CONFLICT DO NOTHING`,
    [
      notes.map(({ deviceId }) => deviceId),
      notes.map(({ channel }) => channel),
      notes.map(({ kind }) => `a better quantity appeared: ${kind} of this channel counted anew`),
    ],
  );
}

/** Notes that the devices' consumption is now computed with the settings of their rows. */
async function settingsApplied(client: PoolClient, plans: readonly DevicePlan[]): Promise<void> {
  const changed = plans.filter(({ device }) => device.computedWith !== null);
  if (changed.length === 0) return;
  await client.query('UPDATE devices SET computed_with = NULL WHERE device_id = ANY ($1)', [
    changed.map(({ device }) => device.deviceId),
  ]);
}
