import { expect, test } from 'vitest';
import type { Rejection } from '#ingest/message.ts';
import { createRejectionQuota } from '#ingest/write/save-rejections.ts';

const HOUR_MS = 3_600_000;
const reject = (deviceId: string, bytes: number): Rejection => ({
  message: {
    topic: '',
    payload: Buffer.alloc(bytes),
    receivedAtMs: 0,
    decoded: { deviceId, readings: [], rejections: [] },
  },
  element: null,
  reason: 'x',
});

test('stores a limited number of a device’s invalid messages per hour, counts the rest, and does not limit its neighbours', () => {
  const keeping = createRejectionQuota({ ofDevice: 1_010, ofAll: 2_510 });
  const many = Array.from({ length: 10 }, () => reject('loud', 300));
  expect(keeping.of(many, 0)).toHaveLength(2);
  expect(keeping.of([reject('quiet', 300)], 1)).toHaveLength(1);
  expect(keeping.unstoredCount).toBe(8);
  // In addition to the limit per device, one hourly limit applies to all devices together.
  const all = Array.from({ length: 10 }, (_, index) => reject(`dev_${index}`, 300));
  expect(keeping.of(all, 2)).toHaveLength(2);
  expect(keeping.of([reject('loud', 300)], HOUR_MS)).toHaveLength(1);
});

test('counts only the stored part of a long payload towards the limit', () => {
  const keeping = createRejectionQuota({ ofDevice: 70_000, ofAll: 70_000 });
  expect(keeping.of([reject('a', 10_000_000)], 0)).toHaveLength(1);
});

test('uncommitted rejections do not count towards the limit', () => {
  const keeping = createRejectionQuota({ ofDevice: 1_010, ofAll: 2_510 });
  const many = Array.from({ length: 3 }, () => reject('loud', 300));
  for (let attempt = 0; attempt < 5; attempt++) keeping.undo(many, keeping.of(many, 0));
  expect(keeping.unstoredCount).toBe(0);
  expect(keeping.of(many, 0)).toHaveLength(2);
  expect(keeping.unstoredCount).toBe(1);
});

test('counts the payload of a message at most ten times towards the limit, however many of its elements are rejected', () => {
  const keeping = createRejectionQuota({ ofDevice: 30_000, ofAll: 30_000 });
  const { message } = reject('a', 2_000);
  const elements = Array.from({ length: 10_000 }, (_, element) => ({ message, element, reason: 'not an object' }));
  const kept = keeping.of(elements, 0);
  expect(kept).toHaveLength(Math.floor((30_000 - 10 * 2_000) / 213));
  keeping.undo(elements, kept);
  expect(keeping.of(elements, 0)).toHaveLength(kept.length);
  expect(createRejectionQuota().of(elements, 0)).toHaveLength(10_000);
  // A message is stored either with its payload or not at all.
  expect(
    keeping.of(
      [
        { ...reject('b', 40_000), element: 0 },
        { ...reject('b', 40_000), element: 1 },
      ],
      0,
    ),
  ).toEqual([]);
});
