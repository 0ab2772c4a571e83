/** Makes kWh, W or m³ of a number in another unit. Two numbers, so that a decimal stays the decimal that was sent (`scaled`). */
interface Scale {
  times: number;
  per: number;
}

/** The units that mappings and tables of families can name, by kind of quantity. Temperatures are in C or F. */
export const SCALES = {
  energy_total_kwh: new Map<string, Scale>([
    ['kWh', { times: 1, per: 1 }],
    ['Wh', { times: 1, per: 1_000 }],
    ['MWh', { times: 1_000, per: 1 }],
    ['MJ', { times: 1, per: 3.6 }],
    ['GJ', { times: 1_000, per: 3.6 }],
  ]),
  power_w: new Map<string, Scale>([
    ['W', { times: 1, per: 1 }],
    ['kW', { times: 1_000, per: 1 }],
  ]),
  volume_total_m3: new Map<string, Scale>([
    ['m3', { times: 1, per: 1 }],
    ['l', { times: 1, per: 1_000 }],
  ]),
};
export const MAPPED_UNITS = ['kWh', 'Wh', 'MWh', 'MJ', 'GJ', 'W', 'kW', 'm3', 'l', 'C', 'F'] as const;

/** What an owner can say that a number is. */
export const MEANING =
  /^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|production|power|gas|heat|water|temperature|setpoint)$/;
/** A word before a channel, for the second of two alike; words that say what a channel is are none. */
export const CIRCUIT =
  /^(?!(?:import|export|gas|heat|water|m3|unknown|cooling|production|room|[tl]\d+)$)[a-z0-9_-]{1,32}$/;

/** What is told of a number: unit, meaning, and which of several alike. */
export interface Told {
  unit: (typeof MAPPED_UNITS)[number];
  meaning: string;
  circuit?: string | undefined;
  scale?: number | undefined;
}

/** Where a number goes, and what makes the unit of its kind of it. */
export interface MappedQuantity {
  channel: string;
  kind: 'energy_total_kwh' | 'volume_total_m3' | 'power_w' | 'temperature_c' | 'setpoint_c';
  times: number;
  per: number;
}

/** What an owner says of a number, as a quantity; a sentence where unit, meaning and scale do not go together. Pure. */
export function quantityOf({ unit, meaning, circuit, scale = 1 }: Told): MappedQuantity | string {
  const found = placeOf(unit, meaning);
  if (typeof found === 'string') return found;
  if (scale < 0 && found.kind !== 'power_w') return 'scale is below 0, which only a power can be';
  const { channel, times, per, ...rest } = found;
  const of = circuit === undefined ? channel : channel === 'room' ? `room/${circuit}` : `${circuit}/${channel}`;
  // 123456 / 100 is 1234.56, 123456 * 0.01 is a little more.
  const inverse = Math.round(1 / Math.abs(scale));
  return Math.abs(inverse * Math.abs(scale) - 1) < 1e-9
    ? { ...rest, channel: of, times: times * Math.sign(scale), per: per * inverse }
    : { ...rest, channel: of, times: times * scale, per };
}

function placeOf(unit: string, meaning: string): MappedQuantity | string {
  const energy = SCALES.energy_total_kwh.get(unit);
  const power = SCALES.power_w.get(unit);
  const volume = SCALES.volume_total_m3.get(unit);
  if (meaning === 'temperature' || meaning === 'setpoint') {
    if (unit !== 'C' && unit !== 'F') return `a ${meaning} is in C or F`;
    return { channel: 'room', kind: meaning === 'setpoint' ? 'setpoint_c' : 'temperature_c', times: 1, per: 1 };
  }
  if (meaning === 'power') return power ? { channel: 'import', kind: 'power_w', ...power } : 'a power is in W or kW';
  if (meaning === 'gas' || meaning === 'heat' || meaning === 'water') {
    if (volume) return { channel: `${meaning}/m3`, kind: 'volume_total_m3', ...volume };
    if (meaning === 'water') return 'water is in m3 or l';
    if (energy) return { channel: `${meaning}/import`, kind: 'energy_total_kwh', ...energy };
    return `${meaning} is in a unit of energy (kWh, Wh, MWh, MJ, GJ) or of volume (m3, l)`;
  }
  // What produces is a device of its own, whose place in the home says so; there either direction is what it produced.
  const channel = meaning === 'production' ? 'production/import' : meaning;
  if (energy) return { channel, kind: 'energy_total_kwh', ...energy };
  if (power && !/\/t\d+$/.test(meaning)) return { channel, kind: 'power_w', ...power };
  return power
    ? 'a tariff is of energy: kWh, Wh, MWh, MJ or GJ'
    : `${meaning} is in a unit of energy (kWh, Wh, MWh, MJ, GJ) or of power (W, kW)`;
}
