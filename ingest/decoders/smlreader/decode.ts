import { type DeviceMessage, type Heard, type SaidKind, withoutMemory } from '../family.ts';
import { hearing, nothing, refusal } from '../read/heard.ts';
import { readText } from '../read/payload.ts';

/** `…/sensor/1/obis/1-0:1.8.0/255/value`; `*255` before 2.1.5, nothing before 2.1.1. */
const TOPIC =
  /^(.+\/sensor\/[^/]+)\/obis\/(\d{1,3})-(\d{1,3}):(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:[/*](\d{1,3}))?\/value$/;

interface SmlReaderTopic {
  /** What stands before `obis`: the base topic and the reading head. */
  device: string;
  /** `1-0:1.8.0`. */
  code: string;
  /** The last number: 255 is what is now, and is left out by old versions. */
  period: number;
}

/** Reads a value's topic; null for every other one. */
function parseTopic(topic: string): SmlReaderTopic | null {
  const [, device, a, b, c, d, e, f = '255'] = TOPIC.exec(topic) ?? [];
  return device === undefined ? null : { device, code: `${a}-${b}:${c}.${d}.${e}`, period: Number(f) };
}

interface Meaning {
  channel: string;
  kind: SaidKind;
  per: number;
  /** Which way it flows is not said. */
  asks: boolean;
}

const ELECTRICITY = /^1-\d{1,3}:(\d{1,3})\.([78])\.(\d{1,2})$/;
/** Third number of a code: import, export, and the same of each phase. */
const FLOWS: Readonly<Record<string, string>> = {
  1: 'import',
  2: 'export',
  21: 'import/l1',
  41: 'import/l2',
  61: 'import/l3',
  22: 'export/l1',
  42: 'export/l2',
  62: 'export/l3',
};
/** Import less export, with a sign: of power only, as a register it is a balance. */
const SIGNED: Readonly<Record<string, string>> = { 16: 'import', 36: 'import/l1', 56: 'import/l2', 76: 'import/l3' };
/** Without a sign: of power, and of energy in either direction together. */
const ABSOLUTE = new Set(['15', '35', '55', '75']);

/** What a code is: registers are in Wh, power is in W, as SML has them. Null: neither, or known not to count (reactive, a balance). */
function meaningOf(code: string): Meaning | null {
  const [, flow = '', what, digits] = ELECTRICITY.exec(code) ?? [];
  const tariff = Number(digits);
  const kind = what === '8' ? 'energy_total_kwh' : 'power_w';
  const per = what === '8' ? 1_000 : 1;
  if (what === undefined || (what === '7' && tariff !== 0)) return null;
  if (ABSOLUTE.has(flow)) {
    return { channel: `unknown/${code.replaceAll(/[^0-9]/g, '_')}`, kind, per, asks: true };
  }
  const table = what === '7' && Object.hasOwn(SIGNED, flow) ? SIGNED : FLOWS;
  const channel = Object.hasOwn(table, flow) ? table[flow] : undefined;
  if (channel === undefined) return null;
  return { channel: tariff === 0 ? channel : `${channel}/t${tariff}`, kind, per, asks: false };
}

/** Of the running period; others are what a meter remembers of earlier ones. */
const NOW = 255;

/** SMLReader: an optical reader of German meters, with a topic for each value of an SML file. */
export const smlreader = withoutMemory({ name: 'smlreader', takes: (topic) => parseTopic(topic) !== null, decode });

function decode({ topic, payload }: DeviceMessage): Heard | null {
  const parsed = parseTopic(topic);
  if (!parsed) return null;
  const { device, code, period } = parsed;
  const meaning = period === NOW ? meaningOf(code) : null;
  if (!meaning) return nothing();
  const text = readText(payload);
  if (text === null) return refusal(`${code} is not text`);
  const { channel, kind, per, asks } = meaning;
  const heard = hearing();
  // Counted or not, its owner is told kWh and W.
  const asked = asks ? { unit: kind === 'power_w' ? 'W' : 'kWh' } : undefined;
  heard.add({ device, channel, kind, value: text, per, name: code, asks: asked });
  return heard;
}
