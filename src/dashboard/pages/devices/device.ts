import type { Device, PairedDevice } from '#clients/typescript/client.ts';

/** How a device logs in, and where it publishes; shown once. */
export type DeviceLogin = NonNullable<PairedDevice['mqtt']>;

/** What each state means, and how it looks. */
export const STATES: Record<Device['status'], { kind: 'good' | 'quiet' | 'bad'; meaning: string }> = {
  active: { kind: 'good', meaning: 'It was heard within the last 24 hours.' },
  inactive: { kind: 'quiet', meaning: 'It has been silent for a day, or was never heard.' },
  faulty: { kind: 'bad', meaning: 'It says so itself, or most of what it sent last could not be used.' },
};

/** Where a device can sit in its home. */
export const PLACEMENTS: Record<Device['placement'], string> = {
  grid: 'grid: the meter at the connection point',
  production: 'production: solar, wind, a generator',
  storage: 'storage: a battery',
  consumption: 'consumption: an appliance or a circuit',
  excluded: 'none: left out of the home’s total',
};

/** The same in a word. */
export const PLACES: Record<Device['placement'], string> = {
  grid: 'grid',
  production: 'production',
  storage: 'storage',
  consumption: 'consumption',
  excluded: 'left out',
};

/** What a device asks of its owner. `answer`: what to do about it, in its details. */
const ATTENTIONS: Record<Device['attention'][number], { word: string; meaning: string; answer?: string }> = {
  unknown_quantity: {
    word: 'what is it?',
    meaning: 'It tells something that cannot be told from its name, and is not counted.',
    answer: 'say what it is',
  },
  faulty: { word: 'faulty', meaning: 'It says so itself, or most of what it sent last could not be used.' },
  silent: { word: 'silent', meaning: 'It was not heard for a day.' },
  placement_guessed: {
    word: 'where is it?',
    meaning: 'Where it sits in the home is a guess, and the home’s total depends on it.',
    answer: 'save where it is',
  },
};

/** What a device asks that its state does not say anyway. `isOpen`: its details are what is looked at. */
export const asks = ({ attention, status }: Device, isOpen: boolean) =>
  attention
    .filter((one) => one !== 'faulty' && !(one === 'silent' && status === 'inactive'))
    .map((one) => {
      const { word, meaning, answer } = ATTENTIONS[one];
      if (answer === undefined) return { word, meaning };
      return { word, meaning: `${meaning} ${isOpen ? 'Below you' : 'Open its details and'} ${answer}.` };
    });

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

/** For people: a type as words. */
export const typeName = (type: string): string => TYPES[type] ?? type.replaceAll('_', ' ');
