import { type DeviceMessage, type Heard, withoutMemory } from '../family.ts';
import { type Hearing, hearing, nothing, refusal } from '../read/heard.ts';
import { readNumber } from '../read/number.ts';
import { member, mentions, readObject, readText } from '../read/payload.ts';
import { fromUnix, trusted } from '../read/time.ts';

/** What AhoyDTU publishes on, below its base topic. `device`: the base topic and the inverter's name. */
type AhoyTopic =
  | { what: 'quantity'; device: string; input: number; field: string }
  /** JSON of all that one side tells (its setting "JSON"). */
  | { what: 'side'; device: string; input: number }
  /** JSON of the sum over all inverters. */
  | { what: 'sum' }
  | { what: 'available'; device: string }
  | { what: 'nothing' };

/** Spelt as nobody else does: enough to know AhoyDTU by below any base topic. */
const FIELDS = new Set([
  ...['U_DC', 'I_DC', 'P_DC', 'YieldDay', 'YieldWeek', 'YieldTotal', 'U_AC', 'U_AC_1N', 'U_AC_2N', 'U_AC_3N'],
  // In newer versions, and as they were before.
  ...['U_AC_12', 'U_AC_23', 'U_AC_31', 'UAC_12', 'UAC_23', 'UAC_31', 'I_AC_1', 'IAC_1', 'I_AC_2', 'I_AC_3'],
  ...['I_AC', 'P_AC', 'F_AC', 'Temp', 'PF_AC', 'Efficiency', 'Irradiation', 'Q_AC', 'MaxPower', 'MaxTemp', 'rssi'],
  ...['ALARM_MES_ID', 'EVT', 'LastAlarmCode', 'FWVersion', 'FWBuildYear', 'FWBuildMonthDay', 'FWBuildHourMinute'],
  ...['BootloaderVersion', 'HWPartId', 'HWPartNumber', 'HWVersion', 'GridProfileCode', 'GridProfileVersion'],
  ...['active_PowerLimit', 'PowerLimit'],
]);
/** These words are anybody's, and AhoyDTU's below its default base topic alone. */
const ABOUT_INVERTER = new Set(['available', 'last_success', 'ack_pwr_limit', 'firmware', 'hardware', 'radio_stat']);
const SIDE = /^ch([0-6])$/;

/**
 * Reads `inverter/{name}/ch0/YieldTotal` and its neighbours; a changed base topic is known by the fields, which JSON has in its body.
 * Null for every other topic.
 */
function parseAhoyTopic(topic: string): AhoyTopic | null {
  const words = topic.split('/');
  const leaf = words.at(-1) ?? '';
  const before = (count: number) => words.slice(0, -count).join('/');
  const input = SIDE.exec(words.at(-2) ?? '')?.[1];
  if (input !== undefined) {
    return words.at(-3) && words.length > 3 && FIELDS.has(leaf)
      ? { what: 'quantity', device: before(2), input: Number(input), field: leaf }
      : null;
  }
  const side = SIDE.exec(leaf)?.[1];
  if (side !== undefined) {
    return words.at(-2) && words.length > 2 ? { what: 'side', device: before(1), input: Number(side) } : null;
  }
  if (words.at(-2) === 'total' && words.length > 2 && FIELDS.has(leaf)) return { what: 'nothing' };
  if (leaf === 'total' && words.length > 1) return { what: 'sum' };
  const [base, name, about] = words;
  if (base !== 'inverter' || !name || words.length !== 3 || !ABOUT_INVERTER.has(about ?? '')) return null;
  return about === 'available' ? { what: about, device: `${base}/${name}` } : { what: 'nothing' };
}

/** AhoyDTU: what micro-inverters of Hoymiles make. */
export const ahoydtu = withoutMemory({ name: 'ahoydtu', takes: (topic) => parseAhoyTopic(topic) !== null, decode });

/** How JSON of a side begins: others have topics that end like its, too. */
const SIDE_START = /^\{"(?:[UIP]_[AD]C|YieldTotal)/;

function decode(message: DeviceMessage): Heard | null {
  const parsed = parseAhoyTopic(message.topic);
  if (!parsed) return null;
  if (parsed.what === 'nothing') return nothing();
  if (parsed.what === 'side') return decodeSide(message, parsed);
  // What the inverters tell, once more.
  if (parsed.what === 'sum') return isSum(message.payload) ? nothing() : null;
  const value = readText(message.payload);
  if (value === null) return refusal('payload is not text');
  const heard = hearing();
  const { device } = parsed;
  if (parsed.what === 'available') {
    const state = stateOf(value);
    heard.addState({ device, channel: 'device', kind: 'availability', value: state, name: 'available' });
  } else if (parsed.input === 0) addField(heard, { device, name: parsed.field, value, atMs: null });
  return heard;
}

/** All that a side tells, in JSON with the time at which its inverter told it. */
function decodeSide(
  { payload, receivedAtMs }: DeviceMessage,
  { device, input }: { device: string; input: number },
): Heard | null {
  if (!SIDE_START.test(readText(payload) ?? '')) return null;
  const body = readObject(payload);
  if (!body) return refusal('payload is not a JSON object');
  const ts = readNumber(member(body, 'ts'));
  if (typeof ts !== 'number') return null;
  const heard = hearing();
  const atMs = trusted(fromUnix(ts), receivedAtMs);
  if (input === 0) {
    for (const name of ['YieldTotal', 'P_AC']) addField(heard, { device, name, value: member(body, name), atMs });
  }
  return heard;
}

/** A field of the inverter; what its inputs made is in it: they are left alone. */
function addField(
  heard: Hearing,
  { name, ...said }: { device: string; name: string; value: unknown; atMs: number | null },
): void {
  if (name === 'YieldTotal') heard.add({ ...said, channel: 'export', kind: 'energy_total_kwh', name });
  else if (name === 'P_AC') heard.add({ ...said, channel: 'export', kind: 'power_w', name });
}

function isSum(payload: Buffer): boolean {
  const body = mentions(payload, '"YieldTotal"') ? readObject(payload) : null;
  return ['P_AC', 'YieldTotal', 'YieldDay'].every((name) => member(body, name) !== undefined);
}

/** 0: not available, 1: available, 2: available and producing. */
const stateOf = (text: string): string => (readNumber(text) === 2 ? '1' : text);
