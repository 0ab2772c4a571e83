import { createHash } from 'node:crypto';
import { formatDeviceRolesBefore } from '../home/role-periods.ts';
import type { GroupOfHomes } from './homes.ts';

/**
 * Cache of composition hashes by group. One response uses the hash of a group several times; its group object exists only for this
 * response.
 */
const found = new WeakMap<GroupOfHomes, { beforeMs: number; composition: Buffer }>();

/**
 * Returns a SHA-256 hash of the members of a group and of the devices and roles in each member's home before a time. The sums of a group
 * depend only on these and on stored consumption. The hash changes if a member or a placement changes, or if data of a device arrive for an
 * earlier time. A device that is added later changes the hash only if the usage of its home was the sum of the home's imports until then.
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
