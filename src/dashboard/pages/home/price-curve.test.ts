import { expect, test } from 'vitest';
import { findCheapestHours, findCheapestWindow } from './price-curve.ts';

const HOUR_MS = 3_600_000;
const day = (date: string, prices: (number | null)[]) =>
  prices.map((price, hour) => ({ ms: Date.parse(`${date}T00:00Z`) + hour * HOUR_MS, date, price }));
const nightAndEvening = Array.from({ length: 24 }, (_, hour) =>
  hour < 4 ? 0.2 + hour / 100 : hour >= 18 ? 0.5 : 0.35,
);

test('marks the cheapest hours of each day, and no hour whose price is unknown', () => {
  const hours = [...day('2026-11-27', nightAndEvening), ...day('2026-11-28', [0.9, 0.1, null, 0.8, 0.7, 0.6])];
  const marked = [...findCheapestHours(hours)].map((ms) => new Date(ms).toISOString().slice(5, 13)).sort();
  expect(marked).toEqual(
    ['11-27T00', '11-27T01', '11-27T02', '11-27T03', '11-28T01', '11-28T03', '11-28T04', '11-28T05'].sort(),
  );
});

test('names the cheapest consecutive hours that lie in the future', () => {
  const hours = [
    ...day('2026-11-27', nightAndEvening),
    ...day(
      '2026-11-28',
      nightAndEvening.map((price) => price + 0.005),
    ),
  ];
  const at = (text: string) => Date.parse(text);
  expect(findCheapestWindow(hours, at('2026-11-27T00:00Z'))).toMatchObject({ fromMs: at('2026-11-27T00:00Z') });
  // The current hour is the cheapest. It has already begun, so it is excluded.
  const later = findCheapestWindow(hours, at('2026-11-27T00:30Z'));
  expect(later?.fromMs).toBe(at('2026-11-28T00:00Z'));
  expect(later?.toMs).toBe(at('2026-11-28T03:00Z'));
  expect(later?.price).toBeCloseTo(0.215, 9);
  expect(findCheapestWindow(day('2026-11-27', [0.1, null, 0.1, 0.1]), 0)).toBeNull();
});
