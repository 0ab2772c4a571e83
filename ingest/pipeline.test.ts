import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createFloodLimit } from './flood-limit.ts';
import type { IncomingMessage } from './message.ts';
import { Pipeline } from './pipeline.ts';
import type { RawMessage } from './source/source.ts';
import type { Writer } from './write/writer.ts';

const log = pino({ level: 'silent' });
const raw = (deviceId: string, payload: string): RawMessage => ({
  topic: `energy/v1/${deviceId}/readings`,
  payload: Buffer.from(payload),
  receivedAtMs: 0,
  replayed: false,
});
const UNHEARD = { done() {} };
const stored = (batch: readonly IncomingMessage[]) => ({ stored: batch.length, duplicates: 0, rejected: 0 });
/** Collects garbage now. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** 20 KB, of which 10,000 rejections are made. */
const JUNK = JSON.stringify(Array.from({ length: 10_000 }, () => 1));

test('a stop amid a flood writes what was taken, asks for no more, and is over then', async () => {
  const writer: Writer = {
    async write(batch) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return stored(batch);
    },
  };
  let [acknowledged, resumed] = [0, 0];
  // As a source does: it reads on as long as it may, and whenever there is room again.
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
  // What is still on its way in is taken, and nothing after it asked for.
  expect(pipeline.receive(raw('dev_late', '{"power_w":1}'), UNHEARD)).toBe(false);
});

test('what waits is bounded, and so is what is read out of it at a time', async () => {
  const batches: number[] = [];
  let [go, begun]: (() => void)[] = [() => {}, () => {}];
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const writer: Writer = {
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
  // 20 KB each; 64 MiB may wait.
  const long = ' '.repeat(2 ** 20);
  let taken = 1;
  while (pipeline.receive(raw(`dev_long_${taken}`, long), UNHEARD)) taken++;
  expect(taken).toBeLessThanOrEqual(64);
  await new Promise<void>((resolve) => {
    begun = resolve;
  });
  go?.();
  await expect.poll(() => pipeline.counts.committed).toBe(SENT + taken);
  // Half a million rejections in all.
  expect(batches.length).toBeGreaterThan(4);
  expect(Math.max(...batches)).toBeLessThanOrEqual(120_000);
});

test('what was read out of a message is let go of once it is written, though its batch goes on', async () => {
  const seen: WeakRef<IncomingMessage>[] = [];
  let goOn: () => void = () => {};
  const second = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const writer: Writer = {
    async write(batch) {
      for (const message of batch) seen.push(new WeakRef(message));
      if (seen.length > batch.length) await second;
      return stored(batch);
    },
  };
  const pipeline = new Pipeline({ writer, log, onRoom: () => {}, partitions: 1 });
  // Of devices that are not behind, so that one batch has them: 250 readings each.
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

test('readings, bytes and elements that cannot be used count towards the limit of a device', async () => {
  const limited = (messages: number) => {
    const writer: Writer = { write: async (batch) => stored(batch) };
    const floodLimit = createFloodLimit({ messages, windowMs: 600_000 });
    return new Pipeline({ writer, log, onRoom: () => {}, floodLimit });
  };
  const pipeline = limited(50_000);
  // 17 KiB each: 5 messages, and 20 more for the readings.
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
  // 245 messages.
  const long = JSON.stringify({ power_w: 1, more: 'x'.repeat(1_000_000) });
  for (let sent = 0; sent < 25; sent++) bytes.receive(raw('dev_long', long), UNHEARD);
  expect(bytes.counts.overLimit).toBe(25 - Math.floor(5_000 / 245));
});

test('a backlog that comes with the times of two windows in turns is limited like any other', async () => {
  const writer: Writer = { write: async (batch) => stored(batch) };
  const floodLimit = createFloodLimit({ messages: 10 });
  const pipeline = new Pipeline({ writer, log, onRoom: () => {}, floodLimit });
  for (let sent = 0; sent < 30; sent++)
    pipeline.receive({ ...raw('dev_1', '{"power_w":1}'), receivedAtMs: (sent % 2) * 3_600_000 }, UNHEARD);
  expect(pipeline.counts.overLimit).toBe(20);
});

test('what a device sends beyond its limit is not read', async () => {
  const written: IncomingMessage[] = [];
  const writer: Writer = {
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

test('a device that floods delays itself alone', async () => {
  let go: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const order: string[] = [];
  const writer: Writer = {
    async write(batch) {
      if (batch.some(({ decoded }) => decoded.deviceId === 'dev_hog')) await held;
      for (const { decoded, payload } of batch) if (decoded.deviceId === 'dev_hog') order.push(String(payload));
      return stored(batch);
    },
  };
  // One lane, so that both would be in it.
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

test('a device that floods has a quarter of a lane, while others send', async () => {
  let [writtenMs, ofNeighbour] = [0, 0];
  const writer: Writer = {
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
  // Its last batches, of no more than others have, are in their lanes.
  expect(tookMs).toBeGreaterThan(3 * writtenMs);
});

test('a lane rests after what it wrote of a flood, and not after what it wrote for a neighbour', async () => {
  const BATCH_MS = 100;
  const batches: { deviceId: string; fromMs: number; toMs: number }[] = [];
  let backlog: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    backlog = resolve;
  });
  const writer: Writer = {
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
  /** From the end of a device's first batch to the beginning of the next one, ms. */
  const restOf = (deviceId: string) => {
    const [first, second] = batches.filter((batch) => batch.deviceId === deviceId);
    return (second?.fromMs ?? Number.NaN) - (first?.toMs ?? Number.NaN);
  };
  // The lane of neighbours is at work on what waits after an outage, so the last one takes them.
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
