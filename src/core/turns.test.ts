import { expect, test } from 'vitest';
import { mapWithoutBlocking, yieldChunksWithBreaks } from '#src/core/turns.ts';

const rows = Array.from({ length: 1_501 }, (_, index) => index);

test('processes all rows in order, and lets other work run in between', async () => {
  let turns = 0;
  const other = setInterval(() => turns++, 0);
  const slowly = (row: number) => {
    const fromMs = performance.now();
    while (row % 250 === 0 && performance.now() - fromMs < 5);
    return row * 2;
  };
  expect(await mapWithoutBlocking(rows, slowly)).toEqual(rows.map((row) => row * 2));
  clearInterval(other);
  expect(turns).toBeGreaterThanOrEqual(2);
  const sizes: number[] = [];
  for await (const some of yieldChunksWithBreaks(rows)) sizes.push(some.length);
  for await (const some of yieldChunksWithBreaks([])) sizes.push(some.length);
  expect(sizes).toEqual([250, 250, 250, 250, 250, 250, 1]);
});
