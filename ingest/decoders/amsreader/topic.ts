import { FIELDS } from './fields.ts';

/** `…/meter/import/active`, with the part of the topic that says what it is. */
const RAW = /^(.+)\/meter\/((?:import|export)\/[a-z0-9/]+)$/;
/** A list in JSON by its number, where the payload format has a topic for each. */
const LIST = /^(.+)\/list[1-4]$/;
/**
 * JSON comes on a topic that is its owner's choice alone: these are the first members of a list, and the power that each has. What it says of
 * itself begins like that, too, and can be announced to Home Assistant.
 */
const START = Buffer.from('{"id":"');
const MEMBERS = ['"name":"', '"up":', '"vcc":', '"rssi":'];
const POWER = '"P":';

/** Reads a value's topic (payload formats `Raw`): the topic before `meter`, and its path below. Null for every other topic. */
export function parseRaw(topic: string): { device: string; path: string } | null {
  const [, device, path = ''] = RAW.exec(topic) ?? [];
  return device !== undefined && FIELDS.has(path) ? { device, path } : null;
}

/** The topic that its owner has chosen, out of one of a list. */
export const deviceOf = (topic: string): string => LIST.exec(topic)?.[1] ?? topic;

/** Whether a body is a list in JSON. */
export const isJson = (payload: Buffer): boolean =>
  payload[0] === START[0] &&
  payload.subarray(0, START.length).equals(START) &&
  MEMBERS.every((name) => payload.subarray(0, 300).includes(name)) &&
  payload.includes(POWER);
