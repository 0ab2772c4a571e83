import type { SaidKind } from '../family.ts';
import { channelWord } from '../read/heard.ts';
import type { Json } from '../read/payload.ts';
import type { Source } from './source.ts';

/**
 * Names that owners give to what their meter says, in lower case. The message has no units: under these names everybody
 * has kWh and W, under other ones anything.
 */
const NAMES = new Map<string, { channel: string; kind: SaidKind }>([
  ['total_in', { channel: 'import', kind: 'energy_total_kwh' }],
  ['total_out', { channel: 'export', kind: 'energy_total_kwh' }],
  ['power_curr', { channel: 'import', kind: 'power_w' }],
  ['power_l1', { channel: 'import/l1', kind: 'power_w' }],
  ['power_l2', { channel: 'import/l2', kind: 'power_w' }],
  ['power_l3', { channel: 'import/l3', kind: 'power_w' }],
]);
/** A word that means something else in a channel. */
const TAKEN = /^(import|export|[lt]\d+)$/;
/** Meters of something else, whose counts are in m3 as often as in kWh. */
const NOT_ELECTRIC = /^(gas|water|wasser|heat|w(ae|ä)rme)(?![a-z])/i;

/** Whether a block is what a script reads from a meter: at least one of the names is in it. */
export const isMeter = (block: Json): boolean => Object.keys(block).some((name) => NAMES.has(name.toLowerCase()));

/**
 * Reads a meter that is read by a script. The block is called as the owner likes (`jsonPrefix`: `SML`, `MT681`), and is a
 * circuit of its own: `sml/import`. `circuits`: those that the message already has.
 */
export function readMeter({ heard, device, atMs }: Source, prefix: string, block: Json, circuits: Set<string>): void {
  if (NOT_ELECTRIC.test(prefix)) return;
  const word = channelWord(prefix);
  const circuit = TAKEN.test(word) ? `sml-${word}` : word;
  if (circuits.has(circuit)) {
    heard.refuse('two meters are called alike');
    return;
  }
  circuits.add(circuit);
  const told = new Set<string>();
  for (const [name, value] of Object.entries(block)) {
    const lower = name.toLowerCase();
    const said = NAMES.get(lower);
    if (!said) continue;
    if (told.has(lower)) heard.refuse(`${lower} is told twice`);
    else heard.add({ device, channel: `${circuit}/${said.channel}`, kind: said.kind, value, atMs, name: lower });
    told.add(lower);
  }
}
