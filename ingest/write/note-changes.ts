import { booleanArray, textArray, timestampArray } from './binary-array.ts';
import type { HeadPlan } from './head.ts';
import type { Opened } from './open-hour.ts';
import { type Step, statement } from './step.ts';

const HOUR_MS = 3_600_000;

/** Leaves to the workers which hours of which users the plans change; nothing where only temperatures and the like came. */
export function noteChanges(planned: readonly HeadPlan[], opened: readonly Opened[]): Step[] {
  /** Of each changed hour the users, and whether the change is in the hour that is open. Few hours, so few maps. */
  const changes = new Map<number, Map<string, boolean>>();
  for (const [index, { head, plan }] of planned.entries()) {
    const { closed } = opened[index] as Opened;
    for (const [startMs, { energyMilliwattHours, coveredMs }] of plan.deltas) {
      if (energyMilliwattHours === 0 && coveredMs === 0) continue;
      const hourMs = Math.floor(startMs / HOUR_MS) * HOUR_MS;
      let users = changes.get(hourMs);
      if (!users) {
        users = new Map();
        changes.set(hourMs, users);
      }
      users.set(head.userId, users.get(head.userId) === true || !closed.has(startMs));
    }
  }
  if (changes.size === 0) return [];
  const [userIds, hoursMs, areOpen]: [string[], number[], boolean[]] = [[], [], []];
  for (const [hourMs, users] of changes) {
    for (const [userId, isOpen] of users) {
      userIds.push(userId);
      hoursMs.push(hourMs);
      areOpen.push(isOpen);
    }
  }
  const text = 'SELECT note_usage_changes($1::text[], $2::timestamptz[], $3::boolean[])';
  const values = [textArray(userIds), timestampArray(hoursMs), booleanArray(areOpen)];
  return [statement({ name: 'note-changes', text, values })];
}
