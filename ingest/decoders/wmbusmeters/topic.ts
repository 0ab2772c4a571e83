import { type Json, member, mentions } from '../read/payload.ts';

/** The documented topics, `wmbusmeters/{id or name}`, and what the add-on for Home Assistant uses. */
const ROOT = 'wmbusmeters/';
/** Alarms as text. */
export const ALARMS = 'wmbusmeters_alarm';

export const isOwnTopic = (topic: string): boolean => topic.startsWith(ROOT);

/** Whether it is worth parsing a body on somebody's topic: owners choose their own, as they write the command that publishes. */
export const mayBeTelegram = (payload: Buffer): boolean => mentions(payload, '"media"', '"meter"', '"timestamp"');

/** Whether an object is a telegram: it says so in `_`; old versions did not, and are known by their members. */
export function isTelegram(body: Json): boolean {
  const kind = member(body, '_');
  if (kind !== undefined) return kind === 'telegram';
  return ['media', 'meter', 'name', 'id', 'timestamp'].every((name) => typeof member(body, name) === 'string');
}
