import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { type Hearing, hearing, refusal } from '../read/heard.ts';
import { asObject, type Json, member, readObject } from '../read/payload.ts';
import { fromIso, trusted } from '../read/time.ts';
import { volumeChannel, volumeScale } from '../read/volume.ts';

/** Topic of a sensor: `glow/{mac}/SENSOR/electricitymeter` or `…/gasmeter`. The first word may differ. */
const TOPIC = /^[^/]+\/([0-9A-Fa-f]{12})\/SENSOR\/(electricitymeter|gasmeter)$/;

interface GlowTopic {
  mac: string;
  meter: 'electricitymeter' | 'gasmeter';
}

/** Parses the topic of a Glow display's sensor; returns null for every other topic. */
function parseGlowTopic(topic: string): GlowTopic | null {
  const [, mac, meter] = TOPIC.exec(topic) ?? [];
  return mac && meter ? { mac, meter: meter as GlowTopic['meter'] } : null;
}

/** Factors to kWh and to W (below), by the unit that accompanies the number. */
const ENERGY = new Map([
  ['kWh', 1],
  ['Wh', 0.001],
  ['MWh', 1_000],
]);
const POWER = new Map([
  ['kW', 1_000],
  ['W', 1],
]);

/** Decoder of Glow displays (Hildebrand) of British SMETS2 meters: registers and power, in the units that accompany them. */
export const glow = withoutMemory({ name: 'glow', takes: (topic) => parseGlowTopic(topic) !== null, decode });

function decode({ topic, payload, receivedAtMs }: DeviceMessage): Heard | null {
  const parsed = parseGlowTopic(topic);
  if (!parsed) return null;
  const { mac: device, meter } = parsed;
  const body = asObject(member(readObject(payload), meter));
  if (!body) return refusal(`payload has no object ${meter}`);
  const heard = hearing();
  const atMs = trusted(fromIso(member(body, 'timestamp'), { receivedAtMs }), receivedAtMs);
  const energy = asObject(member(body, 'energy'));
  const medium = meter === 'gasmeter' ? 'gas/' : '';
  for (const direction of ['import', 'export'] as const) {
    const register = asObject(member(energy, direction));
    const value = member(register, 'cumulative');
    if (value === undefined) continue;
    const name = `energy.${direction}.cumulative`;
    const units = member(register, 'units');
    const times = ENERGY.get(String(units));
    if (times !== undefined) {
      heard.add({ device, channel: medium + direction, kind: 'energy_total_kwh', value, times, atMs, name });
    } else if (medium === '') heard.refuse(`${name} has the unit ${String(units).slice(0, 20)}, not kWh`);
  }
  if (meter === 'gasmeter') addGasVolume(heard, asObject(member(energy, 'import')), { device, atMs });
  const power = asObject(member(body, 'power'));
  const times = POWER.get(String(member(power, 'units')));
  if (power && times !== undefined && medium === '') {
    const value = member(power, 'value');
    heard.add({ device, channel: 'import', kind: 'power_w', value, times, atMs, name: 'power.value' });
  }
  return heard;
}

/** Adds the volume that the gas meter counts. Some displays send it in addition to the computed kWh, others instead of them. */
function addGasVolume(heard: Hearing, register: Json | null, said: { device: string; atMs: number | null }): void {
  for (const [name, unit] of [
    ['cumulativevol', 'cumulativevolunits'],
    ['cumulative', 'units'],
  ] as const) {
    const value = member(register, name);
    const scale = volumeScale(String(member(register, unit)));
    if (value === undefined || scale === undefined) continue;
    const volume = { channel: volumeChannel('gas'), kind: 'volume_total_m3', name: `energy.import.${name}` } as const;
    heard.add({ ...said, ...volume, ...scale, value });
    return;
  }
}
