import { expect, test } from 'vitest';
import { Metrics } from './metrics.ts';

const HELP = { energy_a: 'a', energy_b: 'b', energy_c: 'c' };

/** Returns the values of the service's own gauges, by name. */
async function values(metrics: Metrics): Promise<Record<string, number[]>> {
  const all = (await metrics.asJson()) as { name: string; values: { value: number }[] }[];
  return Object.fromEntries(
    all.filter(({ name }) => name in HELP).map(({ name, values }) => [name, values.map(({ value }) => value)]),
  );
}

test('every metric has its current value, from the first scrape on', async () => {
  const metrics = new Metrics('test');
  let count = 0;
  metrics.valuesOf(HELP, async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    count++;
    return { energy_a: count, energy_b: count * 10, energy_c: count * 100 };
  });
  expect(await values(metrics)).toEqual({ energy_a: [1], energy_b: [10], energy_c: [100] });
  expect(await values(metrics)).toEqual({ energy_a: [2], energy_b: [20], energy_c: [200] });
});

test('a metric whose value is unavailable is omitted, not reported as 0', async () => {
  const metrics = new Metrics('test');
  let read: () => Promise<Record<string, number>> = async () => ({ energy_a: 1, energy_b: 2 });
  metrics.valuesOf(HELP, () => read());
  expect(await values(metrics)).toEqual({ energy_a: [1], energy_b: [2], energy_c: [] });
  read = () => Promise.reject(new Error('the database is away'));
  expect(await values(metrics)).toEqual({ energy_a: [], energy_b: [], energy_c: [] });
  read = async () => ({ energy_c: 3 });
  expect(await values(metrics)).toEqual({ energy_a: [], energy_b: [], energy_c: [3] });
});
