import type { Device, PairedDevice } from '#clients/typescript/client.ts';
import { words } from '../../words/words.ts';

/** How a device logs in, and where it publishes; shown once. */
export type DeviceLogin = NonNullable<PairedDevice['mqtt']>;

/** How each state looks; what it means is in `words/`. */
export const STATES: Record<Device['status'], 'good' | 'quiet' | 'bad'> = {
  active: 'good',
  inactive: 'quiet',
  faulty: 'bad',
};

/** What a device asks that its state does not say anyway. `isOpen`: its details are what is looked at. */
export const asks = ({ attention, status }: Device, isOpen: boolean) =>
  attention
    .filter((one) => one !== 'faulty')
    .filter((one) => !(one === 'silent' && status === 'inactive'))
    .map((one) => {
      const { word, meaning, open, below } = words().devices.attentions[one];
      return { word, meaning: `${meaning} ${isOpen ? below : open}`.trim() };
    });

/** For people: a type as words. */
export const typeName = (type: string): string => words().devices.types[type] ?? type.replaceAll('_', ' ');
