import { type DecoderSettings, type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { type Hearing, hearing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';
import { trusted } from '../read/time.ts';
import { otherRegisterOf } from './other-meters.ts';
import { registerOf } from './registers.ts';
import { fromStamp } from './stamp.ts';
import { parseTelegram, type Telegram } from './telegram.ts';
import { isTelegram, mayHaveTelegram } from './topic.ts';

/** A value with its unit. */
const VALUE = /^([^*]{0,32})\*([A-Za-z0-9]{1,8})$/;
/** The meter's number, as Dutch and Belgian, Swedish, and Luxembourgian meters tell it. */
const SERIALS = ['0-0:96.1.1', '0-0:96.1.0', '0-0:42.0.0'];

/** Telegrams of a P1 port (DSMR, eMUCS), whoever publishes them. */
export const p1 = withoutMemory({ name: 'p1', takes: mayHaveTelegram, decode });

function decode({ topic, payload, receivedAtMs }: DeviceMessage, { tz }: DecoderSettings): Heard | null {
  const text = readText(payload);
  if (!isTelegram(topic, text)) return null;
  if (text === null) return refusal('payload is not text');
  const telegram = parseTelegram(text);
  if (typeof telegram === 'string') return refusal(telegram);
  const heard = hearing();
  const device = deviceOf(telegram);
  const timeOf = (stamp: string | undefined) => trusted(fromStamp(stamp, { tz, receivedAtMs }), receivedAtMs);
  const atMs = timeOf(telegram.lines.get('0-0:1.0.0')?.[0]);
  for (const [code, groups] of telegram.lines) {
    const register = registerOf(code);
    if (register) addRegister(heard, { ...register, code, device, atMs, text: groups.at(-1) ?? '' });
    else {
      const other = otherRegisterOf(code, groups, telegram);
      if (!other) continue;
      const { stamp, ...told } = other;
      heard.add({ ...told, device, atMs: stamp === undefined ? atMs : timeOf(stamp), name: code });
    }
  }
  return heard;
}

type Line = NonNullable<ReturnType<typeof registerOf>> & {
  code: string;
  device: string;
  atMs: number | null;
  text: string;
};

function addRegister(heard: Hearing, { code, device, channel, kind, units, atMs, text }: Line): void {
  // Empty parentheses: the meter has no value.
  if (text === '') return;
  const [, value, unit = ''] = VALUE.exec(text) ?? [];
  if (Object.hasOwn(units, unit)) heard.add({ device, channel, kind, value, ...units[unit], atMs, name: code });
  else heard.refuse(`${code} has no unit that is known`);
}

/** The meter's number, as it is printed on it: telegrams have it in hex. Without one, maker and type. */
function deviceOf({ header, lines }: Telegram): string {
  const serial = SERIALS.map((code) => lines.get(code)?.[0]).find((one) => one);
  if (!serial) return header;
  if (!/^([0-9A-Fa-f]{2}){4,48}$/.test(serial)) return serial;
  const printed = Buffer.from(serial, 'hex').toString('latin1');
  return /^[A-Za-z0-9._-]+$/.test(printed) ? printed : serial;
}
