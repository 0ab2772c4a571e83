import { expect, test } from 'vitest';
import { subtractTimeRanges } from './silences.ts';

const stretches = (...all: [number, number][]) => all.map(([fromMs, toMs]) => ({ fromMs, toMs }));

test('unwatched time is the part of a stretch that no watched stretch covers', () => {
  const [day = { fromMs: 0, toMs: 0 }] = stretches([100, 200]);
  expect(subtractTimeRanges(day, [])).toEqual([day]);
  expect(subtractTimeRanges(day, stretches([0, 300]))).toEqual([]);
  expect(subtractTimeRanges(day, stretches([0, 120], [130, 150], [150, 160], [170, 170]))).toEqual(
    stretches([120, 130], [160, 170], [170, 200]),
  );
  expect(subtractTimeRanges(day, stretches([90, 190], [250, 260]))).toEqual(stretches([190, 200]));
});
