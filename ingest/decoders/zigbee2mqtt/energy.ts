import type { Hearing } from '../read/heard.ts';
import type { State } from './state.ts';

const ENERGY = /^(produced_energy|energy_produced|energy)(?:_(\w+))?$/;
const POWER = /^power(?:_(\w+))?$/;
/** Names of endpoints: gangs of a switch, sockets of a strip, each a circuit. */
const CIRCUIT = /^(left|right|center|top|bottom|(top|center|bottom)_(left|right)|\d{1,2})$/;

/** Reads registers and power. Attributes whose ending is not known are not read: `energy_today` starts again each day. */
export function hearEnergy(heard: Hearing, state: State): void {
  const { device, attributes, atMs } = state;
  // Two spellings of one register are one register.
  const said = new Set<string>();
  const add = (kind: 'energy_total_kwh' | 'power_w', channel: string | null, name: string, value: unknown) => {
    if (channel === null || said.has(`${kind} ${channel}`)) return;
    said.add(`${kind} ${channel}`);
    heard.add({ device, channel, kind, value, atMs, name });
  };
  for (const [name, value] of Object.entries(attributes)) {
    const energy = ENERGY.exec(name);
    if (energy)
      add('energy_total_kwh', channelOf(energy[1] === 'energy' ? 'import' : 'export', energy[2]), name, value);
    const power = POWER.exec(name);
    if (power) add('power_w', name === 'power' ? powerChannel(state) : channelOf('import', power[1]), name, value);
  }
}

/**
 * The standard cluster calls the power of phase A `power`, beside `power_phase_b` and `power_phase_c`: taken for a total it
 * would hide the other two. A device that has `power_phase_a` means the total by it.
 */
const powerChannel = ({ has }: State): string =>
  (has('power_phase_b') || has('power_phase_c')) && !has('power_phase_a') ? 'import/l1' : 'import';

/** The channel by the ending of an attribute; null: an ending that says something else. */
function channelOf(direction: 'import' | 'export', ending: string | undefined): string | null {
  if (ending === undefined) return direction;
  const [, tier] = /^tier_([1-9]\d?)$/.exec(ending) ?? [];
  if (tier) return `${direction}/t${tier}`;
  const [, letter, digit] = /^(?:phase_)?(?:([abc])|l([1-9]))$/.exec(ending) ?? [];
  if (letter) return `${direction}/l${'abc'.indexOf(letter) + 1}`;
  if (digit) return `${direction}/l${digit}`;
  return CIRCUIT.test(ending) ? `${ending}/${direction}` : null;
}
