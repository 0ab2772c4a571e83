import { expect, test } from 'vitest';
import { listClimateHours } from './device.ts';

const HOUR_MS = 3_600_000;

test('shows a row for an hour without readings, too', () => {
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour, 30)).toISOString();
  const rows = [0, 4, 5, 8].map((hour) => ({ starts_at: at(hour), setpoint_c: hour }));
  const hours = listClimateHours(rows, Date.parse(at(4)) + HOUR_MS, Date.parse(at(9)));
  expect(hours.map(({ starts_at, setpoint_c }) => [starts_at, setpoint_c])).toEqual([
    [at(4), 4],
    [at(5), 5],
    [at(6), undefined],
    [at(7), undefined],
    [at(8), 8],
  ]);
  expect(listClimateHours([], 0, 1)).toEqual([]);
});
