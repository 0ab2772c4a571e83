import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { CONTINUOUS_LEVELS, LEVELS, type Level, STORED_LEVELS, storedOf } from '../levels.ts';
import { expectedViews } from './common.ts';
import { applyRecent, continuousAggregate, monthsView } from './continuous.ts';
import { applyHours, closedViews } from './hours.ts';
import { closingOpenHours, openHours, publicViews } from './open.ts';
import { packing } from './pack.ts';
import { applyAll, eraseAll, tableOf } from './tables.ts';

/** Where the files are; what is written by hand is in by-hand/ there. */
export const SQL_ROLLUPS = fileURLToPath(new URL('../../../sql/rollups/', import.meta.url));

const HEADER = '-- Generated from src/rollups/levels.ts by `npm run sql`; a test holds it to that.\n\n';
/** Files are applied in the order of their numbers: the levels bottom up, after the load profile and what they should hold. */
const FIRST_LEVEL = 3;

/** Every generated file of sql/rollups: its text by its path there. Pure. */
export function rollupFiles(): Map<string, string> {
  const files: [string, string][] = [
    ['common/1_1_device_hours.sql', applyHours()],
    ['common/1_2_closed.sql', closedViews()],
    ['common/1_3_packing.sql', packing()],
    ['common/2_expected.sql', expectedViews()],
    ['common/7_1_open_hours.sql', openHours()],
    ['common/7_2_levels.sql', publicViews()],
    ['common/9_close_open_hours.sql', closingOpenHours()],
    ['postgres/8_apply.sql', applyAll()],
    ['postgres/9_erase.sql', eraseAll()],
    ['timescale/8_apply.sql', applyRecent()],
  ];
  const add = (folder: string, level: Level, text: string) =>
    files.push([`${folder}/${FIRST_LEVEL + LEVELS.indexOf(level)}_${storedOf(level)}.sql`, text]);
  for (const level of STORED_LEVELS) {
    add('postgres', level, tableOf(level));
    add('timescale', level, CONTINUOUS_LEVELS.includes(level) ? continuousAggregate(level) : monthsView(level));
  }
  return new Map(files.map(([path, text]) => [path, HEADER + text]));
}

if (import.meta.main) {
  for (const [path, text] of rollupFiles()) await writeFile(SQL_ROLLUPS + path, text);
}
