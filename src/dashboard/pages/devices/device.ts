import type { Device, DeviceDetails, PairedDevice, User } from '#clients/typescript/client.ts';
import { textNamed, words } from '../../words/words.ts';

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

/** Whether somebody may change a device or a gateway beyond its name: what the utility manages its owner may not. */
export const mayManage = ({ managed_by }: Pick<DeviceDetails, 'managed_by'>, { role }: Pick<User, 'role'>): boolean =>
  managed_by === 'owner' || role !== 'homeowner';

/** For people: a type as words. */
export const typeName = (type: string): string => textNamed(words().devices.types, type) ?? type.replaceAll('_', ' ');
