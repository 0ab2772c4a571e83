import type { DecoderSettings, DeviceMessage } from '../family.ts';
import { asObjectOrNull, getMember, type Json, parseNamedTexts, readText } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';
import { parseMbusRecords } from './mbus.ts';
import { collectNumbersByName, mergeObjectsOfList, unwrapSingleObjectLists } from './members.ts';

/**
 * Returns the members of a message: of a JSON object or list, of a meter's readout, or of a text of names and values. Returns null for
 * every other message.
 */
export function readBody(json: unknown, payload: Buffer): Json | null {
  const body =
    parseMbusRecords(json) ??
    asObjectOrNull(json) ??
    collectNumbersByName(json) ??
    mergeObjectsOfList(json) ??
    parseReadout(payload) ??
    parseNamedTexts(payload);
  return body ? unwrapSingleObjectLists(body) : null;
}

/** Matches a line of a readout (IEC 62056-21) whose value has a unit: `1-0:1.8.0(018432.1*kWh)`. */
const LINE =
  /(?<![\w.:*-])((?:\d{1,3}-\d{1,3}:)?\d{1,3}\.\d{1,3}\.\d{1,3}(?:\*\d{1,3})?)\((\d{1,12}(?:[.,]\d{1,6})?\*[A-Za-z]{1,5})\)/g;
/** Matches the id of the device in front of a readout, in a query string. */
const DEVICE_ID = /(?:^|&)device_id=([^&\s]{1,64})/;
const MAX_LINES = 500;

/** Returns the values of a readout (IEC 62056-21) at any place of a text, by their OBIS codes; undefined if the text contains none. */
function parseReadout(payload: Buffer): Json | undefined {
  const text = readText(payload);
  if (!text?.includes('Wh)')) return undefined;
  const lines = [...text.matchAll(LINE)].slice(0, MAX_LINES);
  const body = Object.fromEntries(lines.map(([, code = '', value = '']) => [code, value]));
  const id = DEVICE_ID.exec(text)?.[1];
  return Object.keys(body).length > 0 ? { ...(id !== undefined && { device_id: id }), ...body } : undefined;
}

/** Names of members that contain the time of the message. */
const TIMES = ['ts', 'time', 'timestamp', 'datetime', 'Time', 'Timestamp', 'DateTime'];

/** Returns the time that a body states, in Unix ms; null if it states none. */
export function getTimeOfBody(body: Json, { receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): number | null {
  const value = TIMES.map((name) => getMember(body, name)).find((one) => one !== undefined);
  return parseMessageTime(value, undefined, { tz, receivedAtMs });
}
