import { expect, test } from 'vitest';
import { createUnsentResponseTracker } from './unsent.ts';

/** Returns a random number generator that returns the same numbers in each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
}

const LIMITS = { ofConnection: 100, ofAddress: 250, ofAll: 600 };

test.each([1, 2, 3, 4, 5])(
  'the bytes of unsent answers exceed no limit by more than one answer, in any order of events (%i)',
  (seed) => {
    const next = random(seed);
    const { hold, bytes } = createUnsentResponseTracker(LIMITS);
    const held = new Map<number, { connection: number; address: number; size: number; release: () => void }>();
    const connections = Array.from({ length: 40 }, () => ({}));
    const sumOf = (isOne: (one: { connection: number; address: number }) => boolean) => {
      const found = [...held.values()].filter(isOne);
      return { count: found.length, bytes: found.reduce((sum, { size }) => sum + size, 0) };
    };
    for (let number = 0; number < 3_000; number++) {
      const connection = next(connections.length);
      const address = connection % 10;
      const size = 1 + next(next(20) === 0 ? 300 : 40);
      held.set(number, { connection, address, size, release: () => {} });
      const release = hold({
        connection: connections[connection] as object,
        address: String(address),
        bytes: size,
        cut: () => held.delete(number),
      });
      const one = held.get(number);
      if (one) one.release = release;
      for (const { count, bytes } of [sumOf((other) => other.connection === connection)])
        expect(count <= 1 || bytes <= LIMITS.ofConnection).toBe(true);
      const ofAddress = sumOf((other) => other.address === address);
      expect(ofAddress.count <= 1 || ofAddress.bytes <= LIMITS.ofAddress).toBe(true);
      const all = sumOf(() => true);
      expect(all.count <= 1 || all.bytes <= LIMITS.ofAll).toBe(true);
      expect(bytes()).toBe(all.bytes);
      for (const [other, { release: end }] of held) {
        if (next(8) !== 0) continue;
        held.delete(other);
        end();
        // A second release of the same response has no effect.
        end();
      }
    }
    for (const { release } of held.values()) release();
    expect(bytes()).toBe(0);
  },
);

test("beyond the limit, the account's longest-waiting answers are cut off, and those of others are not", () => {
  const { hold } = createUnsentResponseTracker(LIMITS);
  const cut: string[] = [];
  const answer = (name: string, connection: object, address: string) =>
    hold({ connection, address, bytes: 40, cut: () => cut.push(name) });
  const [mine, theirs] = [{}, {}];
  answer('theirs', theirs, 'b');
  for (const name of ['first', 'second', 'third']) answer(name, mine, 'a');
  expect(cut).toEqual(['first']);
});
