import { createHash } from 'node:crypto';
import { rolesBefore } from '../home/pieces.ts';
import type { GroupOfHomes } from './homes.ts';

/** Of a group as it was loaded for one answer, in which it is asked for several times. */
const found = new WeakMap<GroupOfHomes, { beforeMs: number; composition: Buffer }>();

/**
 * SHA-256 of whose sums a group's are, and of what each of its homes was made of before a time: all that they follow from beside stored
 * consumption of then. So it differs after whatever changes them (a member, a placement, an earlier beginning); a device that
 * comes later changes it only where its home was the sum of imports until then.
 */
export async function compositionOf(group: GroupOfHomes, before: Date): Promise<Buffer> {
  const known = found.get(group);
  if (known?.beforeMs === before.getTime()) return known.composition;
  const hash = createHash('sha256').update(`${JSON.stringify(group.plain)}\n`);
  for await (const homes of group.composed()) {
    for (const home of homes) hash.update(`${home.userId} ${rolesBefore(home, before)}\n`);
  }
  const composition = hash.digest();
  found.set(group, { beforeMs: before.getTime(), composition });
  return composition;
}
