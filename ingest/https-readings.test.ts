import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AppError } from '#src/core/errors.ts';
import { createFloodLimit } from './flood-limit.ts';
import { HttpsReadingsWriter } from './https-readings.ts';
import { createIncomingMessage, decodeHttpsReadings } from './incoming.ts';
import type { IncomingMessage } from './message.ts';
import { groupResultsByMessage } from './write/message-results.ts';
import type { ReadingBatchWriter } from './write/writer.ts';

const NOW_MS = Date.UTC(2026, 5, 15, 12);
const reading = (deviceId: string, power_w = 1) => ({
  deviceId,
  format: 'native' as const,
  body: { ts: NOW_MS, power_w },
  bytes: 40,
  sender: { id: 'key', confirm: async () => {} },
});

/** Creates a writer that accepts all readings. Each batch takes `ms` milliseconds. If `fail` throws, the batch fails with this error. */
function stubWriter({
  ms = 5,
  fail = () => {},
}: {
  ms?: number;
  fail?: (batch: readonly IncomingMessage[]) => void;
} = {}) {
  const batches: string[][] = [];
  const underWay = new Set<string>();
  const writer: ReadingBatchWriter = {
    async write(batch) {
      const ids = new Set(batch.map(({ decoded }) => decoded.deviceId));
      for (const id of ids) expect(underWay.has(id)).toBe(false);
      for (const id of ids) underWay.add(id);
      batches.push(batch.map(({ decoded }) => decoded.deviceId));
      await pause(ms);
      for (const id of ids) underWay.delete(id);
      fail(batch);
      const stepped = batch.flatMap(({ decoded }) => decoded.readings);
      const rejects = batch.flatMap((message) => message.decoded.rejections.map((one) => ({ message, ...one })));
      const byMessage = () => groupResultsByMessage(batch, { stepped, plans: [], rejects });
      return { stored: stepped.length, duplicates: 0, rejected: rejects.length, byMessage };
    },
  };
  return { writer, batches };
}

describe('readings sent over HTTPS', () => {
  test('share transactions while others run, in order, and a device is never in two transactions at once', async () => {
    const { writer, batches } = stubWriter();
    const sending = new HttpsReadingsWriter(writer, () => NOW_MS);
    const all = Array.from({ length: 200 }, (_, index) => sending.write(reading(`dev_${index % 7}`)));
    expect(new Set((await Promise.all(all)).map(({ stored }) => stored))).toEqual(new Set([1]));
    expect(batches.length).toBeLessThan(5);
    expect(batches.flat().length).toBe(200);
  });

  test('are refused individually if the data makes a transaction fail, and together if the database fails', async () => {
    const breaks = (batch: readonly IncomingMessage[]) => {
      if (batch.some(({ decoded }) => decoded.readings.some(({ value }) => value === 666_000)))
        throw Object.assign(new Error('invalid value'), { code: '22003' });
    };
    const sending = new HttpsReadingsWriter(stubWriter({ fail: breaks }).writer, () => NOW_MS);
    const results = await Promise.all([1, 666, 2].map((watts, at) => sending.write(reading(`dev_${at}`, watts))));
    expect(results.map(({ stored }) => stored)).toEqual([1, 0, 1]);
    expect(results[1]?.rejections).toEqual([{ element: null, reason: 'cannot be written: invalid value' }]);

    const away = Object.assign(new Error('connection terminated'), { code: '08006' });
    const failing = new HttpsReadingsWriter(
      stubWriter({
        fail: () => {
          throw away;
        },
      }).writer,
      () => NOW_MS,
    );
    const settled = await Promise.allSettled([failing.write(reading('a')), failing.write(reading('b'))]);
    expect(settled.map((one) => one.status === 'rejected' && one.reason)).toEqual([away, away]);
    // The writer accepts the next request, although the transaction before it failed.
    await expect(failing.write(reading('a'))).rejects.toBe(away);
  });

  test('are refused while too many wait, and beyond the flood limit of their device', async () => {
    const { writer } = stubWriter({ ms: 50 });
    const sending = new HttpsReadingsWriter(writer, () => NOW_MS);
    const all = await Promise.allSettled(
      Array.from({ length: 1_100 }, (_, index) => sending.write(reading(`d${index}`))),
    );
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(100);
    expect((refused[0] as PromiseRejectedResult).reason).toMatchObject({ is: 'unavailable' });
    expect(await sending.write(reading('later'))).toMatchObject({ stored: 1 });

    const limited = new HttpsReadingsWriter(stubWriter().writer, () => NOW_MS, createFloodLimit({ messages: 2 }));
    await limited.write(reading('a'));
    await limited.write(reading('a'));
    const error = await limited.write(reading('a')).catch((thrown: AppError) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ is: 'tooManyRequests' });
    expect(await limited.write(reading('b'))).toMatchObject({ stored: 1 });
  });

  test('need a time of their own, even if a rejected request is replayed', () => {
    const body = [{ power_w: 1 }, { ts: NOW_MS, power_w: 2, colour: 'red' }, 7];
    const decoded = decodeHttpsReadings({ deviceId: 'dev_1', format: 'native' }, body, NOW_MS);
    expect(decoded.readings.map(({ element, value }) => [element, value])).toEqual([[1, 2_000]]);
    expect(decoded.rejections.map(({ element }) => element)).toEqual([0, 2]);
    const replayed = createIncomingMessage({
      topic: 'POST /v1/devices/dev_1/readings',
      payload: Buffer.from(JSON.stringify(body)),
      receivedAtMs: NOW_MS,
      replayed: false,
    });
    expect(replayed?.decoded).toEqual(decoded);
  });

  test("are read record by record from SenML packs, for the device in the request's path", () => {
    const at = NOW_MS / 1_000;
    const decode = (body: unknown) => decodeHttpsReadings({ deviceId: 'dev_1', format: 'senml' }, body, NOW_MS);
    const { readings, rejections } = decode([
      { bn: 'urn:dev:mac:0024befffe804ff1:', bt: at, n: 'energy', u: 'kWh', v: 12.5 },
      { n: 'power', u: 'W', v: 300 },
      { n: 'power', u: 'W', v: 310, t: -10 },
      { n: 'energy', u: 'kWh', v: 'x' },
      { n: 'status', vs: 'fine' },
      { bt: 0, n: 'power', u: 'W', v: 320, t: -5 },
    ]);
    expect(readings.map((one) => [one.element, one.deviceId, one.channel, one.kind, one.value, one.readAtMs])).toEqual([
      [0, 'dev_1', 'import', 'register', 12_500_000, NOW_MS],
      [1, 'dev_1', 'import', 'power', 300_000, NOW_MS],
      [2, 'dev_1', 'import', 'power', 310_000, NOW_MS - 10_000],
    ]);
    expect(rejections).toEqual([
      { element: 3, reason: 'v of record 3 cannot be used' },
      { element: 5, reason: expect.stringContaining('needs an absolute time') },
    ]);
    for (const whole of [{}, [], 7, null, [{ bt: at, n: 'x', u: 'V', v: 1 }], [{ bver: 11, bt: at }]])
      expect(decode(whole)).toMatchObject({ readings: [], rejections: [{ element: null }] });
  });
});
