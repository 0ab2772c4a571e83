import { expect, test } from 'vitest';
import { listRequiredTopology } from './topology.ts';

const KEYS = ['energy.v1.*.readings', 'energy.v1.*.status'];

test('declares the exchange that accepts messages last, after everything without which messages could be lost', () => {
  const all = listRequiredTopology(3, KEYS);
  const at = (kind: string, name: string) =>
    all.findIndex((one) => one.kind === kind && ('name' in one ? one.name : one.to) === name);
  for (const name of ['energy.stray', 'energy.shard.0', 'energy.shard.2']) {
    expect(at('queue', name)).toBeGreaterThan(-1);
    expect(at('queue binding', name)).toBeGreaterThan(at('queue', name));
    expect(at('exchange', 'energy.mqtt')).toBeGreaterThan(at('queue binding', name));
  }
  expect(all.slice(at('exchange', 'energy.mqtt') + 1).map(({ kind }) => kind)).toEqual(
    KEYS.map(() => 'exchange binding'),
  );
});

test('declares shards that drop nothing, have one consumer at a time and a bounded length, and reject beyond it', () => {
  const shard = listRequiredTopology(2, KEYS).find((one) => 'name' in one && one.name === 'energy.shard.1');
  expect(shard).toMatchObject({
    kind: 'queue',
    options: {
      durable: true,
      arguments: {
        'x-queue-type': 'quorum',
        'x-single-active-consumer': true,
        'x-delivery-limit': -1,
        'x-consumer-timeout': 86_400_000,
        'x-overflow': 'reject-publish',
        'x-dead-letter-exchange': 'energy.stray',
        'x-dead-letter-strategy': 'at-least-once',
      },
    },
  });
  expect(shard).toHaveProperty(['options', 'arguments', 'x-max-length']);
  expect(shard).toHaveProperty(['options', 'arguments', 'x-max-length-bytes']);
});

test('routes messages that match no queue of either exchange to the queue of strays', () => {
  const exchanges = listRequiredTopology(1, KEYS).flatMap((one) =>
    one.kind === 'exchange' && one.name !== 'energy.stray' ? [one.options.alternateExchange] : [],
  );
  expect(exchanges).toEqual(['energy.stray', 'energy.stray']);
});
