import { type Json, member } from '../read/payload.ts';
import type { Source } from './source.ts';

/** Indexes of French meters in Wh, and what they are. Each contract has its own tariffs, so no number comes twice. */
const INDEXES = [
  ['BASE', 'import'],
  ['EAIT', 'export'],
  ['HCHC', 'import/t1'],
  ['HCHP', 'import/t2'],
  ['EJPHN', 'import/t3'],
  ['EJPHPM', 'import/t4'],
  ['BBRHCJB', 'import/t5'],
  ['BBRHPJB', 'import/t6'],
  ['BBRHCJW', 'import/t7'],
  ['BBRHPJW', 'import/t8'],
  ['BBRHCJR', 'import/t9'],
  ['BBRHPJR', 'import/t10'],
] as const;

/**
 * Reads the block `TIC` of a French meter: its indexes, which can be texts with zeros before them. `PAPP` is volt-amperes,
 * and is not read; `ADCO` and `ADSC` are the household's meter number, and are not kept.
 */
export function readTeleinfo({ heard, device, atMs }: Source, tic: Json): void {
  const add = (label: string, channel: string) =>
    heard.add({
      device,
      channel,
      kind: 'energy_total_kwh',
      value: member(tic, label),
      per: 1_000,
      atMs,
      name: `TIC.${label}`,
    });
  for (const [label, channel] of INDEXES) add(label, channel);
  // The same index as BASE, by its name in the meter's newer mode.
  if (member(tic, 'BASE') === undefined) add('EAST', 'import');
}
