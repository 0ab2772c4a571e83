import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyRoutingChanges, listRoutingMapChanges, parseRoutingExceptions } from './exceptions.ts';
import type { RoutingMapChange, RoutingMapEntry } from './runtime-api.ts';

test('a file of exceptions has one account and cell per line, and may contain comments', () => {
  const text = '# moved\nusr_1 c2\n\n  dev_1\tfirst # back\nusr_1 c3\n';
  expect([...parseRoutingExceptions(text)]).toEqual([
    ['usr_1', 'c3'],
    ['dev_1', 'first'],
  ]);
  expect(() => parseRoutingExceptions('usr_1 c2\nusr_2\n')).toThrow('line 2');
  expect(() => parseRoutingExceptions('usr_1 c2 c3\n')).toThrow('line 1');
});

/** Applies changes to a map like HAProxy: if a name has two entries, the first is found. A request may arrive after each command. */
function apply(
  entries: readonly RoutingMapEntry[],
  changes: readonly RoutingMapChange[],
  onRequest: (found: Map<string, string>) => void,
) {
  let after = [...entries];
  const found = () => new Map(after.toReversed().map(({ name, value }) => [name, value]));
  for (const [index, { name, add, remove }] of changes.entries()) {
    if (add !== null) after.push({ ref: `new ${index}`, name, value: add });
    onRequest(found());
    for (const ref of remove) {
      expect(after.filter((entry) => entry.ref === ref && entry.name === name)).toHaveLength(1);
      after = after.filter((entry) => entry.ref !== ref);
      onRequest(found());
    }
  }
  return after;
}

test('updates of a router make its map equal to the file, change nothing else, and never leave a name without an entry', () => {
  const names = fc.constantFrom<string>('usr_1', 'usr_2', 'dev_1', 'dev_2', 'AB');
  const cells = fc.constantFrom('first', 'c2', 'c3');
  const files = fc.array(fc.tuple(names, cells)).map((entries) => new Map(entries));
  // A map may contain a name twice after an interrupted change.
  const maps = fc
    .array(fc.tuple(names, cells))
    .map((entries) => entries.map(([name, value], index) => ({ ref: `0x${index}`, name, value })));
  const routings = fc.array(fc.tuple(names, fc.option(cells))).map((entries) => new Map(entries));
  const listed = (entries: readonly RoutingMapEntry[]) => entries.map(({ name, value }) => [name, value]).sort();
  fc.assert(
    fc.property(files, maps, routings, (file, router, routing) => {
      const wanted = applyRoutingChanges(file, routing);
      for (const [name, cell] of routing) expect(wanted.get(name) ?? null).toBe(cell);
      const before = new Set(router.map(({ name }) => name));
      const noGap = (found: Map<string, string>) => {
        for (const name of wanted.keys()) if (before.has(name)) expect(found.has(name), name).toBe(true);
      };
      expect(listed(apply(router, listRoutingMapChanges(wanted, router), noGap))).toEqual([...wanted].sort());
      const after = apply(router, listRoutingMapChanges(wanted, router, routing.keys()), noGap);
      const isNamed = ({ name }: RoutingMapEntry) => routing.has(name);
      expect(listed(after.filter(isNamed))).toEqual([...wanted].filter(([name]) => routing.has(name)).sort());
      expect(listed(after.filter((entry) => !isNamed(entry)))).toEqual(
        listed(router.filter((entry) => !isNamed(entry))),
      );
    }),
  );
});
