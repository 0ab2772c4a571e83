import { createStatelessFamily, type DeviceMessage, type FamilyDecodeResult } from '../family.ts';
import { asObject, type Json, ownMember, readObject } from '../read/payload.ts';
import { parseIsoTime, plausibleTimeMs } from '../read/time.ts';
import { createValueCollector, refusedResult, type ValueCollector } from '../read/value-collector.ts';
import { volumeChannelOf, volumeScaleOf } from '../read/volume.ts';

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
export const glow = createStatelessFamily({ name: 'glow', takes: (topic) => parseGlowTopic(topic) !== null, decode });

function decode({ topic, payload, receivedAtMs }: DeviceMessage): FamilyDecodeResult | null {
  const parsed = parseGlowTopic(topic);
  if (!parsed) return null;
  const { mac: device, meter } = parsed;
  const body = asObject(ownMember(readObject(payload), meter));
  if (!body) return refusedResult(`payload has no object ${meter}`);
  const collector = createValueCollector();
  const atMs = plausibleTimeMs(parseIsoTime(ownMember(body, 'timestamp'), { receivedAtMs }), receivedAtMs);
  const energy = asObject(ownMember(body, 'energy'));
  const medium = meter === 'gasmeter' ? 'gas/' : '';
  for (const direction of ['import', 'export'] as const) {
    const register = asObject(ownMember(energy, direction));
    const value = ownMember(register, 'cumulative');
    if (value === undefined) continue;
    const name = `energy.${direction}.cumulative`;
    const units = ownMember(register, 'units');
    const times = ENERGY.get(String(units));
    if (times !== undefined) {
      collector.add({ device, channel: medium + direction, kind: 'energy_total_kwh', value, times, atMs, name });
    } else if (medium === '') collector.refuse(`${name} has the unit ${String(units).slice(0, 20)}, not kWh`);
  }
  if (meter === 'gasmeter') addGasVolume(collector, asObject(ownMember(energy, 'import')), { device, atMs });
  const power = asObject(ownMember(body, 'power'));
  const times = POWER.get(String(ownMember(power, 'units')));
  if (power && times !== undefined && medium === '') {
    const value = ownMember(power, 'value');
    collector.add({ device, channel: 'import', kind: 'power_w', value, times, atMs, name: 'power.value' });
  }
  return collector;
}

/** Adds the volume that the gas meter counts. Some displays send it in addition to the computed kWh, others instead of them. */
function addGasVolume(
  collector: ValueCollector,
  register: Json | null,
  said: { device: string; atMs: number | null },
): void {
  for (const [name, unit] of [
    ['cumulativevol', 'cumulativevolunits'],
    ['cumulative', 'units'],
  ] as const) {
    const value = ownMember(register, name);
    const scale = volumeScaleOf(String(ownMember(register, unit)));
    if (value === undefined || scale === undefined) continue;
    const volume = { channel: volumeChannelOf('gas'), kind: 'volume_total_m3', name: `energy.import.${name}` } as const;
    collector.add({ ...said, ...volume, ...scale, value });
    return;
  }
}
