import type { DiscoveredDevice } from '#clients/typescript/client.ts';

const KINDS: Record<string, string> = {
  energy_total_kwh: 'energy register',
  energy_interval_kwh: 'energy of intervals',
  volume_total_m3: 'volume register',
  power_w: 'power',
  temperature_c: 'temperature',
  setpoint_c: 'setpoint',
  heating: 'heating',
};

/** What a device tells, by channel, and what of it would count: "import: energy register, power; counts as import". */
export function whatItTells({ quantities, channels }: DiscoveredDevice): string[] {
  return channels.map((channel) => {
    const mine = quantities.filter((one) => one.channel === channel);
    const kinds = mine.map(({ kind }) => KINDS[kind] ?? kind).join(', ');
    const counts = mine.find((one) => one.counts !== null)?.counts;
    const isUnknown = /(^|\/)unknown\//.test(channel);
    return `${channel}: ${kinds}${isUnknown ? '; counts when you say what it is' : counts ? `; counts as ${counts}` : ''}`;
  });
}

/** A guess to begin with; whoever pairs it knows. */
export function likelyType({ quantities }: DiscoveredDevice): string {
  const kinds = new Set(quantities.map(({ kind }) => kind));
  const isHeater = kinds.has('setpoint_c') || kinds.has('heating');
  return isHeater && !kinds.has('energy_total_kwh') ? 'thermostat' : 'smart_meter';
}
