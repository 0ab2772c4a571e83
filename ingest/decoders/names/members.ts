import { asObject, type Json, ownMember } from '../read/payload.ts';
import { metricUnitOf, metricVolumeUnitOf } from '../sparkplug/units.ts';

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

/** Maximum depth of lists that are opened. */
const MAX_LISTS = 3;

/**
 * Returns an object whose only object or list is a list of one object, with that object instead of the list: a charger's
 * `{"meterValue": [{"sampledValue": […]}]}`. Any other object is returned unchanged, because a list next to others may be of parts.
 */
export function openSingleList(body: Json, depth = 0): Json {
  const [only, ...others] = Object.entries(body).filter(([, value]) => typeof value === 'object' && value !== null);
  if (!only || others.length > 0 || depth >= MAX_LISTS) return body;
  const [name, value] = only;
  const isOfOne = Array.isArray(value) && value.length === 1 && !numbersByName(value);
  const inner = asObject(isOfOne ? value[0] : value);
  return inner ? { ...body, [name]: openSingleList(inner, depth + 1) } : body;
}

/** Earliest time in Unix seconds in a list of a number and its time (2017). Below it, the number may be the value. */
const EARLIEST_S = 1_500_000_000;
const MAX_LISTED = 4;

/**
 * Returns the number of a list that consists of a number, its unit and possibly its time: `[1795766400, 12345678, "Wh"]` (Flukso). Returns
 * null for every other list.
 */
export function numberInList(list: unknown): (Omit<Member, 'path'> & { time: number | undefined }) | null {
  if (!Array.isArray(list) || list.length > MAX_LISTED) return null;
  const texts = list.filter((one) => typeof one === 'string');
  const numbers = list.filter((one) => typeof one === 'number');
  const [unit = ''] = texts;
  const isUnit = metricUnitOf(unit) ?? metricVolumeUnitOf(unit);
  if (!isUnit || texts.length !== 1 || numbers.length + 1 !== list.length) return null;
  const [first = 0, second] = numbers;
  if (second === undefined) return { value: first, unit, time: undefined };
  return numbers.length === 2 && first >= EARLIEST_S ? { value: second, unit, time: first } : null;
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
    const own =
      object && (object.name ?? object.title ?? object.titel ?? object.label ?? object.key ?? object.measurand);
    const name = typeof object?.phase === 'string' && typeof own === 'string' ? `${own} ${object.phase}` : own;
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
