import type { Hearing } from '../read/heard.ts';
import { member } from '../read/payload.ts';
import type { State } from './state.ts';

const ENERGY = /^(produced_energy|energy_produced|energy_consumed|energy)(?:_(\w+))?$/;
/** The standard cluster by its own names, as a LiXee ZLinky_TIC has it: kWh, and a register for each tariff. */
const SUMMATION = /^current(?:_tier([1-9]\d?))?_summ_(delivered|received)$/;
const POWER = /^power(?:_(\w+))?$/;
/** Names of endpoints: gangs of a switch, sockets of a strip, each a circuit. */
const CIRCUIT = /^(left|right|center|top|bottom|(top|center|bottom)_(left|right)|\d{1,2})$/;

/** Reads registers and power. Attributes whose ending is not known are not read: `energy_today` starts again each day. */
export function hearEnergy(heard: Hearing, state: State): void {
  const { device, attributes, atMs } = state;
  // Two spellings of one register are one register.
  const said = new Set<string>();
  const add = (
    kind: 'energy_total_kwh' | 'power_w',
    channel: string | null,
    name: string,
    value: unknown,
    times = 1,
  ) => {
    if (channel === null || said.has(`${kind} ${channel}`)) return;
    said.add(`${kind} ${channel}`);
    heard.add({ device, channel, kind, value, times, atMs, name });
  };
  for (const [name, value] of Object.entries(attributes)) {
    const energy = ENERGY.exec(name);
    if (energy)
      add('energy_total_kwh', channelOf(energy[1]?.includes('produced') ? 'export' : 'import', energy[2]), name, value);
    const [, tier, way] = SUMMATION.exec(name) ?? [];
    if (way)
      add('energy_total_kwh', `${way === 'received' ? 'export' : 'import'}${tier ? `/t${tier}` : ''}`, name, value);
    const power = POWER.exec(name);
    if (power) {
      const channel = name === 'power' ? powerChannel(state) : channelOf('import', power[1]);
      add('power_w', channel, name, value, signOf(state, power[1]));
    }
  }
}

/** Clamps without a sign (PJ-1203A) say beside their power which way it flows. */
function signOf({ attributes }: State, ending: string | undefined): 1 | -1 {
  const flow = member(attributes, ending === undefined ? 'energy_flow' : `energy_flow_${ending}`);
  const power = Number(member(attributes, ending === undefined ? 'power' : `power_${ending}`));
  return flow === 'producing' && power > 0 ? -1 : 1;
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
