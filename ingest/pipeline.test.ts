import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createFloodLimit } from './flood-limit.ts';
import type { IncomingMessage } from './message.ts';
import { Pipeline } from './pipeline.ts';
import type { RawMessage } from './source/source.ts';
import type { ReadingBatchWriter } from './write/writer.ts';

const log = pino({ level: 'silent' });
const raw = (deviceId: string, payload: string): RawMessage => ({
  topic: `energy/v1/${deviceId}/readings`,
  payload: Buffer.from(payload),
  receivedAtMs: 0,
  replayed: false,
});
const UNHEARD = { done() {} };
const stored = (batch: readonly IncomingMessage[]) => ({ stored: batch.length, duplicates: 0, rejected: 0 });
/** Makes the garbage collector available to this test. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** A message of 20 KB with 10,000 elements, all of which are rejected. */
const JUNK = JSON.stringify(Array.from({ length: 10_000 }, () => 1));

test('after a stop during a flood, writes the accepted messages, requests no more, and ends', async () => {
  const writer: ReadingBatchWriter = {
    async write(batch) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return stored(batch);
    },
  };
  let [acknowledged, resumed] = [0, 0];
  // Sends until the pipeline pauses it, and continues when it is resumed.
  const flood = () => {
    while (pipeline.receive(raw(`dev_${resumed}`, '{"power_w":1}'), { done: () => acknowledged++ }));
  };
  const pipeline = new Pipeline({
    writer,
    log,
    onRoom: () => {
      resumed++;
      flood();
    },
  });
  flood();
  await expect.poll(() => resumed).toBeGreaterThan(1);
  const [before, startedAt] = [resumed, performance.now()];
  await pipeline.drain(20_000);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(resumed).toBe(before);
  expect(acknowledged).toBe(pipeline.counts.received);
  // A message that was already on its way is accepted, but the source must pause.
  expect(pipeline.receive(raw('dev_late', '{"power_w":1}'), UNHEARD)).toBe(false);
});

test('limits the waiting messages, and the amount of decoded content in memory', async () => {
  const batches: number[] = [];
  let [go, begun]: (() => void)[] = [() => {}, () => {}];
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const writer: ReadingBatchWriter = {
    async write(batch) {
      batches.push(batch.reduce((sum, { decoded }) => sum + decoded.rejections.length, 0));
      begun?.();
      await held;
      return stored(batch);
    },
  };
  const pipeline = new Pipeline({ writer, log, onRoom: () => {}, partitions: 1 });
  const SENT = 50;
  for (let sent = 0; sent < SENT; sent++) expect(pipeline.receive(raw(`dev_${sent}`, JUNK), UNHEARD)).toBe(true);
  // Each of these messages has 1 MiB, and the pipeline has room for 64 MiB.
  const long = ' '.repeat(2 ** 20);
  let taken = 1;
  while (pipeline.receive(raw(`dev_long_${taken}`, long), UNHEARD)) taken++;
  expect(taken).toBeLessThanOrEqual(64);
  await new Promise<void>((resolve) => {
    begun = resolve;
  });
  go?.();
  await expect.poll(() => pipeline.counts.committed).toBe(SENT + taken);
  // All batches together contain half a million rejections.
  expect(batches.length).toBeGreaterThan(4);
  expect(Math.max(...batches)).toBeLessThanOrEqual(120_000);
});

test('releases decoded content as soon as it is written, while its batch continues', async () => {
  const seen: WeakRef<IncomingMessage>[] = [];
  let goOn: () => void = () => {};
  const second = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const writer: ReadingBatchWriter = {
    async write(batch) {
      for (const message of batch) seen.push(new WeakRef(message));
      if (seen.length > batch.length) await second;
      return stored(batch);
    },
  };
  const pipeline = new Pipeline({ writer, log, onRoom: () => {}, partitions: 1 });
  // No device is backlogged, so one batch contains all of their messages.
  const readings = JSON.stringify(Array.from({ length: 249 }, () => ({ power_w: 1 })));
  const SENT = 1_000;
  for (let sent = 0; sent < SENT; sent++) pipeline.receive(raw(`dev_${sent}`, readings), UNHEARD);
  await expect.poll(() => seen.length).toBeGreaterThan(pipeline.counts.committed);
  await expect.poll(() => pipeline.counts.committed).toBeGreaterThan(0);
  const written = seen.slice(0, pipeline.counts.committed);
  await expect
    .poll(() => {
      collect();
      return written.filter((message) => message.deref() !== undefined).length;
    })
    .toBe(0);
  goOn();
  await expect.poll(() => pipeline.counts.committed).toBe(SENT);
});

test('counts readings, bytes and unusable elements towards a device’s limit', async () => {
  const limited = (messages: number) => {
    const writer: ReadingBatchWriter = { write: async (batch) => stored(batch) };
    const floodLimit = createFloodLimit({ messages, windowMs: 600_000 });
    return new Pipeline({ writer, log, onRoom: () => {}, floodLimit });
  };
  const pipeline = limited(50_000);
  // This message counts as 5 messages because of its 17 KiB, and as 20 more because of its 1,000 readings.
  const good = JSON.stringify(Array.from({ length: 1_000 }, () => ({ power_w: 1000 })));
  for (let sent = 0; sent < 100; sent++) pipeline.receive(raw('dev_good', good), UNHEARD);
  await expect.poll(() => pipeline.counts.committed).toBe(100);
  expect(pipeline.counts.overLimit).toBe(0);
  for (let sent = 0; sent < 6; sent++) pipeline.receive(raw('dev_junk', JUNK), UNHEARD);
  await expect.poll(() => pipeline.counts.committed).toBe(106);
  expect(pipeline.counts.overLimit).toBe(2);

  const readings = limited(5_000);
  for (let sent = 0; sent < 210; sent++) {
    readings.receive(raw('dev_flood', good), UNHEARD);
    await expect.poll(() => readings.counts.committed, { interval: 1 }).toBe(sent + 1);
  }
  expect(readings.counts.overLimit).toBe(10);

  const bytes = limited(5_000);
  // This message counts as 245 messages because of its length.
  const long = JSON.stringify({ power_w: 1, more: 'x'.repeat(1_000_000) });
  for (let sent = 0; sent < 25; sent++) bytes.receive(raw('dev_long', long), UNHEARD);
  expect(bytes.counts.overLimit).toBe(25 - Math.floor(5_000 / 245));
});

test('treats a backlog whose times alternate between two windows like any other backlog', async () => {
  const writer: ReadingBatchWriter = { write: async (batch) => stored(batch) };
  const floodLimit = createFloodLimit({ messages: 10 });
  const pipeline = new Pipeline({ writer, log, onRoom: () => {}, floodLimit });
  for (let sent = 0; sent < 30; sent++)
    pipeline.receive({ ...raw('dev_1', '{"power_w":1}'), receivedAtMs: (sent % 2) * 3_600_000 }, UNHEARD);
  expect(pipeline.counts.overLimit).toBe(20);
});

test('does not decode messages beyond a device’s limit', async () => {
  const written: IncomingMessage[] = [];
  const writer: ReadingBatchWriter = {
    async write(batch) {
      written.push(...batch);
      return stored(batch);
    },
  };
  const floodLimit = createFloodLimit({ messages: 1, windowMs: 600_000 });
  const pipeline = new Pipeline({ writer, log, onRoom: () => {}, floodLimit });
  for (const payload of ['{"power_w":1}', '{"power_w":', JUNK]) pipeline.receive(raw('dev_1', payload), UNHEARD);
  await expect.poll(() => written.length).toBe(3);
  expect(written.map(({ decoded }) => decoded.rejections.map(({ reason }) => reason.slice(0, 11)))).toEqual([
    [],
    ['more than 1'],
    ['more than 1'],
  ]);
});

test('delays only the device that floods', async () => {
  let go: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const order: string[] = [];
  const writer: ReadingBatchWriter = {
    async write(batch) {
      if (batch.some(({ decoded }) => decoded.deviceId === 'dev_hog')) await held;
      for (const { decoded, payload } of batch) if (decoded.deviceId === 'dev_hog') order.push(String(payload));
      return stored(batch);
    },
  };
  // There is only one partition, so that both devices share it.
  const pipeline = new Pipeline({ writer, log, onRoom: () => {}, partitions: 1 });
  const sent = Array.from({ length: 3_000 }, (_, power) => `{"power_w":${power}}`);
  let [ofHog, ofNeighbour] = [0, 0];
  for (const payload of sent) pipeline.receive(raw('dev_hog', payload), { done: () => ofHog++ });
  await new Promise(setImmediate);
  for (let turn = 1; turn <= 3; turn++) {
    pipeline.receive(raw('dev_neighbour', '{"power_w":1}'), { done: () => ofNeighbour++ });
    await expect.poll(() => ofNeighbour).toBe(turn);
  }
  expect(ofHog).toBe(0);
  go();
  await expect.poll(() => ofHog).toBe(3_000);
  expect(order).toEqual(sent);
});

test('gives a flooding device a quarter of a partition’s time while others send', async () => {
  let [writtenMs, ofNeighbour] = [0, 0];
  const writer: ReadingBatchWriter = {
    async write(batch) {
      const fromMs = performance.now();
      if (batch.some(({ decoded }) => decoded.deviceId === 'dev_hog')) {
        await new Promise((resolve) => setTimeout(resolve, 8));
        writtenMs += performance.now() - fromMs;
      }
      return stored(batch);
    },
  };
  const pipeline = new Pipeline({ writer, log, onRoom: () => {} });
  const send = (deviceId: string, done: () => void) => pipeline.receive(raw(deviceId, '{"power_w":1}'), { done });
  send('dev_neighbour', () => ofNeighbour++);
  await expect.poll(() => ofNeighbour).toBe(1);
  const fromMs = performance.now();
  for (let sent = 0; sent < 2_000; sent++) send('dev_hog', () => {});
  await expect.poll(() => pipeline.counts.committed).toBe(2_001);
  const tookMs = performance.now() - fromMs;
  expect(tookMs).toBeGreaterThan(3 * writtenMs);
});

test('pauses a partition after a batch of a flood, and not after a batch for a neighbour', async () => {
  const BATCH_MS = 100;
  const batches: { deviceId: string; fromMs: number; toMs: number }[] = [];
  let backlog: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    backlog = resolve;
  });
  const writer: ReadingBatchWriter = {
    async write(batch) {
      const deviceId = batch[0]?.decoded.deviceId ?? '';
      const fromMs = performance.now();
      await (deviceId === 'dev_backlog' ? held : new Promise((resolve) => setTimeout(resolve, BATCH_MS)));
      batches.push({ deviceId, fromMs, toMs: performance.now() });
      return stored(batch);
    },
  };
  const pipeline = new Pipeline({ writer, log, onRoom: () => {}, partitions: 1 });
  const send = (deviceId: string) => pipeline.receive(raw(deviceId, '{"power_w":1}'), UNHEARD);
  /** Returns the time in ms from the end of a device's first batch to the start of its second batch. */
  const restOf = (deviceId: string) => {
    const [first, second] = batches.filter((batch) => batch.deviceId === deviceId);
    return (second?.fromMs ?? Number.NaN) - (first?.toMs ?? Number.NaN);
  };
  // The backlog of one device occupies the partition of the other device, its neighbour. The queue's last partition, which takes messages of
  // such devices, therefore writes the neighbour's messages.
  for (let sent = 0; sent < 300; sent++) send('dev_backlog');
  await new Promise((resolve) => setImmediate(resolve));
  send('dev_neighbour');
  await new Promise((resolve) => setImmediate(resolve));
  send('dev_neighbour');
  await expect.poll(() => batches.length).toBe(2);
  expect(restOf('dev_neighbour')).toBeLessThan(BATCH_MS);
  backlog();
  for (let sent = 0; sent < 300; sent++) send('dev_hog');
  await expect.poll(() => batches.filter(({ deviceId }) => deviceId === 'dev_hog').length, { timeout: 10_000 }).toBe(3);
  expect(restOf('dev_hog')).toBeGreaterThan(2 * BATCH_MS);
});
