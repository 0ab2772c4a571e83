import type { Group } from '#clients/typescript/client.ts';

/** A group in the order of its tree, and how deep it lies. */
export interface Placed {
  group: Group;
  depth: number;
}

/** Groups as a tree is read: each followed by those below it, by name. One whose parent is not among them stands at the top. Pure. */
export function inTree(groups: readonly Group[]): Placed[] {
  const known = new Set(groups.map(({ group_id }) => group_id));
  const above = ({ parent_group_id: parent }: Group) => (parent !== null && known.has(parent) ? parent : null);
  const below = Map.groupBy(groups, above);
  const from = (parent: string | null, depth: number): Placed[] =>
    (below.get(parent) ?? [])
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .flatMap((group) => [{ group, depth }, ...from(group.group_id, depth + 1)]);
  return from(null, 0);
}
