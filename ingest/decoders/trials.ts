import type { DecoderSettings } from './family.ts';
import { unitOf } from './proposal.ts';

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
  const place = levels.slice(-2).join('/');
  const trials: DecoderSettings[] = [{ senml: { topics: [...(settings.senml?.topics ?? []), topic] } }];
  if (levels.length > 2) {
    trials.push({ emon: { ...settings.emon, [place]: { pulses_per_kwh: 1_000 } } });
    const devices = [...(settings.zigbee2mqtt?.devices ?? []), levels.slice(1, -1).join('/')];
    trials.push({ zigbee2mqtt: { output: 'attribute', devices } });
  }
  if (settings.zwavejs === undefined) trials.push({ zwavejs: { temperature_unit: 'C' } });
  const each = <T>(names: readonly string[], value: T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, value]));
  if (seen.length > 0) trials.push({ meter: { ...settings.meter, ...each(seen, { unit: 'kWh', multiplier: 1 }) } });
  const named = asked.flatMap((name) => {
    const answer = answerFor(name);
    return answer ? [[name, answer] as const] : [];
  });
  if (named.length > 0) trials.push({ tasmota: { ...settings.tasmota, ...Object.fromEntries(named) } });
  return trials;
}

/**
 * An example of what a name of a meter's script may be, in the unit that it ends with; null if it has none. Its direction is what is asked.
 */
function answerFor(name: string): NonNullable<DecoderSettings['tasmota']>[string] | null {
  const unit = unitOf(name);
  return unit === null || unit === 'C' || unit === 'm3' || unit === 'l' ? null : { unit, counts_as: 'import' };
}
