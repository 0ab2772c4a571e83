import { readNumber } from '../read/number.ts';
import { asObjectOrNull, getMember, type Json } from '../read/payload.ts';
import { findMetricUnit } from '../sparkplug/units.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';
import { replaceDecimalComma } from './number-text.ts';

/** Names of the members that contain a value, in the languages of public messages, the most informative name first. */
export const VALUE_MEMBER_NAMES = rankNames(
  'value val v momentary data reading newvalue new_value payload wert waarde valeur valor valore',
);
/** Names of the members that contain the unit of a value. */
const UNIT_NAMES = rankNames(
  'unit units uom unit_of_measurement unite unité einheit eenheid unidad unità unita enhet jednostka',
);
/** Names of the members that contain the name of a number. */
const TITLE_NAMES = rankNames(
  'title titel humanname name meter_name sensor_name label key measurand obis obis_code variable',
);
/** Names of the members that contain the name of a number in an object with a unit or a new value: M-Bus frames, events of Z-Wave JS. */
const DESCRIPTION_NAMES = rankNames('propertykeyname desc description quantity');
/** Matches a name in which the unit precedes the direction, as in Z-Wave JS: `Electric_W_Consumed`, `Electric_V_Consumed`. */
const UNIT_INSIDE = /^(\w+)_([^_]+)_(Consumed|Produced)$/;

export function rankNames(names: string): ReadonlyMap<string, number> {
  return new Map(names.split(' ').map((name, rank) => [name, rank]));
}

/**
 * Returns the value of the member whose name comes first in the ranking `names`; undefined if the object has no member with such a name.
 * Ignores upper and lower case.
 */
export function findFirstRankedMember(object: Json, names: ReadonlyMap<string, number>): unknown {
  let found: unknown;
  let least = names.size;
  for (const name of Object.keys(object)) {
    const rank = names.get(name) ?? names.get(name.toLowerCase()) ?? least;
    const value = object[name];
    if (rank >= least || value === null || value === undefined) continue;
    least = rank;
    found = value;
  }
  return found;
}

/**
 * Returns the value of an object that contains a value without a name of its own, such as `{"val": 12.5, "ts": 1795766400}`; undefined for
 * other objects.
 */
export function findUnnamedValue(object: Json): number | string | undefined {
  const value = findFirstRankedMember(object, VALUE_MEMBER_NAMES);
  if (typeof value === 'string') return replaceDecimalComma(value) ?? value;
  return typeof value === 'number' ? value : undefined;
}

/** Returns the name that an object states for its number, as in `{"name": "import", "value": 7}`; undefined if it states none. */
export function findStatedName(object: Json): string | undefined {
  const title = findFirstRankedMember(object, TITLE_NAMES);
  return typeof title === 'string' && title !== '' ? title : undefined;
}

export const findStatedUnit = (object: Json): string | undefined => {
  // Futurehome's hubs (FIMP) state the unit in `props`.
  const unit =
    findFirstRankedMember(object, UNIT_NAMES) ??
    findFirstRankedMember(asObjectOrNull(getMember(object, 'props')) ?? {}, UNIT_NAMES);
  return typeof unit === 'string' && unit !== '' ? unit : undefined;
};

/**
 * Returns the number of an object that also states its unit: `{"value": 12.5, "unit": "kWh"}`; null for every other object. Next to a unit,
 * a numeric `state` is the number, as in `{"state": "345", "unit_of_measurement": "W"}`.
 */
export function findNumberWithUnit(object: Json): { value: number | string; unit: string } | null {
  const unit = findStatedUnit(object);
  const value = unit === undefined ? undefined : (findUnnamedValue(object) ?? numericState(object));
  return unit === undefined || value === undefined ? null : { value, unit };
}

function numericState(object: Json): number | string | undefined {
  const state = getMember(object, 'state') ?? getMember(object, 'State');
  const value = typeof state === 'string' ? replaceDecimalComma(state) : state;
  return typeof readNumber(value) === 'number' && (typeof value === 'number' || typeof value === 'string')
    ? value
    : undefined;
}

/**
 * Returns the name of the number in an object that contains a description and a value, as in `{"propertyKeyName": "Electric_W_Consumed",
 * "newValue": 7}`; undefined for other objects. A unit in the name is moved to the end of the name.
 */
export function findNameInDescription(object: Json): string | undefined {
  const text = findFirstRankedMember(object, DESCRIPTION_NAMES);
  if (typeof text !== 'string' || text === '' || typeof findUnnamedValue(object) !== 'number') return undefined;
  const [, meter, unit = '', direction] = UNIT_INSIDE.exec(text) ?? [];
  if (meter === undefined) return text;
  return findMetricUnit(unit) ? `${meter}_${direction}_${unit}` : undefined;
}

/** Matches names of members that state what a meter measures, as in M-Bus: `{"medium": "Heat: Outlet"}`. */
const MEDIUM = /^(?:medium|media|device_?type)$/i;

/** Returns the texts of an object that name a commodity other than electricity. Electricity is the default. */
export const findCommodityTexts = (object: Json): string[] =>
  Object.keys(object).flatMap((name) => {
    const text = MEDIUM.test(name) ? object[name] : undefined;
    return typeof text === 'string' && text.length <= 40 && getNameMeaning(text).medium !== '' ? [text] : [];
  });
