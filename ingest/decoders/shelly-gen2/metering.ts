import { asObject, member } from '../read/payload.ts';
import { addMember, type ReadPart } from './part.ts';

/** Phases by the letter before their members. */
const PHASES = [
  ['a', '/l1'],
  ['b', '/l2'],
  ['c', '/l3'],
] as const;

/**
 * Reads `switch`, `pm1`, `cover`, `light` and their like: power, and the registers of either direction. `by_minute` is
 * not read: it is mWh of minutes gone by, which are in the register, too.
 * `circuit`: the beginning of the channel, to which the component's number is added.
 */
export const readMetered =
  (circuit: string): ReadPart =>
  (heard, part) => {
    const channel = `${circuit}${part.id}`;
    for (const [name, direction] of [
      ['aenergy', 'import'],
      ['ret_aenergy', 'export'],
    ] as const) {
      const register = member(part.status, name);
      if (register === undefined || register === null) continue;
      const value = member(asObject(register), 'total');
      if (!asObject(register)) heard.refuse(`${part.name} ${name} is not an object`);
      const said = { channel: `${channel}/${direction}`, kind: 'energy_total_kwh', value } as const;
      addMember(heard, part, { ...said, member: `${name}.total` });
    }
    const value = member(part.status, 'apower');
    addMember(heard, part, { channel: `${channel}/import`, kind: 'power_w', value, member: 'apower' });
  };

/** Reads `em`, the power of three phases and of all together, negative for export. */
export const readThreePhasePower: ReadPart = (heard, part) => {
  const add = (name: string, channel: string) =>
    addMember(heard, part, { channel, kind: 'power_w', value: member(part.status, name), member: name });
  add('total_act_power', `em${part.id}/import`);
  for (const [letter, phase] of PHASES) add(`${letter}_act_power`, `em${part.id}/import${phase}`);
};

/** Reads `emdata`, the registers of `em` with the same number: channels are the same as of its power. */
export const readThreePhaseEnergy: ReadPart = (heard, part) => {
  const add = (name: string, channel: string) =>
    addMember(heard, part, { channel, kind: 'energy_total_kwh', value: member(part.status, name), member: name });
  add('total_act', `em${part.id}/import`);
  add('total_act_ret', `em${part.id}/export`);
  for (const [letter, phase] of PHASES) {
    add(`${letter}_total_act_energy`, `em${part.id}/import${phase}`);
    add(`${letter}_total_act_ret_energy`, `em${part.id}/export${phase}`);
  }
};

/** Reads `em1`, the power of one channel of a meter. */
export const readChannelPower: ReadPart = (heard, part) => {
  const value = member(part.status, 'act_power');
  addMember(heard, part, { channel: `em1-${part.id}/import`, kind: 'power_w', value, member: 'act_power' });
};

/** Reads `em1data`, the registers of `em1` with the same number. */
export const readChannelEnergy: ReadPart = (heard, part) => {
  for (const [name, direction] of [
    ['total_act_energy', 'import'],
    ['total_act_ret_energy', 'export'],
  ] as const) {
    const said = { channel: `em1-${part.id}/${direction}`, kind: 'energy_total_kwh' } as const;
    addMember(heard, part, { ...said, value: member(part.status, name), member: name });
  }
};
