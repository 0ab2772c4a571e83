/** Kind of a topic under `rtl_433/`. */
export type Rtl433Topic =
  | { what: 'event' }
  | { what: 'availability'; host: string }
  /** One key of a device: `where` is `[type/]model[/subtype][/channel][/id]`. */
  | { what: 'key'; where: string[]; key: string }
  | { what: 'other' };

/** Reads `rtl_433/{host}/events`, `…/devices/…/{key}` and `…/availability`; null where the first word is another. */
export function parseRtl433Topic(topic: string): Rtl433Topic | null {
  const words = topic.split('/');
  if (words[0] !== 'rtl_433') return null;
  const devices = words.indexOf('devices');
  const where = words.slice(devices + 1, -1);
  const key = words.at(-1);
  if (devices > 0 && where.length > 0 && key) return { what: 'key', where, key };
  if (words.length > 1 && key === 'events') return { what: 'event' };
  const host = words[1];
  if (words.length === 3 && host && key === 'availability') return { what: 'availability', host };
  return { what: 'other' };
}

/** The topic of a device in its own words, with whatever is not a letter, a digit, `-` or `.` as `_`, as rtl_433 has it. */
export const topicWord = (value: string | number): string => String(value).replaceAll(/[^-.A-Za-z0-9]/g, '_');
