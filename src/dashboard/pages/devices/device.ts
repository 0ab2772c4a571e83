import type { Device, DeviceDetails, DeviceUsage, PairedDevice, User } from '#clients/typescript/client.ts';
import { HOUR_MS } from '../../parts/format.ts';
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

type Usage = DeviceUsage['data'][number];

/** An hour as GET /v1/devices/{device_id}/usage answers it. */
export type ClimateHour = Pick<Usage, 'temperature_c' | 'setpoint_c' | 'heating_minutes'> & { starts_at: string };

/** One row for each hour of the span, including hours without data, so that gaps show. */
export function climateHours(rows: readonly ClimateHour[], fromMs: number, toMs: number): ClimateHour[] {
  const within = rows.filter(
    ({ starts_at }) => Date.parse(starts_at) >= fromMs - HOUR_MS && Date.parse(starts_at) <= toMs,
  );
  const [first] = within;
  const last = within.at(-1);
  if (!first || !last) return [];
  const known = new Map(within.map((row) => [Date.parse(row.starts_at), row]));
  const all: ClimateHour[] = [];
  for (let ms = Date.parse(first.starts_at); ms <= Date.parse(last.starts_at); ms += HOUR_MS)
    all.push(known.get(ms) ?? { starts_at: new Date(ms).toISOString() });
  return all;
}
