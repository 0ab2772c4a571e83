import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeShardPriority } from './shard.ts';

const SHARDS = 64;
const ownerOf = (workers: readonly string[], shard: number) =>
  [...workers].sort((a, b) => computeShardPriority(b, shard) - computeShardPriority(a, shard))[0];

test('returns a number that is valid as an AMQP priority', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (worker, shard) => {
      const priority = computeShardPriority(worker, shard);
      expect(Number.isInteger(priority) && priority >= 0 && priority < 2 ** 31).toBe(true);
    }),
  );
});

test('gives each of several workers about the same number of shards', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 4 }), (workers) => {
      const owners = Array.from({ length: SHARDS }, (_, shard) => ownerOf(workers, shard));
      for (const worker of workers) {
        const share = owners.filter((owner) => owner === worker).length / SHARDS;
        // The number of queues of a worker may differ from an equal share by seven standard deviations.
        const fair = 1 / workers.length;
        expect(Math.abs(share - fair)).toBeLessThan(7 * Math.sqrt((fair * (1 - fair)) / SHARDS));
      }
    }),
  );
});

test('when a worker leaves, moves only the shards of that worker', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 5 }), ([gone = '', ...workers]) => {
      for (let shard = 0; shard < SHARDS; shard++) {
        const owner = ownerOf([gone, ...workers], shard);
        if (owner !== gone) expect(ownerOf(workers, shard)).toBe(owner);
      }
    }),
  );
});
