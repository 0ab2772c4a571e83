import { expect, test } from 'vitest';
import type { DecodedValue } from '../decoders/family.ts';
import { createDecodedMessage, getStoredValueKind } from './assign.ts';

const RECEIVED_MS = Date.UTC(2026, 6, 5, 19);
const volume = (value: number, atMs: number | null = null): DecodedValue => ({
  device: 'meter',
  channel: 'mbus1/gas/m3',
  kind: 'volume_total_m3',
  value,
  atMs,
  native: '0-1:24.2.1',
});

test('converts a volume into a register in whole cm³, halves away from zero, at its own time', () => {
  const decoded = createDecodedMessage(
    'dev_1',
    [volume(10142.194, RECEIVED_MS - 300_000), volume(3495.884612862), volume(1.0000005)],
    RECEIVED_MS,
  );
  expect(decoded.rejections).toEqual([]);
  expect(
    decoded.readings.map(({ channel, kind, value, readAtMs, native }) => [channel, kind, value, readAtMs, native]),
  ).toEqual([
    ['mbus1/gas/m3', 'register', 10_142_194_000, RECEIVED_MS - 300_000, '0-1:24.2.1'],
    ['mbus1/gas/m3', 'register', 3_495_884_613, RECEIVED_MS, '0-1:24.2.1'],
    ['mbus1/gas/m3', 'register', 1_000_001, RECEIVED_MS, '0-1:24.2.1'],
  ]);
  expect(getStoredValueKind('volume_total_m3')).toBe('register');
});
