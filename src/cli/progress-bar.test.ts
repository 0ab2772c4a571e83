import { afterEach, expect, test, vi } from 'vitest';
import { createProgressPrinter } from './progress-bar.ts';

afterEach(() => void vi.useRealTimers());

test('progress in a pipe is a line every five seconds, also across relations; shorter work prints none', () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const bar = createProgressPrinter('importing', (line) => lines.push(line));
  bar.start(3_000, 0);
  bar.update(1_000);
  vi.advanceTimersByTime(4_999);
  bar.update(2_000);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1);
  bar.update(2_500);
  bar.increment(100);
  bar.stop();
  for (const relation of ['readings', 'alerts']) {
    bar.start(0, 0, { relation });
    vi.advanceTimersByTime(2_500);
    bar.update(0);
  }
  expect(lines).toEqual(['importing: 83 %', 'alerts: 0 %']);
});
