import { expect, test, vi } from 'vitest';
import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { type FailedRecomputations, recomputeChangedDevices } from './changed-devices.ts';
import type { ReadingBatchWriter } from './writer.ts';

function changed(deviceIds: readonly string[], fails: ReadonlySet<string>) {
  const pool = {
    query: async (_: string, [, waiting]: [number, string[]]) => ({
      rows: deviceIds.map((device_id) => ({ device_id, waits: waiting.includes(device_id) })),
    }),
  } as unknown as Pool;
  const written: string[] = [];
  const writer: ReadingBatchWriter = {
    async write([message]) {
      const deviceId = message?.decoded.deviceId ?? '';
      written.push(deviceId);
      if (fails.has(deviceId)) throw new Error('its past cannot be read');
      return { stored: 0, duplicates: 0, rejected: 0 };
    },
  };
  const error = vi.fn();
  const failing: FailedRecomputations = new Map();
  const compute = () => recomputeChangedDevices(pool, writer, { log: { error } as unknown as Logger, failing });
  return { compute, written, error, failing };
}

test('logs a failed recomputation, delays its next attempt, and does not hold up other devices', async () => {
  const fails = new Set(['dev_2']);
  const { compute, written, error, failing } = changed(['dev_1', 'dev_2', 'dev_3'], fails);
  expect(await compute()).toBe(2);
  expect(written).toEqual(['dev_1', 'dev_2', 'dev_3']);
  expect(error).toHaveBeenCalledOnce();
  expect(failing.size).toBe(1);
  expect(await compute()).toBe(2);
  expect(written.slice(3)).toEqual(['dev_1', 'dev_3']);
  // The second recomputation of `dev_2` fails too, so its wait doubles. The third one succeeds.
  const again = { failures: 1, againAtMs: performance.now() };
  failing.set('dev_2', again);
  await compute();
  expect(failing.get('dev_2')).toMatchObject({ failures: 2 });
  expect((failing.get('dev_2')?.againAtMs ?? 0) - again.againAtMs).toBeGreaterThan(9_000);
  failing.set('dev_2', again);
  fails.clear();
  expect(await compute()).toBe(3);
  expect(failing.size).toBe(0);
});

test('stops reporting a device as failing once it is deleted or another worker has computed it', async () => {
  const { compute, failing } = changed(['dev_1'], new Set());
  failing.set('dev_2', { failures: 3, againAtMs: performance.now() + 60_000 });
  await compute();
  expect(failing.size).toBe(0);
});
