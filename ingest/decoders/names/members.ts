import { toChannelWord } from '#src/devices/channel-name.ts';
import { unitAtEndOfName } from '../proposal.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json, ownMember } from '../read/payload.ts';
import { toCelsius, type ValueCollector } from '../read/value-collector.ts';
import { type RegisterDescription, registerFactsOf } from '../registers-of-a-device/register.ts';
import { assignChannels, type MetricQuantity } from '../sparkplug/channels.ts';
import { type MetricMeaning, metricMeaningOf } from '../sparkplug/meaning.ts';
import { metricUnitOf, metricVolumeUnitOf } from '../sparkplug/units.ts';
import { type NameFacts, nameFactsOf } from '../vocabulary/name-facts.ts';
import { parseObisCode } from '../vocabulary/obis.ts';
import { volumeCommodityOf } from '../vocabulary/volume-of.ts';

/**
 * Maximum number of members in one payload, their maximum depth, and the maximum length of a name with those of the enclosing objects: the
 * patterns below take up to the square of it.
 */
const MAX_MEMBERS = 500;
const MAX_PATH = 256;
const MAX_DEPTH = 4;

/** A number in a payload, with the names of the enclosing objects in its path: `meter/energy_kwh`. */
export interface Member {
  path: string;
  value: unknown;
  /** Unit that a sibling of the number states. */
  unit?: string;
}

/** Returns the number of an object that states its unit, too: `{"value": 12.5, "unit": "kWh"}`; null for every other object. */
export function numberWithUnit(object: Json): Omit<Member, 'path'> | null {
  // None of these names is inherited.
  const value = object.value ?? object.val ?? object.v ?? object.data ?? object.reading;
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const unit = object.unit ?? object.units ?? object.uom ?? object.unit_of_measurement;
  return typeof unit === 'string' && unit !== '' ? { value, unit } : null;
}

/** A number with its unit in one text. A comma before three digits may separate thousands. */
const WITH_UNIT = /^\s*([+-]?\d{1,12}(?:\.\d+|,\d{1,2}|,\d{4,})?)\s*(\p{L}[\p{L}\d³]{0,3}|°C)\s*$/u;

/** Splits a text such as `12345.6 kWh` (openHAB) or `145,57 kWh` into number and unit; returns null for every other text. */
export function splitUnitOfText(text: string): Omit<Member, 'path'> | null {
  const [, number, unit] = text.length > 40 ? [] : (WITH_UNIT.exec(text) ?? []);
  if (number === undefined || unit === undefined || !(metricUnitOf(unit) ?? metricVolumeUnitOf(unit))) return null;
  return { value: number.replace(',', '.'), unit };
}

/** Returns the unit that a sibling of a number states: `psupplyunit` next to `psupply`. */
function unitBeside(object: Json, name: string): Pick<Member, 'unit'> {
  const unit = ownMember(object, `${name}unit`) ?? ownMember(object, `${name}_unit`);
  return typeof unit === 'string' && unit !== '' ? { unit } : {};
}

/** Maximum number of objects in a list that describes one device. */
const MAX_PARTS = 8;

/**
 * Returns the objects of a list as one object: a list of one, or the parts of one device, which share no name. Returns null for every other
 * list: its elements are devices that only their order distinguishes.
 */
export function mergeParts(list: unknown): Json | null {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_PARTS) return null;
  const entries = list.flatMap((part) => Object.entries(asObject(part) ?? {}));
  const isWhole = list.every((part) => asObject(part) !== null);
  return isWhole && new Set(entries.map(([name]) => name)).size === entries.length ? Object.fromEntries(entries) : null;
}

/**
 * Returns a list of numbers with their names and units (`[{"name": "import", "value": 7, "unit": "kWh"}]`) as an object by name; a unit
 * may be missing. Returns null if an element is something else, or if two have the same name: those are devices that only their order distinguishes.
 */
export function numbersByName(list: unknown): Json | null {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_MEMBERS) return null;
  const byName = new Map<string, unknown>();
  for (const part of list) {
    const object = asObject(part);
    const name = object && (object.name ?? object.title ?? object.titel ?? object.label ?? object.key);
    if (!object || typeof name !== 'string' || name === '' || byName.has(name)) return null;
    const value = numberWithUnit(object) ? object : object.value;
    if (value !== object && typeof value !== 'number') return null;
    byName.set(name, value);
  }
  return Object.fromEntries(byName);
}

/** Returns all numbers and texts of an object, with the names of the enclosing objects. */
export function listNamedMembers(object: Json): Member[] {
  const members: Member[] = [];
  const visit = (inner: Json, before: string, depth: number) => {
    for (const [name, value] of Object.entries(inner)) {
      if (members.length >= MAX_MEMBERS) return;
      const path = before === '' ? name : `${before}/${name}`;
      if (path.length > MAX_PATH) continue;
      const deeper = asObject(value) ?? numbersByName(value);
      const own = deeper && numberWithUnit(deeper);
      if (own) members.push({ path, ...own });
      else if (deeper) {
        if (depth < MAX_DEPTH) visit(deeper, path, depth + 1);
      } else if (typeof value === 'string') members.push({ path, ...(splitUnitOfText(value) ?? { value }) });
      else if (typeof value === 'number') members.push({ path, value, ...unitBeside(inner, name) });
    }
  };
  visit(object, '', 1);
  return members;
}

/** Facts about a device besides the names of its numbers. */
export interface MembersContext {
  /** Names around the numbers, innermost first, that state a direction, a period or a commodity. */
  around?: readonly string[];
  /** Further members of each register's description. */
  described?: Pick<RegisterDescription, 'device' | 'isAlone'>;
  /** Whether the device is one of several numbered meters: its total may be of anything. */
  isNumbered?: boolean;
  /**
   * Whether nothing is known of the device: an energy without a unit is asked about only if its name leaves no doubt that it is one, a power
   * without a unit only if the message has nothing else, and a unit alone is no name.
   */
  isStrict?: true;
}

/**
 * Adds the members whose names state a quantity and its unit; the registers among them are classified together. Adds a question for an
 * energy without a unit. Returns the number of members that name a quantity, whether or not they have a value.
 */
export function addNamedQuantities(
  collector: ValueCollector,
  members: readonly Member[],
  said: { device: string; atMs: number | null },
  context: MembersContext = {},
): number {
  const meanings = members.flatMap(({ path, unit }) => {
    const meaning = meaningOf(path, unit, context);
    return meaning ? [{ ...meaning, name: path }] : [];
  });
  const assigned = assignChannels(meanings);
  const quantities = context.isStrict ? withDoubtfulPowers(assigned) : assigned;
  let count = meanings.length;
  // A pulse counter next to the volume needs no question.
  const hasVolume = meanings.some(({ unit }) => unit.kind === 'volume_total_m3');
  for (const { path, value, unit: stated } of members) {
    const quantity = quantities.get(path);
    if (quantity) {
      const { unit, ...place } = quantity;
      const { kind, times, per, fahrenheit } = unit;
      collector.add({
        ...said,
        ...place,
        kind,
        times,
        per,
        value: fahrenheit ? toCelsius(value, 'F') : value,
        name: path,
      });
    } else if (quantity === undefined && isUnknownEnergy(path, value, context) && !isOfPeriod(path, members, context)) {
      collector.add({ ...said, ...unknownPlace(path, context), kind: 'energy_total_kwh', value, name: path });
      count++;
    } else if (quantity === undefined && !hasVolume && isUnknownVolume(path, value, stated, context)) {
      collector.add({ ...said, ...volumePlace(path), kind: 'volume_total_m3', value, name: path });
      count++;
    }
  }
  return count > 0 || !context.isStrict ? count : addLoneMembers(collector, members, said, context);
}

/** Adds questions for energies and powers that state neither unit nor direction, if a message has nothing else. Returns their number. */
function addLoneMembers(
  collector: ValueCollector,
  members: readonly Member[],
  said: { device: string; atMs: number | null },
  context: MembersContext,
): number {
  let count = 0;
  for (const { path, value, unit } of members) {
    const isNumber = isUnnamedNumber(path, value, context);
    const kind = isNumber ? 'energy_total_kwh' : unit === undefined ? loneKindOf(path, value, context) : null;
    if (kind === null || isOfPeriod(path, members, context)) continue;
    collector.add({ ...said, ...unknownPlace(path, context), kind, value, name: path });
    count++;
  }
  return count;
}

/** Returns the place of a quantity without a unit, about which the owner is asked. */
const unknownPlace = (path: string, context: MembersContext) => ({
  channel: `unknown/${toChannelWord(path)}`,
  asks: { unit: null },
  described: { ...describe(path, context), unit: null },
});

/** Returns the place of a volume without a unit, about which the owner is asked. Its channel states that it is no energy. */
const volumePlace = (path: string) => ({ channel: `m3/unknown/${toChannelWord(path)}`, asks: { unit: null } });

const isCounted = ({ channel }: MetricQuantity): boolean => !/(?:^|\/)(?:unknown|ignored)\//.test(channel);

/** Turns powers without a direction into questions, unless a register of the device counts: they may be an inverter's, as registers may. */
function withDoubtfulPowers(
  all: ReadonlyMap<string, MetricQuantity | null>,
): ReadonlyMap<string, MetricQuantity | null> {
  const isRegister = (one: MetricQuantity | null) => one?.unit.kind === 'energy_total_kwh' && isCounted(one);
  if ([...all.values()].some(isRegister)) return all;
  const isDoubtful = ({ unit, described, channel }: MetricQuantity) =>
    unit.kind === 'power_w' &&
    /(?:^|\/)import(?:\/|$)/.test(channel) &&
    described?.isAlone === true &&
    registerFactsOf(described).way === null;
  const asked = (name: string, one: MetricQuantity): MetricQuantity => ({
    ...one,
    channel: `unknown/${toChannelWord(name)}`,
    asks: { unit: 'W' },
  });
  return new Map([...all].map(([name, one]) => [name, one && isDoubtful(one) ? asked(name, one) : one]));
}

/** Returns the meaning of a member by its name, the names around it and the unit that the message states. */
function meaningOf(path: string, unit: string | undefined, context: MembersContext): MetricMeaning | null {
  const { around = [] } = context;
  const meaning = metricMeaningOf(path, unit);
  // The commodity of a volume may be the topic's: `gas/meter` with `total_m3`.
  if (!meaning?.described) return meaning ?? metricVolumeOf([...around.toReversed(), path].join('/'), unit);
  // A unit alone names no register: `wh` may be the energy of a session.
  const isBare = context.isStrict && meaning.words.length === 0 && around.length === 0;
  const described = { ...meaning.described, ...describe(path, context), ...(isBare && { isAlone: true as const }) };
  return registerFactsOf(described).not === null ? { ...meaning, described } : null;
}

function metricVolumeOf(path: string, unit: string | undefined): MetricMeaning | null {
  const meaning = metricMeaningOf(path, unit);
  return meaning?.unit.kind === 'volume_total_m3' ? meaning : null;
}

const describe = (path: string, { around = [], described }: MembersContext) => ({
  names: [path, ...around],
  ...(around.length > 0 && { understood: [path] }),
  ...described,
});

/** Words for energy that state no unit, and those that mean nothing else. `E-Total`, `Etotal` and `e_pv_all` are energies, too. */
const ENERGY =
  /[eé]nerg|consum|verbrauch|kwh|meter\/(?:im|ex)port|(?:^|[_\s/])e[_\s-]?(?:[a-z\d]+[_\s-])*(?:total|tot|all)$/i;
const SURE = /[eé]nerg|kwh|(?:^|[_\s/])e[_\s-]?(?:total|tot|all)$/i;
/** Abbreviated energies of inverters, written as one word: `Eactotal`, `Epv1Total`. */
const SHORT_ENERGY = /(?:^|[_\s/-])e[_-]?(?:ac|dc|pv\d?|grid|load|bat|(?:dis)?charge)(?:total|tot|all)$/i;
/** Words for a register of everything since the beginning. */
const EVER = /total|lifetime|cumul|accumul|gesamt|(?:^|[^a-z])(?:all|sum)$/i;
/** Abbreviated powers of inverters and meters: `Pac`, `p1supply`, `Pdischarge`. */
const SHORT_POWER =
  /(?:^|[_\s/-])p[1-3]?[_-]?(?:ac|dc|pv|grid|load|bat|(?:dis)?charge|sum|total|consum(?:e|ption)|supply|usage|l[1-3])\d?$/i;
/** Words for power, for what ends a name that is no power (`l1_power_current`), for the power of a sender, and for other quantities. */
const POWER = /power(?!meter)|pwr|leistung|watt|puissance|potenza|potencia|vermogen|effekt/i;
const NO_POWER = /(?:current|voltage|volts?|amps?|frequency|factor)$/i;
const RADIO = /(?:^|[_\s/-])(?:[rt]x|rf)(?:[_\s-]|$)/i;
const OTHER_QUANTITY = /volt|current|amp|freq|hour|time|count|cycle|temp|percent|volume|flow/i;
/** Words of a name that contains a word for power, too, but is a setting, a state or a limit. */
const SETTING =
  /mode|stat(?:e|us)|source|sav(?:e|ing)|button|behaviou?r|outage|version|rssi|signal|level|limit|priority|restore/i;
/** Names of a register that state no quantity. */
const READING =
  /(?:^|[_\s-])(?:meter|counter|z(?:ä|ae)hler|teller|compteur)[_\s-]?(?:reading|stand|value|index)$|^(?:z(?:ä|ae)hler|meter)stand$/i;
/** Names of what a meter counts per hour. */
const METER_RATE = /^(?:meter|counter)[_\s-]?rate$/i;
/** Words of a flow that mean nothing else. An import may be a job's, and somebody may be at home. */
const FLOW = /solar|pv|photovolt|grid|netz|bezug|einspeis|feed_?in|teruglever|inject/i;
/** Levels of a topic that name how often it is sent. */
const SCHEDULE = /^(?:minutes?|seconds?)$/i;
/** Units of quantities other than active energy. */
const OTHER_UNIT = /k?va(?:rh?|h)?(?:_|$)/i;

/** Fuels, and what contains them. Without a word for energy, their numbers are volumes, weights and levels. */
const FUEL =
  /tank|cistern|zistern|reservoir|f(?:ü|ue)llstand|(?:^|[^a-z])(?:gas|oil|oel|öl|heiz(?:ö|oe)l|mazout|diesel|fuel|lpg|propane?|butane?|pellets?)(?![a-z])/i;

/** Whether a name is the OBIS code of a register, which may be in Wh or kWh. */
const isRegisterCode = (name: string): boolean => parseObisCode(name)?.quantity === 'register';
/** Whether a name has a word or a code for energy. */
const namesEnergy = (name: string): boolean => ENERGY.test(name) || SHORT_ENERGY.test(name) || isRegisterCode(name);
/** Whether a name has a word for energy or power, or a code. A quick test, before its words are looked up. */
export const namesQuantity = (name: string): boolean => namesEnergy(name) || POWER.test(name) || SHORT_POWER.test(name);
/** Whether a name may be that of an energy or a power without a unit. */
export const namesWithoutUnit = (name: string): boolean =>
  namesQuantity(name) || EVER.test(name) || flowKindOf(lastNameOf(name)) !== null;

const lastNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Returns the probable kind of a number whose name states no quantity: `meter_reading` and `einspeisung` are registers, `solarPV`, `grid`
 * and `0100100700ff` (16.7.0) powers. Null if the name states neither a register nor what flows from where.
 */
function flowKindOf(name: string): 'energy_total_kwh' | 'power_w' | null {
  if (READING.test(name)) return 'energy_total_kwh';
  if (METER_RATE.test(name) || parseObisCode(name)?.quantity === 'power') return 'power_w';
  if (!FLOW.test(name)) return null;
  const { unknown, not, direction, has } = nameFactsOf(name);
  if (unknown.length > 0 || not !== null) return null;
  if (direction === 'import' || direction === 'export') return 'energy_total_kwh';
  return has('sun') || has('grid') ? 'power_w' : null;
}

/** Whether a member is named as energy but has no known unit. Members that are known not to count are excluded. */
function isUnknownEnergy(path: string, value: unknown, context: MembersContext): boolean {
  const isEnergy = namesEnergy(path);
  if (!(isEnergy || (context.isStrict && EVER.test(path))) || OTHER_UNIT.test(path) || SHORT_POWER.test(path))
    return false;
  if (typeof readNumber(value) !== 'number' || Number(value) < 0) return false;
  const { not, way, isMade, moves, isOfPanels } = factsOf(path, null, context);
  const isUnknown = hasUnknownWord(path);
  if (not !== null || isOfWater(path, context) || isOfFuel(path, context)) return false;
  const says = way !== null || isMade || moves !== null || isOfPanels;
  const isSure = isEnergy
    ? (says || EVER.test(path)) && (!isUnknown || SURE.test(path) || SHORT_ENERGY.test(path))
    : says && !isUnknown && !POWER.test(path) && !OTHER_QUANTITY.test(path);
  return (!context.isStrict || isSure) && metricMeaningOf(`${path}_kwh`, undefined) !== null;
}

/**
 * Returns the kind of a member that is named as energy or power, for a question to the owner; null if it is neither. 0 and 1 are states. An
 * unknown word does no harm here, because a question counts nothing.
 */
function loneKindOf(path: string, value: unknown, context: MembersContext): 'energy_total_kwh' | 'power_w' | null {
  const number = readNumber(value);
  if (typeof number !== 'number' || number === 0 || number === 1) return null;
  const name = lastNameOf(path);
  const named = POWER.test(path) || SHORT_POWER.test(path) ? 'power_w' : ENERGY.test(path) ? 'energy_total_kwh' : null;
  const kind = named ?? flowKindOf(name);
  if (kind === null || OTHER_UNIT.test(path) || NO_POWER.test(path) || RADIO.test(path) || SETTING.test(name))
    return null;
  if (hasUnknownWord(path) && OTHER_QUANTITY.test(name)) return null;
  const { not, commodity } = factsOf(path, kind === 'power_w' ? 'W' : null, context);
  if (commodity !== 'electricity' || isOfWater(path, context) || (kind !== 'power_w' && isOfFuel(path, context)))
    return null;
  // A net power is what the connection draws, and feeds in where it is negative; a net energy is no register.
  if (not === 'balance' && kind === 'power_w') return kind;
  return not === null && metricMeaningOf(`${path}_${kind === 'power_w' ? 'watt' : 'kwh'}`, undefined) !== null
    ? kind
    : null;
}

/** A data point of Tuya, which has a number instead of a name. */
const DATA_POINT = /(?:^|\/)dps\/\d{1,3}$/i;
/** Whether a path is that of a numbered data point: `dps/17`. */
export const isDataPoint = (path: string): boolean => DATA_POINT.test(path);

/** Whether a member is a number that has no name but that of its place: a data point, or the total of a numbered meter. 0 and 1 are states. */
function isUnnamedNumber(path: string, value: unknown, { isNumbered }: MembersContext): boolean {
  const number = readNumber(value);
  return typeof number === 'number' && number > 1 && (isDataPoint(path) || (isNumbered === true && path === 'total'));
}

/** A commodity written as one word with what counts it: `gastotal`, `watercounter`. */
const GLUED_VOLUME = /(gas|water)(?=total|counter|meter|reading|usage|consum)/gi;
/** Words of numbers of gas and water that are no volume. */
const NO_VOLUME =
  /volt|curr|amp|freq|hour|time|temp|percent|flow|rate|press|valve|power|energ|watt|kwh|pulse|umdreh|uptime|interval|signal|rssi|trigger|limit|min$|max$|id$|(?<!to)(?:state|status)/i;

/**
 * Whether a member without a unit is named as the register of a gas or water meter: `gastotal`, `gas/counter`, `meter_water`. Of a unit that
 * is stated, the meaning is known. 0 and 1 are states.
 */
function isUnknownVolume(path: string, value: unknown, unit: string | undefined, context: MembersContext): boolean {
  const name = lastNameOf(path);
  // A level of a topic that is a unit leaves open whether the number is a register: `water/m3`.
  const isOfUnit = unit !== undefined || unitAtEndOfName(name) !== null;
  if (!context.isStrict || (isOfUnit && unit !== name)) return false;
  const number = readNumber(value);
  return typeof number === 'number' && number > 1 && namesVolume([path, ...(context.around ?? [])]);
}

/** Names that state no more than a number of the commodity around them, or its volume. */
const PLAIN_VOLUME = /^(?:value|val)$|volum|(?:^|\/)(?:m3|m³|lit(?:er|re)s?)$/i;

/** Whether names are those of a volume's register of gas or water. */
export function namesVolume(names: readonly string[]): boolean {
  const [own = ''] = names;
  const written = names.map((name) => name.replaceAll(GLUED_VOLUME, '$1 '));
  const commodity = NO_VOLUME.test(own) ? null : volumeCommodityOf(written, { isTotal: PLAIN_VOLUME.test(own) });
  return commodity === 'gas' || commodity === 'water';
}

/** Whether a member or the topic names water. */
const isOfWater = (path: string, context: MembersContext): boolean =>
  [path, ...(context.around ?? [])].some((name) => nameFactsOf(name).medium === 'water');

/** Whether a member without a unit is what a tank contains, or a fuel: `gas_consumption_tank`. */
const isOfFuel = (path: string, { around = [], described }: MembersContext): boolean =>
  !SURE.test(path) && [path, ...around, described?.device ?? ''].some((name) => FUEL.test(name));

/** Whether a member's own name has an unknown word. Enclosing objects may have any name. */
const hasUnknownWord = (path: string): boolean => nameFactsOf(lastNameOf(path)).unknown.length > 0;

const isPeriod = ({ not, bySibling }: NameFacts): boolean => not === 'period' || bySibling?.else === 'period';

/**
 * Returns the facts about a member that the owner may be asked about. A topic's `minutes` names how often it is sent, as `day` does if the
 * member itself is a total energy.
 */
function factsOf(path: string, unit: 'W' | null, { around = [], ...context }: MembersContext) {
  const isTotal = ENERGY.test(path) && EVER.test(path);
  const isSchedule = (level: string) => SCHEDULE.test(level) || (isTotal && isPeriod(nameFactsOf(level)));
  return registerFactsOf({
    ...describe(path, { ...context, around: around.filter((level) => !isSchedule(level)) }),
    unit,
  });
}

/** Whether a word such as "day" in a name means a period. It means a tariff if another member names the night. */
function isOfPeriod(path: string, members: readonly Member[], context: MembersContext): boolean {
  const { bySibling } = factsOf(path, null, context);
  if (bySibling?.else !== 'period') return false;
  return !members.some(
    (other) => other.path !== path && factsOf(other.path, null, context).siblings.has(bySibling.sibling),
  );
}
