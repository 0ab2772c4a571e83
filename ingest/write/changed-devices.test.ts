import { expect, test, vi } from 'vitest';
import type { Logger } from '#src/core/log.ts';
import type { Pool } from '#src/database/connect.ts';
import { computeChanged } from './changed-devices.ts';
import type { Writer } from './writer.ts';

test('a device that cannot be computed anew keeps none of the others from it', async () => {
  const rows = ['dev_1', 'dev_2', 'dev_3'].map((device_id) => ({ device_id }));
  const pool = { query: async () => ({ rows }) } as unknown as Pool;
  const written: string[] = [];
  const writer: Writer = {
    async write([message]) {
      if (message?.decoded.deviceId === 'dev_2') throw new Error('its past cannot be read');
      written.push(message?.decoded.deviceId ?? '');
      return { stored: 0, duplicates: 0, rejected: 0 };
    },
  };
  const warn = vi.fn();
  expect(await computeChanged(pool, writer, { warn } as unknown as Logger)).toBe(2);
  expect(written).toEqual(['dev_1', 'dev_3']);
  expect(warn).toHaveBeenCalledOnce();
});
