/** What solaredge2mqtt reads by Modbus, and publishes. */
export interface SolarEdgeTopic {
  /** The prefix, with the unit of a cascade behind it, and which component: `solaredge/inverter`, `solaredge/leader/meter0`. */
  device: string;
  component: 'inverter' | 'meter' | 'other';
}

const TOPIC =
  /^(?:(.{1,80})\/)?modbus\/(?:(leader|follower\d{1,2}|cumulated)\/)?(?:(inverter)|(meter|battery)\/((?:meter|battery)\d))$/;

/** What it reckons from all of that, below its default prefix: the same energy again, which it announces to Home Assistant, too. */
const RECKONED = /^solaredge\/(?:powerflow|energy)(?:\/[^/]+){0,2}$/;

/** Reads `solaredge/modbus/inverter`, `…/modbus/leader/meter/meter0`; null for every other topic. The prefix is the owner's. */
export function parseSolarEdgeTopic(topic: string): SolarEdgeTopic | null {
  if (RECKONED.test(topic)) return { device: topic, component: 'other' };
  const match = TOPIC.exec(topic);
  if (!match) return null;
  const [, prefix, unit, inverter, kind, key] = match;
  const device = [prefix, unit, inverter ?? key].filter((word) => word !== undefined).join('/');
  // All inverters of a cascade added up: what each tells, again.
  if (unit === 'cumulated') return { device, component: 'other' };
  return { device, component: inverter ? 'inverter' : kind === 'meter' ? 'meter' : 'other' };
}
