import type { DecoderSettings } from './family.ts';

/** What is known of a message before settings are tried. */
interface Known {
  topic: string;
  settings: DecoderSettings;
  /** Devices that wait for a unit. */
  seen: readonly string[];
  /** What is asked about, as the device calls it. */
  asked: readonly string[];
}

/**
 * Settings that may make a message readable, or more of it, one member of `decoder_config` each. Their values are examples where only
 * the owner knows them: a zone, a unit, pulses a kWh. Pure.
 */
export function trialsFor({ topic, settings, seen, asked }: Known): DecoderSettings[] {
  const levels = topic.split('/');
  const named = levels.slice(-2).join('/');
  const trials: DecoderSettings[] = [{ senml: { topics: [...(settings.senml?.topics ?? []), topic] } }];
  if (levels.length > 2) {
    trials.push({ emon: { ...settings.emon, [named]: { pulses_per_kwh: 1_000 } } });
    const devices = [...(settings.zigbee2mqtt?.devices ?? []), levels.slice(1, -1).join('/')];
    trials.push({ zigbee2mqtt: { output: 'attribute', devices } });
  }
  if (settings.zwavejs === undefined) trials.push({ zwavejs: { temperature_unit: 'C' } });
  const each = <T>(names: readonly string[], value: T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, value]));
  if (seen.length > 0) trials.push({ meter: { ...settings.meter, ...each(seen, { unit: 'kWh', multiplier: 1 }) } });
  if (asked.length > 0)
    trials.push({ tasmota: { ...settings.tasmota, ...each(asked, { counts_as: 'import', unit: 'kWh' as const }) } });
  return trials;
}
