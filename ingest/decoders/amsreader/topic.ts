import { FIELDS } from './fields.ts';

/** `…/meter/import/active`, with the part of the topic that says what it is. */
const RAW = /^(.+)\/meter\/((?:import|export)\/[a-z0-9/]+)$/;
/** A list in JSON by its number, where the payload format has a topic for each. */
const LIST = /^(.+)\/list[1-4]$/;
/**
 * JSON comes on a topic that is its owner's choice alone: these are the first members of a list, and the power that each has. What it says of
 * itself begins like that, too, and can be announced to Home Assistant.
 */
const START = '{"id":"';
const MEMBERS = ['"name":"', '"up":', '"vcc":', '"rssi":'];
/** The first members stand in so many bytes. */
const HEAD_LENGTH = 300;
const POWER = '"P":';

/** Reads a value's topic (payload formats `Raw`): the topic before `meter`, and its path below. Null for every other topic. */
export function parseRaw(topic: string): { device: string; path: string } | null {
  const [, device, path = ''] = RAW.exec(topic) ?? [];
  return device !== undefined && FIELDS.has(path) ? { device, path } : null;
}

/** The topic that its owner has chosen, out of one of a list. */
export const deviceOf = (topic: string): string => LIST.exec(topic)?.[1] ?? topic;

/** Whether a body is a list in JSON, by its bytes: a meter's number can be no text. */
export function isJson(payload: Buffer): boolean {
  if (payload[0] !== START.charCodeAt(0)) return false;
  const head = payload.toString('latin1', 0, HEAD_LENGTH);
  return head.startsWith(START) && MEMBERS.every((name) => head.includes(name)) && payload.includes(POWER);
}
