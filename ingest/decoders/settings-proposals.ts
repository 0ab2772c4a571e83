import type { DecoderSettings } from './family.ts';
import { findUnitSuffix } from './proposal.ts';

interface Known {
  topic: string;
  settings: DecoderSettings;
  /** Native ids of devices that need a unit. */
  seen: readonly string[];
  /** Native names of the quantities about which the owner is asked. */
  asked: readonly string[];
}

/**
 * Returns settings that may make a message, or more of its values, readable. Each setting has one member of `decoder_config`. If only the
 * owner knows the right value (a time zone, a unit, pulses per kWh), the setting contains an example. Pure.
 */
export function proposeDecoderSettings({ topic, settings, seen, asked }: Known): DecoderSettings[] {
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
 * Returns an example setting for a name in a meter script, with the unit at the end of the name; null if the name has no unit. Only the
 * owner knows the direction, so the direction in the setting is an example, too.
 */
function answerFor(name: string): NonNullable<DecoderSettings['tasmota']>[string] | null {
  const unit = findUnitSuffix(name);
  return unit === null || unit === 'C' || unit === 'm3' || unit === 'l' ? null : { unit, counts_as: 'import' };
}
