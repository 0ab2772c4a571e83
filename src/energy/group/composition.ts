import { createHash } from 'node:crypto';
import { formatDeviceRolesBefore } from '../home/role-periods.ts';
import type { GroupOfHomes } from './homes.ts';

/** Cache of hashes for the duration of one response. */
const found = new WeakMap<GroupOfHomes, { beforeMs: number; composition: Buffer }>();

/**
 * Returns a hash of the homes of a group, and of the roles that their devices had before a time, such as grid meter or production. The sums
 * of the group depend only on these and on stored consumption, so an unchanged hash means that stored sums are valid.
 */
export async function computeCompositionHash(group: GroupOfHomes, before: Date): Promise<Buffer> {
  const known = found.get(group);
  if (known?.beforeMs === before.getTime()) return known.composition;
  const hash = createHash('sha256').update(`${JSON.stringify(group.plain)}\n`);
  for await (const homes of group.composed()) {
    for (const home of homes) hash.update(`${home.userId} ${formatDeviceRolesBefore(home, before)}\n`);
  }
  const composition = hash.digest();
  found.set(group, { beforeMs: before.getTime(), composition });
  return composition;
}
