import { createHash } from 'node:crypto';
import { rolesBefore } from '../home/pieces.ts';
import type { GroupOfHomes } from './homes.ts';

/**
 * SHA-256 of whose sums a group's are, and of what each of its homes was made of before a time: all that they follow from beside stored
 * consumption of then. So it differs after whatever changes them (a member, a placement, an earlier beginning); a device that
 * comes later changes it only where its home was the sum of imports until then.
 */
export async function compositionOf({ plain, composed }: GroupOfHomes, before: Date): Promise<Buffer> {
  const hash = createHash('sha256').update(`${JSON.stringify(plain)}\n`);
  for await (const homes of composed()) {
    for (const home of homes) hash.update(`${home.userId} ${rolesBefore(home, before)}\n`);
  }
  return hash.digest();
}
