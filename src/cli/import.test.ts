import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { createImportCounts } from '#simulators/importers/element.ts';
import { createImportReader, getImportExitCode, registerCommands, suggestImportCommand } from './import.ts';

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
])('the exit code reports %s', (_name, result, code) => {
  expect(getImportExitCode(result)).toBe(code);
});

test.each([
  ['sensor.grid_import', 'kWh', '--channel import'],
  ['sensor.grid_return_1', 'Wh', '--channel export'],
  ['sensor.energy_consumption_tarif_2', 'kWh', '--channel import/t2'],
  ['sensor.p1_energy_export_tariff_1', 'kWh', '--channel export/t1'],
  // Name of the entity for exported energy in Home Assistant's DSMR integration.
  ['sensor.electricity_meter_energy_production_tarif_1', 'kWh', '--channel export/t1'],
  ['sensor.gas', 'm³', '--channel gas/m3'],
  ['sensor.water_meter', 'L', '--channel water/m3'],
])('the suggested import command for %s in %s contains its channel', (name, unit, channel) => {
  expect(suggestImportCommand('home-assistant_v2.db', { name, unit }, 'dev_…')).toBe(
    `energy import --format home-assistant --device dev_… --entity ${name} ${channel} home-assistant_v2.db`,
  );
});

test('the suggested import command is quoted for a shell', () => {
  const command = suggestImportCommand("it's mine.db", { name: 'opower:a; rm -rf', unit: 'kWh' }, 'dev_…');
  expect(command).toContain(`--entity 'opower:a; rm -rf'`);
  expect(command).toContain(`'it'\\''s mine.db'`);
});

/** Returns the reader that the options of a command line select. */
function readerFor(...line: string[]): ReturnType<typeof createImportReader> {
  const program = new Command();
  registerCommands(program);
  const parsed: Parameters<typeof createImportReader>[0][] = [];
  program.commands[0]?.action((_files, options) => {
    parsed.push(options);
  });
  program.parse(['import', '--device', 'dev_1', ...line, 'meters.csv'], { from: 'user' });
  const [options] = parsed;
  if (!options) throw new Error('the command was not run');
  return createImportReader(options);
}

test('--where takes only rows that match all its values, and rejects a column that the file lacks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'import-where-'));
  try {
    const file = join(folder, 'meters.csv');
    const rows = ['A,t1,1', 'B,t1,2', 'A,t2,3', 'A,t1,4'];
    const lines = rows.map((row, hour) => `2026-01-01T0${hour}:00:00Z,${row}`);
    await writeFile(file, ['ts,meter,tariff,energy_total_kwh', ...lines].join('\n'));
    const read = async (...line: string[]) => {
      const counts = createImportCounts();
      const values = [];
      for await (const element of readerFor(...line)(file, counts, () => {}))
        values.push('energy_total_kwh' in element && element.energy_total_kwh);
      return { values, skipped: counts.skipped };
    };
    expect(await read()).toEqual({ values: [1, 2, 3, 4], skipped: 0 });
    expect(await read('--where', 'meter=A')).toEqual({ values: [1, 3, 4], skipped: 1 });
    expect(await read('--where', 'meter=A', '--where', 'tariff=t1')).toEqual({ values: [1, 4], skipped: 2 });
    await expect(read('--where', 'phase=1')).rejects.toThrow('There is no column "phase"');
  } finally {
    await rm(folder, { recursive: true });
  }
});
