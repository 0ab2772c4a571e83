import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changesTo, parseExceptions, withRouting } from './exceptions.ts';

test('a file of exceptions has a name and a cell a line, with comments', () => {
  const text = '# moved\nusr_1 c2\n\n  dev_1\tfirst # back\nusr_1 c3\n';
  expect([...parseExceptions(text)]).toEqual([
    ['usr_1', 'c3'],
    ['dev_1', 'first'],
  ]);
  expect(() => parseExceptions('usr_1 c2\nusr_2\n')).toThrow('line 2');
  expect(() => parseExceptions('usr_1 c2 c3\n')).toThrow('line 1');
});

test('the changes of a router make its map what the file says, and touch nothing else', () => {
  const names = fc.constantFrom('usr_1', 'usr_2', 'dev_1', 'dev_2', 'AB');
  const cells = fc.constantFrom('first', 'c2', 'c3');
  const maps = fc.array(fc.tuple(names, cells)).map((entries) => new Map(entries));
  const routings = fc.array(fc.tuple(names, fc.option(cells))).map((entries) => new Map(entries));
  const apply = (map: ReadonlyMap<string, string>, changes: ReturnType<typeof changesTo>) => {
    const after = new Map(map);
    for (const { name, from, to } of changes) {
      // HAProxy keeps the older of two entries of one name: it must be deleted before the newer is added.
      expect(after.get(name) ?? null).toBe(from);
      expect(from).not.toBe(to);
      after.delete(name);
      if (to !== null) after.set(name, to);
    }
    return after;
  };
  const sorted = (map: ReadonlyMap<string, string>) => [...map].sort();
  fc.assert(
    fc.property(maps, maps, routings, (file, router, routing) => {
      const wanted = withRouting(file, routing);
      for (const [name, cell] of routing) expect(wanted.get(name) ?? null).toBe(cell);
      expect(sorted(apply(router, changesTo(wanted, router)))).toEqual(sorted(wanted));
      const after = apply(router, changesTo(wanted, router, routing.keys()));
      for (const name of new Set([...router.keys(), ...file.keys(), ...routing.keys()]))
        expect(after.get(name)).toBe(routing.has(name) ? wanted.get(name) : router.get(name));
    }),
  );
});
