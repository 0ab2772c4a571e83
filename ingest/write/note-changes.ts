import { booleanArray, textArray, timestampArray } from './binary-array.ts';
import type { Followed } from './follow.ts';
import type { HeadPlan } from './head.ts';
import { HOUR_MS, type Opened } from './open-hour.ts';
import { type Step, statement } from './step.ts';

/** Of each changed hour the users, and whether the change is in the hour that is open. Few hours, so few maps. */
type Changes = Map<number, Map<string, boolean>>;

/** Leaves to the workers which hours of which users a batch changes; nothing where only temperatures and the like came. */
export function noteChanges(followed: Followed, planned: readonly HeadPlan[], opened: readonly Opened[]): Step[] {
  const changes: Changes = new Map();
  for (const { hourMs, userId } of followed.changes) add(changes, hourMs, userId, true);
  for (const [index, { head, plan }] of planned.entries()) {
    const { closed } = opened[index] as Opened;
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
  const values = [textArray(userIds), timestampArray(hoursMs), booleanArray(areOpen)];
  return [statement({ name: 'note-changes', text, values })];
}

function add(changes: Changes, hourMs: number, userId: string, isOpen: boolean): void {
  let users = changes.get(hourMs);
  if (!users) {
    users = new Map();
    changes.set(hourMs, users);
  }
  users.set(userId, users.get(userId) === true || isOpen);
}
