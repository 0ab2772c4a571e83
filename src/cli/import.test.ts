import { expect, test } from 'vitest';
import { commandOf, exitCodeOf } from './import.ts';

const FINE = { rejected: {}, left_out: {}, unreadable: 0 };

test.each([
  ['all rows counted', FINE, 0],
  ['a row that cannot be read', { ...FINE, unreadable: 1 }, 3],
  ['readings that count nothing', { ...FINE, left_out: { overlap: 4 } }, 3],
  [
    'readings that were refused',
    { rejected: { 'time is older than the retention': 1 }, left_out: {}, unreadable: 1 },
    1,
  ],
])('the exit code tells of %s', (_name, result, code) => {
  expect(exitCodeOf(result)).toBe(code);
});

test.each([
  ['sensor.grid_import', 'kWh', '--channel import'],
  ['sensor.grid_return_1', 'Wh', '--channel export'],
  ['sensor.energy_consumption_tarif_2', 'kWh', '--channel import/t2'],
  ['sensor.p1_energy_export_tariff_1', 'kWh', '--channel export/t1'],
  // As the DSMR integration names what is fed in.
  ['sensor.electricity_meter_energy_production_tarif_1', 'kWh', '--channel export/t1'],
  ['sensor.gas', 'm³', '--channel gas/m3'],
  ['sensor.water_meter', 'L', '--channel water/m3'],
])('the command to paste for %s in %s says where it goes', (name, unit, channel) => {
  expect(commandOf('home-assistant_v2.db', { name, unit }, 'dev_…')).toBe(
    `energy import --format home-assistant --device dev_… --entity ${name} ${channel} home-assistant_v2.db`,
  );
});

test('the command to paste is one that a shell takes as it stands', () => {
  const command = commandOf("it's mine.db", { name: 'opower:a; rm -rf', unit: 'kWh' }, 'dev_…');
  expect(command).toContain(`--entity 'opower:a; rm -rf'`);
  expect(command).toContain(`'it'\\''s mine.db'`);
});
