/** A district of a district of …: more than anybody needs, and few enough to be gone through for each question. */
const MAX_DEPTH = 8;

/** A group and the one that it is a part of. */
interface Placed {
  group_id: string;
  parent_group_id: string | null;
}

/**
 * Why a group cannot become a part of another one; null where it can. Pure. `groups`: all groups of the owner as they are now; `groupId`: null
 * for a new one.
 */
export function refusal(groups: readonly Placed[], groupId: string | null, parentId: string): string | null {
  const parents = new Map(groups.map(({ group_id, parent_group_id }) => [group_id, parent_group_id]));
  if (!parents.has(parentId)) return 'must be another group of the same owner';
  let above = 0;
  for (let one: string | null = parentId; one !== null && above <= groups.length; one = parents.get(one) ?? null) {
    if (one === groupId) return 'must not be the group itself, or one below it';
    above++;
  }
  const below = groupId === null ? 1 : height(groups, groupId);
  return above + below > MAX_DEPTH ? `must leave the tree ${MAX_DEPTH} levels deep at most` : null;
}

/** How many levels a group and what is below it make. */
function height(groups: readonly Placed[], groupId: string): number {
  const children = Map.groupBy(groups, ({ parent_group_id }) => parent_group_id);
  let level = [groupId];
  let levels = 0;
  for (; level.length > 0 && levels <= groups.length; levels++)
    level = level.flatMap((id) => (children.get(id) ?? []).map(({ group_id }) => group_id));
  return levels;
}
