import type { Device, PairedDevice } from '#clients/typescript/client.ts';

/** How a device logs in, and where it publishes; shown once. */
export type DeviceLogin = NonNullable<PairedDevice['mqtt']>;

/** What each state means, and how it looks. */
export const STATES: Record<Device['status'], { kind: 'good' | 'quiet' | 'bad'; meaning: string }> = {
  active: { kind: 'good', meaning: 'It was heard within the last 24 hours.' },
  inactive: { kind: 'quiet', meaning: 'It has been silent for a day, or was never heard.' },
  faulty: { kind: 'bad', meaning: 'It says so itself, or most of what it sent last could not be used.' },
};

/** Types that clients know; any other word will do. */
export const TYPES: Record<string, string> = {
  smart_meter: 'smart meter',
  thermostat: 'thermostat',
  smart_plug: 'smart plug',
  solar_inverter: 'solar inverter',
  heat_pump: 'heat pump',
  ev_charger: 'EV charger',
  battery: 'battery',
};

/** For people: the usual types as words, others as they were given. */
export const typeName = (type: string): string => TYPES[type] ?? type;
