import type { PoolClient } from '#src/database/connect.ts';
import { applyDeltas, deltaRows } from './deltas.ts';
import type { PartitionMonths } from './partition-months.ts';
import type { DevicePlan } from './plan.ts';
import { saveReadings } from './save-readings.ts';
import { createSeries, updateSeries } from './save-series.ts';

/**
 * Writes the plans of a batch, each statement for all of them. The caller holds the locks of their devices, since before what
 * stands was loaded. Readings come before the series that they belong to, as in `drop_readings`: else the two would wait
 * for each other. Throws MissingPartitions before it writes anything.
 */
export async function commitPlans(
  client: PoolClient,
  plans: readonly DevicePlan[],
  months: PartitionMonths,
): Promise<void> {
  const deltas = deltaRows(plans);
  months.check(timesOf(plans, deltas));
  const stored = await createSeries(client, plans);
  await saveReadings(client, stored);
  await applyDeltas(client, deltas);
  await updateSeries(client, stored);
  await noteComputedAnew(client, plans);
  await settingsApplied(client, plans);
}

/** Times of all rows that partitions are needed for. */
function timesOf(plans: readonly DevicePlan[], deltas: readonly { startsAtMs: number }[]): number[] {
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
