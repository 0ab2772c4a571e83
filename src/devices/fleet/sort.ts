import { z } from 'zod';
import { createUnprocessableError } from '#src/core/errors.ts';

/** Sort orders of a list of devices. A minus sign reverses the order. */
export const FLEET_SORT_ORDERS = [
  'created_at',
  '-created_at',
  'location',
  '-location',
  'last_seen_at',
  '-last_seen_at',
] as const;
export type FleetSortOrder = (typeof FLEET_SORT_ORDERS)[number];

/**
 * Position of the last device of a page: the sort order, whether the device is in the section of silent devices, the value of the sort key
 * (as SQL text), and the device id.
 */
export interface FleetListPosition {
  sort: FleetSortOrder;
  isSilent: boolean;
  key: string;
  deviceId: string;
}

const place = z.tuple([z.enum(FLEET_SORT_ORDERS), z.boolean(), z.string(), z.string()]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Encodes a position in the list of devices as the text of a cursor. */
export const encodeFleetListPosition = ({ sort, isSilent, key, deviceId }: FleetListPosition): string =>
  JSON.stringify([sort, isSilent, key, deviceId]);

/** Decodes a position in the list of devices from a cursor, which callers can change. Throws 422 if the position has another sort order. */
export function decodeFleetListPosition(text: string, sort: FleetSortOrder): FleetListPosition {
  const wrong = () =>
    createUnprocessableError({ field: 'cursor', message: 'must come from a Link of this list in the same order' });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong();
  }
  const { success, data } = place.safeParse(parsed);
  if (!success || data[0] !== sort) throw wrong();
  const [, isSilent, key, deviceId] = data;
  // The database cannot store NUL.
  if (`${key}${deviceId}`.includes('\0')) throw wrong();
  const isTime = sort.endsWith('created_at') || (sort.endsWith('last_seen_at') && isSilent);
  if (isTime && !(TIME.test(key) && Number.isFinite(Date.parse(key)))) throw wrong();
  return { sort, isSilent, key, deviceId };
}
