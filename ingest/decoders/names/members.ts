import { toChannelWord } from '#src/devices/channel-name.ts';
import { readNumber } from '../read/number.ts';
import { asObject, type Json } from '../read/payload.ts';
import { toCelsius, type ValueCollector } from '../read/value-collector.ts';
import { type RegisterDescription, registerFactsOf } from '../registers-of-a-device/register.ts';
import { assignChannels, type MetricQuantity } from '../sparkplug/channels.ts';
import { type MetricMeaning, metricMeaningOf } from '../sparkplug/meaning.ts';

/** Maximum number of members in one payload, and their maximum depth. */
const MAX_MEMBERS = 500;
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
  const value = object.value ?? object.val ?? object.v;
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  const unit = object.unit ?? object.units ?? object.uom ?? object.unit_of_measurement;
  return typeof unit === 'string' && unit !== '' ? { value, unit } : null;
}

/** Returns all numbers and texts of an object, with the names of the enclosing objects. */
export function membersOf(object: Json): Member[] {
  const members: Member[] = [];
  const visit = (inner: Json, before: string, depth: number) => {
    for (const [name, value] of Object.entries(inner)) {
      if (members.length >= MAX_MEMBERS) return;
      const path = before === '' ? name : `${before}/${name}`;
      const deeper = asObject(value);
      const own = deeper && numberWithUnit(deeper);
      if (own) members.push({ path, ...own });
      else if (deeper) {
        if (depth < MAX_DEPTH) visit(deeper, path, depth + 1);
      } else if (typeof value === 'number' || typeof value === 'string') members.push({ path, value });
    }
  };
  visit(object, '', 1);
  return members;
}

/** What is known of a device besides the names of its numbers. */
export interface MembersContext {
  /** Names around the numbers, innermost first, that state a direction, a period or a commodity. */
  around?: readonly string[];
  /** Further members of each register's description. */
  described?: Pick<RegisterDescription, 'device' | 'isAlone'>;
  /**
   * Whether nothing is known of the device: an energy without a unit is asked about only if each word of its name is known and one of them
   * is a direction, and a unit alone is no name.
   */
  isStrict?: true;
}

/**
 * Adds the members whose names state a quantity and its unit; the registers among them are classified together. Adds a question for an
 * energy without a unit. Returns the number of members that name a quantity, whether or not they have a value.
 */
export function addMembers(
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
  for (const { path, value } of members) {
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
      const place = {
        channel: `unknown/${toChannelWord(path)}`,
        asks: { unit: null },
        described: { ...describe(path, context), unit: null },
      };
      collector.add({ ...said, ...place, kind: 'energy_total_kwh', value, name: path });
      count++;
    }
  }
  return count;
}

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

/** Words for energy that state no unit. */
const ENERGY = /energ|consum|verbrauch|kwh/i;
/** Units of quantities other than active energy. */
const OTHER_UNIT = /k?va(?:rh?|h)?(?:_|$)/i;

/** Whether a member is named as energy but has no known unit. Members that are known not to count are excluded. */
function isUnknownEnergy(path: string, value: unknown, context: MembersContext): boolean {
  if (!ENERGY.test(path) || OTHER_UNIT.test(path) || typeof readNumber(value) !== 'number' || Number(value) < 0)
    return false;
  const { not, isUnknown, way } = registerFactsOf({ ...describe(path, context), unit: null });
  if (not !== null || (context.isStrict && (isUnknown || way === null || way === 'both'))) return false;
  return metricMeaningOf(`${path}_kwh`, undefined) !== null;
}

/** Whether a word such as "day" in a name means a period. It means a tariff if another member names the night. */
function isOfPeriod(path: string, members: readonly Member[], context: MembersContext): boolean {
  const factsOf = (name: string) => registerFactsOf({ ...describe(name, context), unit: null });
  const { bySibling } = factsOf(path);
  if (bySibling?.else !== 'period') return false;
  return !members.some((other) => other.path !== path && factsOf(other.path).siblings.has(bySibling.sibling));
}
