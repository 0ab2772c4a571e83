import type { SaidKind } from '../family.ts';
import type { Quantity } from '../read/heard.ts';
import { US_GALLON, type VolumeScale, volumeChannel, volumeScale } from '../read/volume.ts';

const [ELECTRIC, GAS, WATER, HEATING, COOLING] = [1, 2, 3, 4, 5];
const RATES = ['unspecified', 'import', 'export'] as const;
const PULSES = 3;

/** What a meter's value is: where it goes, `pulses` that nobody said the worth of, or null where nothing is read. */
type Metered = Pick<Quantity, 'channel' | 'kind' | 'times' | 'per' | 'asks'> | 'pulses' | null;

/**
 * Reads the key of a value of the Meter command class: its type in the third byte, its scale in the second, in the first whether it is
 * consumed or produced. `circuit`: `ep1/`, or nothing.
 */
export function meteredOf(key: number, circuit: string): Metered {
  const [type, scale, rate] = [key >>> 16, (key >>> 8) & 0xff, RATES[key & 0xff]];
  if (rate === undefined) return null;
  if (scale === PULSES && type <= WATER) return 'pulses';
  if (type === ELECTRIC && scale === 0) return electric(circuit, 'energy_total_kwh', rate);
  if (type === ELECTRIC && scale === 2) return electric(circuit, 'power_w', rate);
  // Nothing else has two directions.
  if (rate === 'export') return null;
  if (type === HEATING && scale === 0) return { channel: `${circuit}heat/import`, kind: 'energy_total_kwh' };
  if (type === COOLING && scale === 0) return { channel: `${circuit}heat/cooling/import`, kind: 'energy_total_kwh' };
  if (type !== GAS && type !== WATER) return null;
  const volume = volumeOf(scale, type === WATER);
  const channel = volumeChannel(type === GAS ? 'gas' : 'water', circuit.slice(0, -1));
  return volume && { channel, kind: 'volume_total_m3', ...volume };
}

/**
 * Meters of the first version of the class do not say which way they count. Further endpoints are circuits beside each other (a power strip) or
 * parts of what the root tells as well (the clamps of a meter for a whole house): no message says which.
 */
const electric = (circuit: string, kind: SaidKind, rate: (typeof RATES)[number]): Metered => {
  if (rate !== 'unspecified' && circuit === '') return { channel: rate, kind };
  const unit = kind === 'power_w' ? 'W' : 'kWh';
  const which = rate === 'unspecified' ? 'electric' : rate;
  return { channel: `${circuit}unknown/${which}_${unit.toLowerCase()}`, kind, asks: { unit } };
};

function volumeOf(scale: number, isWater: boolean): VolumeScale | null {
  if (scale === 2 && isWater) return US_GALLON;
  return volumeScale(['m3', 'ft3'][scale]) ?? null;
}
