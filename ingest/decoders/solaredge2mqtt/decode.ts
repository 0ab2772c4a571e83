import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, member, readObject } from '../read/payload.ts';
import { parseSolarEdgeTopic } from './topic.ts';

/** SolarEdge inverters and their meters through solaredge2mqtt. */
export const solaredge2mqtt = withoutMemory({
  name: 'solaredge2mqtt',
  takes: (topic) => parseSolarEdgeTopic(topic) !== null,
  decode,
});

const MEMBERS = { inverter: ['energytotal', 'ac'], meter: ['energy'] } as const;

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseSolarEdgeTopic(topic);
  if (!parsed) return null;
  const { device, component } = parsed;
  if (component === 'other') return nothing();
  const body = readObject(payload);
  if (!body) return refusal('payload is not a JSON object');
  // Others have such topics, too.
  if (!MEMBERS[component].some((name) => Object.hasOwn(body, name))) return null;
  const heard = hearing();
  const register = { device, kind: 'energy_total_kwh', per: 1_000 } as const;
  if (component === 'inverter') {
    const power = member(asObject(member(asObject(member(body, 'ac')), 'power')), 'actual');
    heard.add({ ...register, channel: 'export', value: member(body, 'energytotal'), name: 'energytotal' });
    heard.add({ device, channel: 'export', kind: 'power_w', value: power, name: 'ac.power.actual' });
  } else {
    const energy = asObject(member(body, 'energy'));
    for (const channel of ['import', 'export'] as const) {
      const name = `total${channel}`;
      heard.add({ ...register, channel, value: member(energy, name), name: `energy.${name}` });
    }
  }
  return heard;
}
