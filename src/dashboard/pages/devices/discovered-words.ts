import type { DiscoveredDevice } from '#clients/typescript/client.ts';
import { textNamed, words } from '../../words/words.ts';

/** What a device tells, by channel, and what of it would count: "import: energy register, power; counts as import". */
export function whatItTells({ quantities, channels }: DiscoveredDevice): string[] {
  const w = words().devices.discovered;
  return channels.map((channel) => {
    const mine = quantities.filter((one) => one.channel === channel);
    const kinds = mine.map(({ kind }) => textNamed(w.kinds, kind) ?? kind).join(', ');
    const counts = mine.find((one) => one.counts !== null)?.counts;
    const isUnknown = /(^|\/)unknown\//.test(channel);
    return `${channel}: ${kinds}${isUnknown ? `; ${w.countsWhenSaid}` : counts ? `; ${w.countsAs({ what: counts })}` : ''}`;
  });
}

/** A guess to begin with; whoever pairs it knows. */
export function likelyType({ quantities }: DiscoveredDevice): string {
  const kinds = new Set(quantities.map(({ kind }) => kind));
  const isHeater = kinds.has('setpoint_c') || kinds.has('heating');
  return isHeater && !kinds.has('energy_total_kwh') ? 'thermostat' : 'smart_meter';
}
