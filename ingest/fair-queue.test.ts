import assert from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';
import { type QueuedMessage, RecentlyWrittenDevices } from './message-scheduling.ts';

interface Message extends QueuedMessage {
  number: number;
}
const message = (deviceId: string, number: number, weight = 1, bytes = 100): Message => ({
  deviceId,
  account: deviceId,
  number,
  weight,
  bytes,
});
const PARTITIONS = 2;
const BEHIND = PARTITIONS;
const count = (batch: readonly Message[]) => Map.groupBy(batch, ({ deviceId }) => deviceId);

test('has each device in one batch at a time, with its messages in order, and returns each message once', () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        push: fc.constantFrom('dev_a', 'dev_b', 'dev_c', 'dev_d'),
        times: fc.integer({ min: 1, max: 300 }),
        weight: fc.constantFrom(1, 2, 100, 10_001),
      }),
    },
    { weight: 4, arbitrary: fc.record({ take: fc.nat(PARTITIONS) }) },
    { weight: 3, arbitrary: fc.record({ finish: fc.nat(PARTITIONS) }) },
    { weight: 1, arbitrary: fc.record({ afterMs: fc.constantFrom(10, 20_000) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let nowMs = 0;
      const queue = new FairQueue<Message>(PARTITIONS, () => nowMs);
      const underWay = new Map<number, Message[]>();
      const last = new Map<string, number>();
      let [pushed, taken] = [0, 0];
      const take = (partition: number) => {
        if (underWay.has(partition)) return;
        const { messages: batch } = queue.take(partition);
        if (batch.length === 0) return;
        for (const deviceId of count(batch).keys())
          for (const other of underWay.values()) assert.ok(!count(other).has(deviceId));
        for (const { deviceId, number } of batch) {
          assert.ok(number > (last.get(deviceId) ?? -1));
          last.set(deviceId, number);
        }
        expect(batch.length).toBeLessThanOrEqual(5_000);
        taken += batch.length;
        underWay.set(partition, batch);
      };
      const finish = (partition: number) => {
        queue.finish(underWay.get(partition) ?? []);
        underWay.delete(partition);
      };
      for (const one of steps) {
        if ('push' in one) for (let n = 0; n < one.times; n++) queue.push(message(one.push, pushed++, one.weight));
        else if ('take' in one) take(one.take);
        else if ('finish' in one) finish(one.finish);
        else nowMs += one.afterMs;
      }
      // The loop ends when the partitions have taken all messages.
      for (let turn = 0; taken < pushed; turn++) {
        assert.ok(turn < 10_000);
        for (let partition = 0; partition <= PARTITIONS; partition++) finish(partition);
        for (let partition = 0; partition <= PARTITIONS; partition++) take(partition);
      }
    }),
    { numRuns: 200 },
  );
});

test('keeps a backlogged device out of its neighbours’ batches, and gives it small batches while they send', () => {
  let nowMs = 0;
  const queue = new FairQueue<Message>(1, () => nowMs);
  for (let n = 0; n < 2_000; n++) queue.push(message('dev_hog', n));
  for (let n = 0; n < 50; n++) queue.push(message(`dev_${n}`, n));
  expect(queue.take(0).messages).toHaveLength(50);
  const { messages: small, isBacklogged } = queue.take(1);
  expect(small).toHaveLength(100);
  expect(isBacklogged).toBe(true);
  queue.finish(small);
  // No other device has sent in the last 20 s, so the backlogged device gets full batches.
  nowMs += 20_000;
  expect(queue.take(0).messages).toHaveLength(1_900);
});

test('gives backlogged devices equal turns, however much each has sent', () => {
  const queue = new FairQueue<Message>(1, () => 0);
  queue.push(message('dev_neighbour', 0));
  expect(queue.take(0).messages).toHaveLength(1);
  for (let n = 0; n < 5_000; n++) queue.push(message('dev_a', n));
  for (let n = 0; n < 300; n++) queue.push(message('dev_b', n));
  for (let n = 0; n < 20; n++) queue.push(message('dev_long', n, 10_001));
  const of = (batch: Message[]) => {
    queue.finish(batch);
    return [...count(batch)].map(([deviceId, messages]) => [deviceId, messages.length]);
  };
  expect(of(queue.take(1).messages)).toEqual([
    ['dev_a', 100],
    ['dev_b', 100],
  ]);
  // A device may have at least one message in a batch, although this message has 10,001 elements.
  expect(of(queue.take(1).messages)).toEqual([['dev_long', 1]]);
  expect(of(queue.take(1).messages)).toEqual([['dev_a', 100]]);
  expect(of(queue.take(0).messages)).toEqual([['dev_b', 200]]);
});

test('lets every partition but the reserved one take backlogged devices if all are backlogged, as after an outage', () => {
  const queue = new FairQueue<Message>(PARTITIONS, () => 0);
  for (let device = 0; device < 100; device++)
    for (let n = 0; n < 300; n++) queue.push(message(`dev_${device}`, device * 300 + n));
  const lengths = [0, 1, BEHIND].map((partition) => queue.take(partition).messages.length);
  expect(lengths).toEqual([5_000, 5_000, 0]);
  for (const deviceId of ['dev_x', 'dev_y', 'dev_z']) queue.push(message(deviceId, 30_000));
  const batches = [queue.take(BEHIND), queue.take(BEHIND)];
  expect(batches.flatMap(({ messages }) => messages)).toHaveLength(3);
  expect(batches.map(({ isBacklogged }) => isBacklogged)).toEqual([false, false]);
});

test('does not treat several devices that became backlogged together as neighbours of one another, even if some are one step ahead', () => {
  let nowMs = 0;
  const queue = new FairQueue<Message>(PARTITIONS, () => nowMs);
  const push = (device: number, times: number) => {
    for (let n = 0; n < times; n++) queue.push(message(`dev_${device}`, n));
  };
  // Each device has only one message, so no device is backlogged.
  for (let device = 0; device < 50; device++) push(device, 1);
  for (const partition of [0, 1]) queue.finish(queue.take(partition).messages);
  expect(queue.areOthers()).toBe(true);
  nowMs += 1_000;
  for (let device = 0; device < 50; device++) push(device, 1_000);
  queue.finish(queue.take(BEHIND).messages);
  // This device has only one pending message.
  push(50, 1);
  for (const partition of [0, 1]) queue.finish(queue.take(partition).messages);
  expect(queue.areOthers()).toBe(false);
  expect([0, 1].map((partition) => queue.take(partition).messages.length)).toEqual([5_000, 5_000]);
  for (let device = 60; device < 80; device++) push(device, 1);
  for (let home = 0; home < PARTITIONS; home++) queue.take(BEHIND);
  expect(queue.areOthers()).toBe(true);
});

test('bounds a batch in bytes, and always takes at least one message', () => {
  const queue = new FairQueue<Message>(1, () => 0);
  for (let n = 0; n < 3; n++) queue.push(message('dev_a', n, 1, 10 * 2 ** 20));
  const { messages: first } = queue.take(0);
  expect(first).toHaveLength(1);
  queue.finish(first);
  queue.push(message('dev_b', 3, 1, 100 * 2 ** 20));
  const { messages: second } = queue.take(0);
  expect(second.map(({ deviceId }) => deviceId)).toEqual(['dev_a']);
  expect(queue.take(0).messages.map(({ deviceId }) => deviceId)).toEqual(['dev_b']);
});

test('keeps a backlogged device in the backlogged list until its turn, even if the reason for the backlog was evicted', () => {
  const queue = new FairQueue<Message>(1, () => 0);
  queue.setApart('dev_large');
  queue.push(message('dev_large', 0));
  // Now too many devices are marked as costly, so all marks are removed.
  for (let n = 0; n < 10_000; n++) queue.setApart(`dev_${n}`);
  queue.push(message('dev_large', 1));
  queue.push(message('dev_neighbour', 2));
  expect([0, 1].map((partition) => queue.take(partition).messages.length)).toEqual([1, 2]);
});

test('treats a device as backlogged if its few messages are expensive to process', () => {
  const queue = new FairQueue<Message>(1, () => 0);
  queue.setApart('dev_large');
  queue.push(message('dev_large', 0));
  queue.push(message('dev_a', 1));
  expect(queue.take(0).messages.map(({ deviceId }) => deviceId)).toEqual(['dev_a']);
  expect(queue.take(1).messages.map(({ deviceId }) => deviceId)).toEqual(['dev_large']);
});

test('includes neighbours’ messages in a batch, in order, however many devices of another account send', () => {
  const queue = new FairQueue<Message>(1, () => 0);
  const of = (account: string, deviceId: string, number: number, weight = 1) => ({
    ...message(deviceId, number, weight),
    account,
  });
  // Two hundred gateways of one account send twice the maximum of a batch. Then the messages of other accounts arrive.
  for (let n = 0; n < 200; n++) queue.push(of('usr_hog', `gwy_${n}`, n, 200));
  for (let n = 0; n < 30; n++) queue.push(of(`usr_${n}`, `dev_${n}`, n));
  const first = queue.take(0).messages;
  expect(first.filter(({ deviceId }) => deviceId.startsWith('dev_'))).toHaveLength(30);
  expect(first.reduce((sum, { weight }) => sum + weight, 0)).toBeLessThanOrEqual(20_000);
  queue.finish(first);
  // Two accounts have more messages than fit into a batch. They share the next batch.
  for (let n = 0; n < 200; n++) queue.push(of('usr_other', `gwx_${n}`, n, 200));
  const second = Map.groupBy(queue.take(0).messages, ({ account }) => account);
  expect(second.get('usr_other')?.length).toBeGreaterThanOrEqual(12);
  expect(second.get('usr_hog')?.length).toBeGreaterThanOrEqual(12);
});

test('serves each of several accounts in one of the next few batches if together they have more than one batch', () => {
  const queue = new FairQueue<Message>(1, () => 0);
  const accounts = 200;
  let number = 0;
  for (let account = 0; account < accounts; account++)
    for (let device = 0; device < 4; device++)
      queue.push({ ...message(`gwy_${account}_${device}`, number++, 240), account: `usr_${account}` });
  const seen = new Set<string>();
  for (let batch = 0; batch < 4; batch++) {
    const { messages } = queue.take(0);
    for (const { account } of messages) seen.add(account);
    queue.finish(messages);
  }
  expect(seen.size).toBe(accounts);
});

test('detects neighbours if at least a quarter of the devices that sent last were not backlogged while sending', () => {
  const recent = new RecentlyWrittenDevices();
  for (const deviceId of ['dev_a', 'dev_b', 'dev_c']) recent.note(deviceId, true, 0);
  expect(recent.areOthers(1)).toBe(false);
  recent.note('dev_d', false, 1);
  expect(recent.areOthers(2)).toBe(true);
  // A device whose backlog has been written is treated as backlogged for another ten seconds.
  recent.note('dev_d', true, 2);
  recent.note('dev_d', false, 3);
  expect([recent.areOthers(4), recent.areOthers(10_001)]).toEqual([false, false]);
  recent.note('dev_d', false, 12_001);
  expect(recent.areOthers(12_002)).toBe(true);
});
