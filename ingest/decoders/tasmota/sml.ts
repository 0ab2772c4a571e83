import { COMMODITIES, type Commodity } from '#src/database/meter.ts';
import { normaliseChannelWord } from '#src/devices/channel-name.ts';
import { readNumber } from '../read/number.ts';
import type { Json } from '../read/payload.ts';
import { getVolumeChannel } from '../read/volume.ts';
import { classifySingleRegister } from '../registers-of-a-device/classify-single.ts';
import type { RegisterDescription } from '../registers-of-a-device/register.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { expandAbbreviations, type MeterNameMeaning, readMeterName } from './meter-names.ts';
import type { TasmotaMessageSource } from './source.ts';

/** The owner's settings for names in meter scripts (`decoder_config.tasmota`). The key is `prefix.name`, or the name alone. */
export type MeterNameSettings = Readonly<Record<string, { counts_as: string; unit?: string }>>;

/** Matches words that have another meaning in a channel and therefore cannot name a circuit (measured part of the home). */
const TAKEN = /^(import|export|unknown|[lt]\d+)$/;
/** Matches further words that cannot name the circuit of a volume. */
const COMMODITY = /^(gas|heat|water|m3)$/;
/** Matches prefixes (`jsonPrefix`) of meters for gas, water and heat, whose counts are in m³ as often as in kWh. */
const NOT_ELECTRIC = /^(gas|water|wasser|heat|heizung|w(ae|ä)rme)(?![a-z])/i;
/** Matches prefixes (`jsonPrefix`) that are common in public meter scripts: a kind of meter, or a manufacturer's type. */
const METER =
  /^(?:sml|obis|p1|dsmr|meter|smart_?meter|power_?meter|modbus\d*|mbus|z(?:ae|ä)hler|strom|hhstrom|haus|haupt|home|main|netz|grid|ebz|ehz|emh|mt\d{3}|dws|dtz|ddz|ed300|q[13][a-d]|lk\d\d|as\d{4}|a1500|e\d{3}|sdm\d*|zm[bd]\d*|itron|iskra|norax|sgm|am550|kaifa|im35\d|td\d{4}|t5[15]0|dvs|ws\d{4}|gs303|gh30\d|abb|aec|hiking|janitza)/i;
/** Value above which a register is probably in Wh: 1,000,000 kWh is more than a home uses, but 1,000,000 Wh are only 1,000 kWh. */
const MAX_KWH = 1_000_000;
/** Maximum number of names per meter about which the owner is asked. Most names of a script with more names are not meter values. */
const MAX_ASKED = 20;

const UNITS: Readonly<
  Record<string, { kind: 'energy_total_kwh' | 'power_w' | 'volume_total_m3'; times: number; per: number }>
> = {
  Wh: { kind: 'energy_total_kwh', times: 1, per: 1_000 },
  kWh: { kind: 'energy_total_kwh', times: 1, per: 1 },
  MWh: { kind: 'energy_total_kwh', times: 1_000, per: 1 },
  W: { kind: 'power_w', times: 1, per: 1 },
  kW: { kind: 'power_w', times: 1_000, per: 1 },
  m3: { kind: 'volume_total_m3', times: 1, per: 1 },
  l: { kind: 'volume_total_m3', times: 1, per: 1_000 },
};

const mappingOf = (mapping: MeterNameSettings, prefix: string, name: string) =>
  [`${prefix}.${name}`, name].flatMap((key) => (Object.hasOwn(mapping, key) ? (mapping[key] ?? []) : []))[0];

/**
 * Whether a block comes from a meter script: the prefix is a common name for a meter, or the meaning of a name in the block is known, by
 * the decoder or from the owner's mapping.
 */
export function isMeterBlock(prefix: string, block: Json, mapping: MeterNameSettings): boolean {
  if (METER.test(prefix) && !Object.hasOwn(block, 'Temperature')) return true;
  return Object.keys(block).some((name) => {
    const { is } = readMeterName(name);
    const isKnown = is === 'register' || is === 'power' || mappingOf(mapping, prefix, name) !== undefined;
    // A number named `total`, or `Ei` or `Eo` (gPlug), also shows that the block comes from a meter. The owner is then asked about it.
    return isKnown || (/^(?:total|e[io])$/i.test(name) && typeof block[name] === 'number');
  });
}

/**
 * Reads the block of a meter script. The prefix, which the owner chooses (`jsonPrefix`: `SML`, `MT681`), becomes a circuit: `sml/import`.
 * The owner is asked about names without a clear meaning: `sml/unknown/wert_a`. `circuits`: circuits of earlier blocks in the message.
 */
export function readMeterBlock(
  { collector, device, atMs }: TasmotaMessageSource,
  { prefix, block, mapping }: { prefix: string; block: Json; mapping: MeterNameSettings },
  circuits: Set<string>,
): void {
  if (NOT_ELECTRIC.test(prefix) && !Object.keys(block).some((name) => mappingOf(mapping, prefix, name))) return;
  const word = normaliseChannelWord(prefix);
  const circuit = TAKEN.test(word) ? `sml-${word}` : word;
  if (circuits.has(circuit)) {
    collector.refuse('two meters have the same name');
    return;
  }
  circuits.add(circuit);
  const names = new Set<string>();
  const channels = new Set<string>();
  const add = (name: string, value: unknown, unit: string, channel: string, isNamed = false) => {
    const { kind, times, per } = UNITS[unit] as (typeof UNITS)[string];
    channels.add(`${kind} ${channel}`);
    const place = kind === 'volume_total_m3' && COMMODITY.test(circuit) ? `sml-${circuit}` : circuit;
    const of = isNamed ? { described: describedBy(name, channel, kind === 'power_w' ? 'W' : 'kWh', circuit) } : {};
    const told = { device, channel: `${place}/${channel}`, kind, value, times, per, atMs, name: `${prefix}.${name}` };
    collector.add({ ...told, ...of });
  };
  let asked = 0;
  const ask = (name: string, value: unknown) => {
    const number = readNumber(value);
    if (isOfDay(name, block) || (isTeleinfo(block) && /^[pw][1-3]$/i.test(name))) return;
    if (typeof number !== 'number' || number < 0 || asked++ >= MAX_ASKED) return;
    const channel = `${circuit}/unknown/${normaliseChannelWord(name)}`;
    const said = { device, channel, kind: 'energy_total_kwh', value, atMs, name: `${prefix}.${name}` } as const;
    const described: RegisterDescription = { names: [expandAbbreviations(name)], unit: null, scope: circuit };
    collector.add({ ...said, asks: { unit: null }, described });
  };
  for (const [name, value] of Object.entries(block)) {
    const set = mappingOf(mapping, prefix, name);
    if (set?.counts_as === 'ignored') continue;
    const what: MeterNameMeaning = readMeterName(name);
    if (names.has(name.toLowerCase())) {
      if (what.is === 'register' || what.is === 'power') collector.refuse(`${name} occurs twice`);
      continue;
    }
    names.add(name.toLowerCase());
    if (set) {
      const { counts_as: countsAs, unit = 'kWh' } = set;
      const channel = mapped(countsAs, UNITS[unit]?.kind === 'volume_total_m3');
      if (channel === null)
        collector.refuse(`${prefix}.${name} is set to ${countsAs} in ${unit}: a volume is of gas, heat or water`);
      else add(name, value, unit, channel);
    } else if (what.is === 'power') add(name, value, 'W', what.channel, true);
    else if (what.is === 'register') {
      const isOnce = !channels.has(`energy_total_kwh ${what.channel}`);
      if (isOnce && !(Number(readNumber(value)) >= MAX_KWH)) add(name, value, 'kWh', what.channel, true);
      else ask(name, value);
    } else if (what.is === 'unknown') ask(name, value);
  }
}

/** Whether a block comes from the Teleinfo firmware. The powers of its phases (VA and W) are not registers. */
const isTeleinfo = (block: Json): boolean => Object.hasOwn(block, 'PSUB') && Object.hasOwn(block, 'PH');

/**
 * Whether a name means the register of one day (`Day Energy`): the name contains "day", and no other name in the block contains "night".
 */
function isOfDay(name: string, block: Json): boolean {
  const { bySibling } = getNameMeaning(expandAbbreviations(name));
  if (bySibling?.else !== 'period') return false;
  return !Object.keys(block).some((other) =>
    getNameMeaning(expandAbbreviations(other)).siblings.includes(bySibling.sibling),
  );
}

/**
 * Returns the description of a register. All registers of a meter are later classified together by their descriptions. If the words of
 * the name state `channel`, the description contains these words. Otherwise it contains words for what the name usually means in Tasmota's
 * scripts for meters (`Power_curr`, `1_8_0`).
 */
function describedBy(name: string, channel: string, unit: 'kWh' | 'W', scope: string): RegisterDescription {
  const spelled: RegisterDescription = { names: [expandAbbreviations(name)], unit, scope };
  const alone = classifySingleRegister(spelled);
  if (alone.is === 'counted' && alone.channel === `${scope}/${channel}`) return spelled;
  const [direction, part = ''] = channel.split('/');
  return { names: [unit === 'W' ? `power ${part}` : `${direction} energy ${part}`], unit, scope };
}

/**
 * Returns the channel that a setting (`counts_as`) selects. For a commodity other than electricity, the channel is its import or its
 * volume. Null for a volume of electricity, which does not exist.
 */
function mapped(countsAs: string, isVolume: boolean): string | null {
  if (COMMODITIES.some((one) => one === countsAs))
    return isVolume ? getVolumeChannel(countsAs as Commodity) : `${countsAs}/import`;
  return isVolume ? null : countsAs;
}
