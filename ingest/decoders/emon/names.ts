import { channelWord } from '#src/devices/channel-name.ts';
import type { DecoderSettings } from '../family.ts';
import type { Quantity } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';

/** No sensor, out of range, bad checksum: what the firmware sends for a temperature that it has not got. */
const NO_TEMPERATURE = new Set([300, 302, 304]);
const PULSES = /^(?:(?:dig|ana)?pulse(?:count)?|pulse\d{1,2}(?:count)?)$/;

/** What a name of a node template stands for; `unset`: pulses, and nobody has said how many are a kWh. */
export function quantityOf(
  node: string,
  name: string,
  value: unknown,
  settings: DecoderSettings,
): Omit<Quantity, 'device' | 'atMs'> | 'unset' | Error | null {
  const key = `${node}/${name}`;
  const pulses = Object.hasOwn(settings.emon ?? {}, key) ? settings.emon?.[key]?.pulses_per_kwh : undefined;
  const lower = name.toLowerCase();
  if (pulses !== undefined) {
    if (!(Number.isFinite(pulses) && pulses > 0)) return new Error(`pulses_per_kwh of ${key} is not above 0`);
    return { channel: `${channelWord(name)}/import`, kind: 'energy_total_kwh', value, per: pulses, name };
  }
  if (PULSES.test(lower)) return 'unset';
  const energy = /^e(\d{1,2})$/.exec(lower)?.[1];
  // Net, and 32 bits with a sign: it may fall below 0.
  const least = -(2 ** 31);
  if (energy) return { channel: circuit(energy), kind: 'energy_total_kwh', value, per: 1_000, least, name };
  const power = /^(?:p|power|ct)(\d{1,2})$/.exec(lower)?.[1];
  if (power) return { channel: circuit(power), kind: 'power_w', value, name };
  const phase = /^power(l[123])$/.exec(lower)?.[1];
  if (phase) return { channel: `import/${phase}`, kind: 'power_w', value, name };
  if (lower === 'power') return { channel: 'import', kind: 'power_w', value, name };
  const room = roomOf(lower);
  if (room === null || NO_TEMPERATURE.has(readNumber(value) ?? Number.NaN)) return null;
  return { channel: room, kind: 'temperature_c', value, name };
}

/** Power and energy of one clamp have its number, and are one circuit. */
const circuit = (number: string): string => `ct${Number(number)}/import`;

function roomOf(name: string): string | null {
  if (name === 'temperature') return 'room';
  if (name === 'external temperature') return 'external';
  const probe = /^(?:t|temp)(\d{1,2})$/.exec(name)?.[1];
  return probe === undefined ? null : `probe${Number(probe)}`;
}
