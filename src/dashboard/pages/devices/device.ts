import type { Device, DeviceDetails, DeviceUsage, PairedDevice, User } from '#clients/typescript/client.ts';
import { HOUR_MS } from '../../parts/format.ts';
import { textNamed, words } from '../../words/words.ts';

/** MQTT user name, password and topic of a device. The service returns the password only once. */
export type DeviceLogin = NonNullable<PairedDevice['mqtt']>;

/** Kind of badge for each device status. */
export const STATUS_BADGES: Record<Device['status'], 'good' | 'quiet' | 'bad'> = {
  active: 'good',
  inactive: 'quiet',
  faulty: 'bad',
};

/**
 * Returns the open questions about a device to its owner. `isOpen`: whether the details of the device are shown. The hints on what to do
 * depend on it.
 */
export const listOpenQuestions = ({ attention, status }: Device, isOpen: boolean) =>
  attention
    .filter((one) => one !== 'faulty')
    .filter((one) => !(one === 'silent' && status === 'inactive'))
    .map((one) => {
      const { word, meaning, open, below } = words().devices.attentions[one];
      return { word, meaning: `${meaning} ${isOpen ? below : open}`.trim() };
    });

/** Returns whether a user may change all settings of a device or gateway. If a utility manages it, a homeowner may change only its name. */
export const canManageDevice = (
  { managed_by }: Pick<DeviceDetails, 'managed_by'>,
  { role }: Pick<User, 'role'>,
): boolean => managed_by === 'owner' || role !== 'homeowner';

/** Returns the display name of a device type. */
export const getDeviceTypeName = (type: string): string =>
  textNamed(words().devices.types, type) ?? type.replaceAll('_', ' ');

type Usage = DeviceUsage['data'][number];

/** One hour in the response of GET /v1/devices/{device_id}/usage. */
export type ClimateHour = Pick<Usage, 'temperature_c' | 'setpoint_c' | 'heating_minutes'> & { starts_at: string };

/** Returns a row for each hour of a time range. Hours without data get empty rows. */
export function listClimateHours(rows: readonly ClimateHour[], fromMs: number, toMs: number): ClimateHour[] {
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
