import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, type Json } from '../read/payload.ts';
import { findMetricUnit, findMetricVolumeUnit } from '../sparkplug/units.ts';
import { parseNumberWithUnit, replaceDecimalComma } from './number-text.ts';
import {
  findCommodityTexts,
  findFirstRankedMember,
  findNameInDescription,
  findNumberWithUnit,
  findStatedName,
  findStatedUnit,
  findUnnamedValue,
  rankNames,
  VALUE_MEMBER_NAMES,
} from './siblings.ts';

/** Maximum number of members in a payload. */
const MAX_MEMBERS = 500;
/**
 * Maximum length of a name together with the names of the enclosing objects. The regular expressions take up to quadratic time in this
 * length.
 */
const MAX_PATH = 256;
/** Maximum depth of nested members. */
const MAX_DEPTH = 6;

/** A number in a payload. Its path contains the names of the enclosing objects: `meter/energy_kwh`. */
export interface NumberWithPath {
  path: string;
  value: unknown;
  /** Unit of the number, if a sibling member states it. */
  unit?: string;
}

/** Returns the last name of a path: `energy_kwh` of `meter/energy_kwh`. */
export const getLastNameOfPath = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Matches the names of members that state the index, time or quality of a number in the same object. */
const NOTE = /^(?:id|idx|index|type|code|device|channel|parameter|error|stat(?:e|us)|quality|ts)$|time|date/i;

const isNumeric = (value: unknown): boolean =>
  typeof readNumber(typeof value === 'string' ? (replaceDecimalComma(value) ?? value) : value) === 'number';

/** Matches the names of a meter's reading, such as `current_reading`. The object may also contain numbers that describe the meter. */
const READING = /^(?:current|actual|latest|last)[_-]?(?:meter[_-]?)?(?:reading|index|value)$/i;

/**
 * Returns the number to which the unit of an object belongs: the object's only number (`{"total": "89.75", "unit": "kwh"}`), or the only
 * number with the name of a meter reading. Returns null for every other object.
 */
function onlyNumberOf(object: Json): { name: string; value: unknown; unit: string } | null {
  const unit = findStatedUnit(object);
  if (unit === undefined) return null;
  const numbers = Object.entries(object).filter(([name, value]) => !NOTE.test(name) && isNumeric(value));
  const [first, ...others] = numbers.length > 1 ? numbers.filter(([name]) => READING.test(name)) : numbers;
  return first && others.length === 0 ? { name: first[0], value: first[1], unit } : null;
}

/** Returns a name in lower case without blanks, dashes and underscores, which programs use differently. */
const packed = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Matches names of members that state how other numbers are displayed: `decimalsTotal`. */
const NUMBER_FORMAT = /decimal|digits|precision/i;

/** Returns the texts of an object whose names contain "unit", by their packed names. They may be the units of other members. */
const unitsIn = (object: Json): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(object).flatMap(([name, value]) =>
      /unit/i.test(name) && typeof value === 'string' && value !== '' ? [[packed(name), value] as const] : [],
    ),
  );

/**
 * Returns the unit that a sibling of a number states: `psupplyunit` next to `psupply`, `power_unit` next to `output_power`, `UnitCounter`
 * next to `Counter`, `unitTotal` next to `sumTotal`. `units`: result of `unitsIn` for the object.
 */
function unitBeside(units: ReadonlyMap<string, string>, name: string): string | undefined {
  if (NUMBER_FORMAT.test(name)) return undefined;
  const words = name.split(/_|(?<=\p{Ll})(?=\p{Lu})/u);
  const names = [name, words.at(-1) ?? '', words[0] ?? ''].map((word) => `${packed(word)}unit`);
  return [...names, `unit${packed(name)}`, `unit${packed(words.at(-1) ?? '')}`]
    .map((one) => units.get(one))
    .find((one) => one !== undefined);
}

/**
 * Returns the number in a list of numbers with units, if this service can convert the unit of exactly one of them: `[{"total": "89.75",
 * "unit": "kwh"}, {"total": "35.9", "unit": "€"}]`. Otherwise returns null: only their order would distinguish several numbers.
 */
function onlyReadUnitOf(list: unknown): { number: Omit<NumberWithPath, 'path'>; part: Json } | null {
  if (!Array.isArray(list) || list.length > MAX_PARTS) return null;
  const read = list.flatMap((element) => {
    const part = asObjectOrNull(element);
    const unit = part && findStatedUnit(part);
    return part && unit && (findMetricUnit(unit) ?? findMetricVolumeUnit(unit))
      ? [{ part, only: onlyNumberOf(part) }]
      : [];
  });
  const [first] = read;
  return read.length === 1 && first?.only
    ? { number: { value: first.only.value, unit: first.only.unit }, part: first.part }
    : null;
}

/** Maximum number of objects in a list that describes one device. */
const MAX_PARTS = 32;
/** Names of the members that distinguish the objects of a list, in order of preference. */
const IDENTITIES = rankNames('name title label serial serial_number sn device_sn channel ch phase type');
/** Matches the names of the member with the time, which all objects of a list may contain. */
const SHARED_TIME = /^(?:ts|(?:unix_?)?time(?:stamp)?|date(?:_?time)?)$/i;

/**
 * Merges the objects of a list that describes one device into one object. Objects with a name, a serial number or a channel become members
 * with this key (`[{"Name": "output_1", "Energy": 5}]`). The other objects must have no member name in common except their time. Returns
 * null for every other list: only their order distinguishes its objects.
 */
export function mergeObjectsOfList(list: unknown): Json | null {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_PARTS) return null;
  const merged = new Map<string, unknown>();
  for (const part of list) {
    const object = asObjectOrNull(part);
    // An empty object is a part of the device that has no values yet.
    if (!object || Object.keys(object).length === 0) return null;
    const identity = list.length === 1 ? undefined : findFirstRankedMember(object, IDENTITIES);
    const isNamed = typeof identity === 'string' || typeof identity === 'number';
    const entries = isNamed ? [[String(identity).replaceAll('/', ' '), object] as const] : Object.entries(object);
    for (const [name, value] of entries) {
      if (merged.has(name) && !(SHARED_TIME.test(name) && merged.get(name) === value)) return null;
      merged.set(name, value);
    }
  }
  return Object.fromEntries(merged);
}

/** Maximum depth of nested lists that `unwrapSingleObjectLists` replaces. */
const MAX_LISTS = 3;

/** Whether a value is an object that only describes the message, with texts such as names and addresses. */
const isOfTexts = (value: unknown): boolean => {
  const object = asObjectOrNull(value);
  const values = Object.values(object ?? {});
  return values.length > 0 && values.every((one) => typeof one === 'string' && !isNumeric(one));
};

/**
 * Replaces a list of one object by that object, as in a charger's `{"meterValue": [{"sampledValue": […]}]}`. Returns the body unchanged if
 * it contains several objects or lists with numbers, because they may be the parts of a device.
 */
export function unwrapSingleObjectLists(body: Json, depth = 0): Json {
  const [only, ...others] = Object.entries(body).filter(
    ([, value]) => typeof value === 'object' && value !== null && !isOfTexts(value),
  );
  if (!only || others.length > 0 || depth >= MAX_LISTS) return body;
  const [name, value] = only;
  const isOfOne = Array.isArray(value) && value.length === 1 && !collectNumbersByName(value) && !onlyReadUnitOf(value);
  const inner = asObjectOrNull(isOfOne ? value[0] : value);
  return inner ? { ...body, [name]: unwrapSingleObjectLists(inner, depth + 1) } : body;
}

/** Earliest time in Unix seconds (2017) in a list of a number and its time. A smaller number may be the value instead of the time. */
const EARLIEST_S = 1_500_000_000;
const MAX_LISTED = 4;

/**
 * Returns the number of a list that consists of a number, its unit and possibly its time: `[1795766400, 12345678, "Wh"]` (Flukso). Returns
 * null for every other list.
 */
export function parseNumberFromList(
  list: unknown,
): (Omit<NumberWithPath, 'path'> & { time: number | undefined }) | null {
  if (!Array.isArray(list) || list.length > MAX_LISTED) return null;
  const texts = list.filter((one) => typeof one === 'string');
  const numbers = list.filter((one) => typeof one === 'number');
  const [unit = ''] = texts;
  const isUnit = findMetricUnit(unit) ?? findMetricVolumeUnit(unit);
  if (!isUnit || texts.length !== 1 || numbers.length + 1 !== list.length) return null;
  const [first = 0, second] = numbers;
  if (second === undefined) return { value: first, unit, time: undefined };
  return numbers.length === 2 && first >= EARLIEST_S ? { value: second, unit, time: first } : null;
}

/** Returns the values of a row of telemetry, as ThingsBoard's gateways publish for each device: `[{"ts": 1, "values": {…}}]`. */
function telemetryOf(row: unknown): Json | null {
  const object = asObjectOrNull(row);
  return object?.ts === undefined ? null : asObjectOrNull(object.values);
}

/** Returns the name of a number that its object calls the meter: `{"meter": "total/consumption_kWh", "reading": 12.5, "unit": "kWh"}`. */
const nameOfMeter = ({ meter }: Json): string | undefined =>
  typeof meter === 'string' && /[a-z]{3}/i.test(meter) ? meter : undefined;

/** Returns the id of a tag of an industrial gateway if it contains words: `{"id": "Hall1.Meter2.ActivePower_kW", "v": 41.2}`. */
const nameOfTag = ({ id, v }: Json): string | undefined =>
  typeof id === 'string' && typeof v === 'number' && /[a-z]{3}/i.test(id) ? id : undefined;

/**
 * Converts a list of numbers with names and possibly units (`[{"name": "import", "value": 7, "unit": "kWh"}]`) to an object with the names
 * as keys. Returns null if an element has another form, or if two elements have the same name: only their order distinguishes such
 * elements.
 */
export function collectNumbersByName(list: unknown): Json | null {
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_MEMBERS) return null;
  const byName = new Map<string, unknown>();
  for (const part of list) {
    const object = asObjectOrNull(part);
    const own = object && (findStatedName(object) ?? nameOfMeter(object) ?? nameOfTag(object));
    const name = typeof object?.phase === 'string' && typeof own === 'string' ? `${own} ${object.phase}` : own;
    if (!object || typeof name !== 'string' || name === '' || byName.has(name)) return null;
    const value = findNumberWithUnit(object) ? object : (object.value ?? object.v ?? object.reading);
    // A text in the list is no number, for example the time of the message or the name of the meter.
    if (typeof value === 'string' && !isNumeric(value)) continue;
    if (value !== object && typeof value !== 'number') return null;
    byName.set(name, value);
  }
  return byName.size > 0 ? Object.fromEntries(byName) : null;
}

/** Removes from a list the numbers that the enclosing object also contains outside the list, as in messages of Watteco's decoders. */
const withoutRepetitions = (listed: Json | null, outer: Json): Json | null =>
  listed && Object.fromEntries(Object.entries(listed).filter(([name]) => !(name in outer)));

/** Returns the type that an element of a list states for its number: `{"Type": "Volume", "Value": 0.236, "Unit": "m3"}`. */
const typeOf = (part: Json): unknown =>
  Object.entries(part).find(([name, value]) => /^type$/i.test(name) && /[a-z]{3}/i.test(String(value)))?.[1];

/** Returns the value of an object that contains one value and a description of the value; null for every other object. */
function valueWithDescription(object: Json): Omit<NumberWithPath, 'path'> | null {
  const value = findNameInDescription(object) === undefined ? undefined : findUnnamedValue(object);
  return value === undefined ? null : { value };
}

/**
 * Appends the facts that an object states about all its numbers to the path of the object: the commodity, and the number of the node in a
 * network, because all nodes publish on one topic.
 */
function withFacts(path: string, object: Json): string {
  const node = getMember(object, 'nodeId');
  const facts = [...findCommodityTexts(object), ...(typeof node === 'number' ? [`node ${node}`] : [])];
  const added = facts.map((fact) => `/${fact.replaceAll('/', ' ')}`).join('');
  return path.length + added.length < MAX_PATH ? path + added : path;
}

/** Appends the name that an object states about itself to the path of the object: `BSB-LAN/Energiezähler Wärme`. */
function withTitle(path: string, object: Json | null): string {
  const title = object && (findStatedName(object) ?? findNameInDescription(object))?.replaceAll('/', ' ');
  return title && path.length + title.length < MAX_PATH && !path.endsWith(title) ? `${path}/${title}` : path;
}

/**
 * Returns all numbers and texts of an object, with the names of the enclosing objects. An object may state the unit of all its values:
 * `"active": {"unit": "kW", "value": {"l1": 1.2, "l2": 0.8}}`.
 */
export function listNumbersWithPaths(object: Json): NumberWithPath[] {
  const members: NumberWithPath[] = [];
  const visit = (inner: Json, before: string, depth: number, unitOfAll?: string) => {
    const hasUnits = Object.keys(inner).some((name) => /unit|einheit|eenheid|unidad/i.test(name));
    // `only` is computed once per object, as `units` is, because computing it for each member would take quadratic time.
    const only = hasUnits ? onlyNumberOf(inner) : null;
    const units = hasUnits ? unitsIn(inner) : null;
    for (const [name, value] of Object.entries(inner)) {
      if (members.length >= MAX_MEMBERS) return;
      const unitOfValues =
        hasUnits && before !== '' && VALUE_MEMBER_NAMES.has(name) ? findStatedUnit(inner) : undefined;
      const path = before === '' ? name : unitOfValues === undefined ? `${before}/${name}` : before;
      if (path.length > MAX_PATH) continue;
      const whole = asObjectOrNull(value) ?? withoutRepetitions(collectNumbersByName(value), inner);
      const single = whole ? null : onlyReadUnitOf(value);
      const own = whole ? (findNumberWithUnit(whole) ?? valueWithDescription(whole)) : single?.number;
      const row = Array.isArray(value) && value.length === 1 ? telemetryOf(value[0]) : null;
      // A list with only one object is not merged: it may list the parts of a device, and the other parts may have no values yet.
      const deeper = whole ?? row ?? (Array.isArray(value) && value.length > 1 ? mergeObjectsOfList(value) : null);
      if (own)
        members.push({
          path: withTitle(path, single ? { name: typeOf(single.part), ...single.part } : deeper),
          ...own,
        });
      else if (deeper) {
        // The unit next to a list of numbers with names applies to all numbers in the list.
        const unitOfList = units && Array.isArray(value) ? unitBeside(units, name) : undefined;
        if (depth < MAX_DEPTH) visit(deeper, withFacts(path, deeper), depth + 1, unitOfValues ?? unitOfList);
      } else if (typeof value === 'number' || typeof value === 'string') {
        const split = typeof value === 'string' ? parseNumberWithUnit(value) : null;
        const beside = split || !units || !isNumeric(value) ? undefined : unitBeside(units, name);
        const unit = beside ?? (split || only?.name !== name ? unitOfAll : only.unit);
        const number = typeof value === 'string' ? (replaceDecimalComma(value) ?? value) : value;
        members.push({ path, ...(split ?? { value: number, ...(unit !== undefined && { unit }) }) });
      }
    }
  };
  visit(object, '', 1);
  return members;
}
