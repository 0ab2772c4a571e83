import { createHash } from 'node:crypto';
import { describeRolesBefore } from '../home/pieces.ts';
import type { GroupOfHomes } from './homes.ts';

/** Compositions by group. A group is loaded for one answer, which needs its composition several times. */
const found = new WeakMap<GroupOfHomes, { beforeMs: number; composition: Buffer }>();

/**
 * Returns a SHA-256 of the members of a group and of the composition of each home before a time. Together with stored consumption, these
 * determine the group's sums. The hash changes if a member, a placement or an earlier beginning of a device changes. A device that is added
 * later changes it only if its home was the sum of imports until then.
 */
export async function computeCompositionHash(group: GroupOfHomes, before: Date): Promise<Buffer> {
  const known = found.get(group);
  if (known?.beforeMs === before.getTime()) return known.composition;
  const hash = createHash('sha256').update(`${JSON.stringify(group.plain)}\n`);
  for await (const homes of group.composed()) {
    for (const home of homes) hash.update(`${home.userId} ${describeRolesBefore(home, before)}\n`);
  }
  const composition = hash.digest();
  found.set(group, { beforeMs: before.getTime(), composition });
  return composition;
}
