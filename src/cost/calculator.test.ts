import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AppError } from '#src/core/errors.ts';
import { createCalculator } from './calculator.ts';

test('runs one calculation of an account at a time, and others concurrently', async () => {
  const calculator = createCalculator();
  const first = calculator.run('a', () => setTimeout(50, 'first'));
  await expect(calculator.run('a', async () => 'second')).rejects.toMatchObject({
    is: 'calculationUnderWay',
    retryAfterSeconds: 2,
  });
  expect(await calculator.run('b', async () => 'other')).toBe('other');
  expect(await first).toBe('first');
  expect(await calculator.run('a', async () => 'second')).toBe('second');
  await calculator.close();
});

test('ends a calculation beyond its time limit with 503, and begins the account’s next one only when its work has ended', async () => {
  const calculator = createCalculator({ limitMs: 30 });
  let end = () => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  await expect(calculator.run('a', () => work)).rejects.toMatchObject({ is: 'unavailable' });
  await expect(calculator.run('a', async () => {})).rejects.toBeInstanceOf(AppError);
  end();
  await setTimeout(5);
  expect(await calculator.run('a', async () => 'next')).toBe('next');
  await calculator.close();
});

test('a close ends a calculation with 503, so that it is not logged as an unexpected error', async () => {
  const calculator = createCalculator();
  const range = { from: new Date(0), to: new Date(1), zone: 'UTC', start: '1970-01-01', end: '1970-01-01' };
  const held = { zone: 'UTC', beginsAtMs: 0, stretches: [], prices: [] };
  const ended = expect(
    calculator.run('a', (signal) => calculator.compare({ held, range, now: new Date(), tariffs: [] }, signal)),
  ).rejects.toMatchObject({ is: 'unavailable' });
  await calculator.close();
  await ended;
});

test('an aborted task ends its thread; a computation that never ends does not block the process', async () => {
  const calculator = createCalculator({ limitMs: 1_500 });
  const now = new Date('2026-01-01');
  // Computing 1,000 tariffs over eight thousand years exceeds the time limit.
  const range = { from: new Date(0), to: new Date('9999-01-01'), zone: 'UTC', start: '1970-01-01', end: '9998-12-31' };
  const held = { zone: 'UTC', beginsAtMs: 0, stretches: [], prices: [] };
  const rates = { kind: 'series' as const, seriesId: 'x', multiply: 1n, add: 0n };
  const tariff = { tariffId: '', userId: '', name: '', validFrom: '1970-01-01', currency: 'EUR', import: rates };
  const tariffs = Array(1_000).fill([{ ...tariff, standingPerDay: null, capacity: null, export: rates }]);
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 10);
  await expect(
    calculator.run('a', (signal) => calculator.compare({ held, range, now, tariffs }, signal)),
  ).rejects.toMatchObject({ is: 'unavailable' });
  clearInterval(ticking);
  expect(ticks).toBeGreaterThan(20);
  await calculator.close();
});
