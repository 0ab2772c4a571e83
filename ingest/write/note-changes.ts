import type { PoolClient } from '#src/database/connect.ts';
import { textArray, timestampArray } from './binary-array.ts';
import type { HeadPlan } from './head.ts';
import type { Opened } from './open-hour.ts';

const HOUR_MS = 3_600_000;

/** Leaves to the workers which hours of which users the plans change; nothing where only temperatures and the like came. */
export async function noteChanges(
  client: PoolClient,
  planned: readonly HeadPlan[],
  opened: readonly Opened[],
): Promise<void> {
  const changes = new Map<string, { userId: string; hourMs: number; isOpen: boolean }>();
  for (const [index, { head, plan }] of planned.entries()) {
    const { closed } = opened[index] as Opened;
    for (const [startMs, { energyMilliwattHours, coveredMs }] of plan.deltas) {
      if (energyMilliwattHours === 0 && coveredMs === 0) continue;
      const hourMs = Math.floor(startMs / HOUR_MS) * HOUR_MS;
      const key = `${head.userId} ${hourMs}`;
      const isOpen = changes.get(key)?.isOpen || !closed.has(startMs);
      changes.set(key, { userId: head.userId, hourMs, isOpen });
    }
  }
  if (changes.size === 0) return;
  const all = [...changes.values()];
  // Raw SQL: the hot path of ingest: one prepared statement over arrays.
  await client.query({
    name: 'note-changes',
    text: 'SELECT note_usage_changes($1::text[], $2::timestamptz[], $3::boolean[])',
    values: [
      textArray(all.map(({ userId }) => userId)),
      timestampArray(all.map(({ hourMs }) => hourMs)),
      all.map(({ isOpen }) => isOpen),
    ],
  });
}
