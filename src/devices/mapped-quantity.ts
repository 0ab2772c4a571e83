/**
 * Conversion of a number into kWh, W or m³. The number is multiplied by `times` and divided by `per`. The two together convert decimals
 * exactly.
 */
interface Scale {
  times: number;
  per: number;
}

/** Units of mappings and device families, by kind of quantity. */
export const UNIT_SCALES = {
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

/** The meanings that an owner can give to a number in a mapping. */
export const QUANTITY_MEANING_PATTERN =
  /^(?:(?:import|export)(?:\/[tl][1-9]\d?)?|production|power|gas|heat|water|temperature|setpoint)$/;
/**
 * Pattern of a word that precedes a channel, to distinguish two quantities with the same meaning. The word itself must have no meaning in
 * channel names.
 */
export const CIRCUIT_PATTERN =
  /^(?!(?:import|export|gas|heat|water|m3|unknown|cooling|production|room|[tl]\d+)$)[a-z0-9_-]{1,32}$/;

/** The owner's description of a number: its unit, its meaning, and a word that distinguishes it from numbers with the same meaning. */
interface MappedNumberDescription {
  unit: (typeof MAPPED_UNITS)[number];
  meaning: string;
  circuit?: string | undefined;
  scale?: number | undefined;
}

/** The kind and the channel of a stored number, and its conversion into the unit of this kind. */
interface MappedQuantity {
  channel: string;
  kind: 'energy_total_kwh' | 'volume_total_m3' | 'power_w' | 'temperature_c' | 'setpoint_c';
  times: number;
  per: number;
}

/** Converts an owner's description of a number into a quantity. Returns an error message if unit, meaning and scale do not match. */
export function parseMappedQuantity({
  unit,
  meaning,
  circuit,
  scale = 1,
}: MappedNumberDescription): MappedQuantity | string {
  const found = placeOf(unit, meaning);
  if (typeof found === 'string') return found;
  if (scale < 0 && found.kind !== 'power_w') return 'scale can be below 0 only for a power';
  const { channel, times, per, ...rest } = found;
  const of = circuit === undefined ? channel : channel === 'room' ? `room/${circuit}` : `${circuit}/${channel}`;
  // Division by the inverse is exact: 123456 / 100 is 1234.56, but 123456 * 0.01 is slightly more.
  const inverse = Math.round(1 / Math.abs(scale));
  return Math.abs(inverse * Math.abs(scale) - 1) < 1e-9
    ? { ...rest, channel: of, times: times * Math.sign(scale), per: per * inverse }
    : { ...rest, channel: of, times: times * scale, per };
}

function placeOf(unit: string, meaning: string): MappedQuantity | string {
  const energy = UNIT_SCALES.energy_total_kwh.get(unit);
  const power = UNIT_SCALES.power_w.get(unit);
  const volume = UNIT_SCALES.volume_total_m3.get(unit);
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
  // Production is stored as the import of a separate device that measures production.
  const channel = meaning === 'production' ? 'production/import' : meaning;
  if (energy) return { channel, kind: 'energy_total_kwh', ...energy };
  if (power && !/\/t\d+$/.test(meaning)) return { channel, kind: 'power_w', ...power };
  return power
    ? 'a tariff is of energy: kWh, Wh, MWh, MJ or GJ'
    : `${meaning} is in a unit of energy (kWh, Wh, MWh, MJ, GJ) or of power (W, kW)`;
}
