import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { asObject, member, readObject } from '../read/payload.ts';

/** What solaredge2mqtt reads by Modbus, and publishes. */
interface SolarEdgeTopic {
  /** The prefix, with the unit of a cascade behind it, and which component: `solaredge/inverter`, `solaredge/leader/meter0`. */
  device: string;
  component: 'inverter' | 'meter' | 'other';
}

const TOPIC =
  /^(?:(.{1,80})\/)?modbus\/(?:(leader|follower\d{1,2}|cumulated)\/)?(?:(inverter)|(meter|battery)\/((?:meter|battery)\d))$/;

/** What it reckons from all of that, below its default prefix: the same energy again, which it announces to Home Assistant, too. */
const RECKONED = /^solaredge\/(?:powerflow|energy)(?:\/[^/]+){0,2}$/;

/** Reads `solaredge/modbus/inverter`, `…/modbus/leader/meter/meter0`; null for every other topic. The prefix is the owner's. */
function parseSolarEdgeTopic(topic: string): SolarEdgeTopic | null {
  if (RECKONED.test(topic)) return { device: topic, component: 'other' };
  const match = TOPIC.exec(topic);
  if (!match) return null;
  const [, prefix, unit, inverter, kind, key] = match;
  const device = [prefix, unit, inverter ?? key].filter((word) => word !== undefined).join('/');
  // All inverters of a cascade added up: what each tells, again.
  if (unit === 'cumulated') return { device, component: 'other' };
  return { device, component: inverter ? 'inverter' : kind === 'meter' ? 'meter' : 'other' };
}

/** SolarEdge inverters and their meters through solaredge2mqtt. */
export const solaredge2mqtt = withoutMemory({
  name: 'solaredge2mqtt',
  takes: (topic) => parseSolarEdgeTopic(topic) !== null,
  decode,
});

/** What a meter is for, as its installer has set it in the inverter (`C_Option`), and its circuit, by which it is placed. */
const CIRCUITS = new Map<unknown, string>([
  ['Export+Import', 'grid/'],
  ['Production', 'production/'],
  ['Consumption', 'consumption/'],
]);

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
    const option = member(asObject(member(body, 'info')), 'option');
    const circuit = CIRCUITS.get(option) ?? '';
    for (const direction of ['import', 'export'] as const) {
      const name = `total${direction}`;
      heard.add({ ...register, channel: circuit + direction, value: member(energy, name), name: `energy.${name}` });
    }
  }
  return heard;
}
