import type { DecoderSettings, DeviceMessage } from '../family.ts';
import { getMember, type Json } from '../read/payload.ts';
import { parseMessageTime } from '../read/time.ts';

/** Names of members that contain the time of the message. */
const TIMES = ['ts', 'time', 'timestamp', 'datetime', 'Time', 'Timestamp', 'DateTime'];

/** Returns the time that a body states, in Unix ms; null if it states none. */
export function getTimeOfBody(body: Json, { receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): number | null {
  const value = TIMES.map((name) => getMember(body, name)).find((one) => one !== undefined);
  return parseMessageTime(value, undefined, { tz, receivedAtMs });
}
