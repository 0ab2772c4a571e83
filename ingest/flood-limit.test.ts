import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFloodLimit } from '#ingest/flood-limit.ts';

test('accepts a maximum number of messages of a device per window, whatever others send, and again in the next window', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50 }),
      fc.array(fc.stringMatching(/^dev_[a-z0-9]{3}$/), { minLength: 1, maxLength: 20 }),
      (messages, names) => {
        let nowMs = 0;
        const limit = createFloodLimit({ messages, windowMs: 2_000, now: () => nowMs });
        const devices = [...new Set(names)];
        for (const windowMs of [10_000, 12_000]) {
          const refused: string[] = [];
          for (let sent = 0; sent < messages; sent++) {
            nowMs = windowMs + sent;
            for (const device of devices) if (limit.refuse(device) !== null) refused.push(device);
          }
          expect(refused).toEqual([]);
          nowMs = windowMs + 1_999;
          expect(limit.refuse(devices[0] as string)).toContain(`more than ${messages} messages`);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('counts unusable elements like messages, and does not overflow a full counter', () => {
  const limit = createFloodLimit({ messages: 100_000, now: () => 0 });
  for (let sent = 0; sent < 9; sent++) expect(limit.refuse('dev_1', 10_001)).toBeNull();
  expect(limit.refuse('dev_1', 10_001)).not.toBeNull();
  for (let sent = 0; sent < 3; sent++) limit.refuse('dev_1', 2 ** 31);
  expect(limit.refuse('dev_1')).not.toBeNull();
  expect(limit.refuse('dev_2')).toBeNull();
});

test('accepts 100,000 devices within the limit without affecting one another', () => {
  const limit = createFloodLimit({ messages: 1_000, now: () => 0 });
  const refused = new Set<string>();
  for (let sent = 0; sent < 20; sent++) {
    for (let device = 0; device < 100_000; device++) if (limit.refuse(`dev_${device}`)) refused.add(`dev_${device}`);
  }
  expect(refused.size).toBe(0);
  // A flood of messages from one device does not affect other devices.
  for (let sent = 0; sent < 1_500; sent++) limit.refuse('dev_7');
  expect(limit.refuse('dev_7')).not.toBeNull();
  for (let device = 0; device < 100_000; device++) if (limit.refuse(`dev_${device}`)) refused.add(`dev_${device}`);
  expect([...refused]).toEqual(['dev_7']);
});
