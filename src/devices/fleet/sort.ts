import { z } from 'zod';
import { unprocessable } from '#src/core/errors.ts';

/** Orders of a fleet's devices; with a minus the other way round. */
export const FLEET_SORTS = [
  'created_at',
  '-created_at',
  'location',
  '-location',
  'last_seen_at',
  '-last_seen_at',
] as const;
export type FleetSort = (typeof FLEET_SORTS)[number];

/** Where a page of the list ended: the order, whether among the silent, what it is sorted by there (text of SQL), and the id. */
export interface Place {
  sort: FleetSort;
  isSilent: boolean;
  key: string;
  deviceId: string;
}

const place = z.tuple([z.enum(FLEET_SORTS), z.boolean(), z.string(), z.string()]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A place as it goes into a cursor. */
export const placeAsText = ({ sort, isSilent, key, deviceId }: Place): string =>
  JSON.stringify([sort, isSilent, key, deviceId]);

/**
 * The place in a cursor; 422 where it is none of this order. Cursors are no secret: what is in one is checked like anything else that
 * is sent.
 */
export function placeOf(text: string, sort: FleetSort): Place {
  const wrong = () => unprocessable({ field: 'cursor', message: 'must be one of a Link of this list, in this order' });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong();
  }
  const { success, data } = place.safeParse(parsed);
  if (!success || data[0] !== sort) throw wrong();
  const [, isSilent, key, deviceId] = data;
  // The database cannot hold NUL. (A location may have its escape's letters in it.)
  if (`${key}${deviceId}`.includes('\0')) throw wrong();
  const isTime = sort.endsWith('created_at') || (sort.endsWith('last_seen_at') && isSilent);
  if (isTime && !(TIME.test(key) && Number.isFinite(Date.parse(key)))) throw wrong();
  return { sort, isSilent, key, deviceId };
}
