import type { z } from 'zod';
import { holdable, reachOf, reachOfRole } from '#src/auth/access.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { AppError, orNotFound } from '#src/core/errors.ts';
import type { Database } from '#src/database/connect.ts';
import { changeMembers, reachable } from '#src/groups/members.ts';
import { findGroup } from '#src/groups/store.ts';
import { findUser } from '#src/users/store.ts';
import type { changed } from './shape.ts';

interface Change {
  add?: readonly string[];
  remove?: readonly string[];
  /** Where in the request a home is that is to be added. */
  fieldOf(index: number): string;
}

/**
 * Changes the homes of a group that the caller reaches, all of it or nothing. 404 where the owner of the group does not reach one that is to be
 * added, and of whoever was never in it nothing is said.
 */
export async function change(
  db: Database,
  caller: Caller,
  groupId: string,
  { add = [], remove = [], fieldOf }: Change,
): Promise<z.output<typeof changed>> {
  const reach = reachOf(caller);
  const { group_id, user_id } = orNotFound(await findGroup(db, reach, holdable(groupId)));
  const owner = orNotFound(await findUser(db, reach, user_id));
  for (const id of [...add, ...remove]) holdable(id);
  const known = await reachable(db, reachOfRole({ role: owner.role, userId: owner.user_id }), add);
  const unknown = add.flatMap((id, index) => (known.has(id) ? [] : [{ field: fieldOf(index), message: NO_HOME }]));
  if (unknown.length > 0) throw new AppError('notFound', { details: unknown });
  const done = await changeMembers(db, group_id, { add, remove });
  const { members } = orNotFound(await findGroup(db, reach, group_id));
  return { group_id, ...done, members };
}

const NO_HOME = 'must be a user that the owner of the group reaches';
