import type { Commodity } from '#src/database/meter.ts';
import { foldedWordsOf } from '../vocabulary/fold.ts';
import type { NameFacts, NotCountedReason, PartBySibling } from '../vocabulary/name-facts.ts';
import { nameFactsOf } from '../vocabulary/name-facts.ts';

/** Description of a register or power by its device, as input of the joint classification of all registers of the device. */
export interface RegisterDescription {
  /** All names of the register, the most informative first. */
  names: readonly string[];
  /** Names of which one must be understood completely. Default: all names. */
  understood?: readonly string[];
  /** Unit of the stored value; null if it is unknown and the owner must state it. */
  unit: 'kWh' | 'W' | null;
  /** Commodity that a device class or a unit states: a thermal class, GJ. */
  commodity?: Commodity;
  /** Name, model and manufacturer of the device. */
  device?: string;
  /** Words of the device's own id or name, folded; they carry no information. */
  ignored?: readonly string[];
  /** Name of a separate meter within the device, such as a block of a script. */
  scope?: string;
  /**
   * Whether the device's other registers are unknown (an entity that is published alone). If the register does not state its meaning, the
   * owner is asked.
   */
  isAlone?: true;
  /**
   * Whether the device may be a heat meter: it is on an M-Bus, or also measures a flow and its return. If nothing says that the register is of
   * electricity, the owner is asked.
   */
  mayMeasureHeat?: true;
}

/** Facts that a description states about a register, without guesses. */
export interface RegisterFacts {
  unit: RegisterDescription['unit'];
  commodity: Commodity | 'electricity';
  scope: string;
  isAlone: boolean;
  not: NotCountedReason | null;
  way: NameFacts['direction'];
  /** Whether an OBIS code or the label of a French meter states the direction. */
  isCoded: boolean;
  /** Whether only a word such as "consumption" indicates that the register counts import. */
  isConsumed: boolean;
  isMade: boolean;
  /** Whether the name contains a word for an ambiguous direction: "delivered", "supplied", "received", or names a side of the device. */
  isUnclear: boolean;
  /** Whether "in" or "out" names a side of the device. */
  isSide: boolean;
  /** Whether the names mention the AC input of a device, from which nothing is produced. */
  isAcInput: boolean;
  part: string | null;
  bySibling: PartBySibling | null;
  siblings: ReadonlySet<string>;
  /** Words of a use or a place, joined; empty if there are none. */
  place: string;
  index: NameFacts['index'];
  subject: 'grid' | 'load' | 'sun' | 'store' | null;
  /** Whether the names mention solar panels. */
  isOfPanels: boolean;
  moves: 'charge' | 'discharge' | 'both' | null;
  /** Whether the register counts self-consumption, or may do so by its words. */
  isOwn: boolean;
  /** Whether the name contains unknown or too vague words, or a code whose quantity contradicts the unit. */
  isUnknown: boolean;
  /** Whether the names mention heating, cooling or hot water. */
  heats: boolean;
  /** Whether the register may count heat, because its device may and no word says electricity. */
  mayBeHeat: boolean;
  /** Words of the name, and (below) the words without those that mean "returned": `energy` for `energy_returned`. */
  words: string;
  given: string | null;
  device: DeviceFacets;
}

/** Facts that the name of a device states. */
interface DeviceFacets {
  isInverter: boolean;
  isStore: boolean;
  /** Whether it passes on the energy that it takes in: a charger, an uninterruptible power supply. */
  isConverter: boolean;
  heats: boolean;
  switches: boolean;
}

/** Manufacturers and models of inverters, one word each. A name that contains "meter" overrides them. */
const INVERTERS =
  /^(?:hoymiles|growatt|solaredge|fronius|enphase|deye|sunsynk|solis|sofar|solax|goodwe|sungrow|kostal|kaco|sunny|solarlog|solarmax|opendtu|victron|fve|balkonkraftwerk|deye\w*|sunsynk\w*|growatt\w*|solax\w*)$/;
const CONVERTERS = /^(?:ups|usv|charger|wallbox|evse|psu|converter|rectifier|powerstation)$/;
const NO_DEVICE: DeviceFacets = {
  isInverter: false,
  isStore: false,
  isConverter: false,
  heats: false,
  switches: false,
};
const PLAIN = new Set(['kwh', 'wh', 'energy', 'total']);

/** Whether a word distinguishes names. Words without information, tariffs and phases do not. */
const isSaying = (word: string): boolean =>
  word.length > 1 &&
  !PLAIN.has(word) &&
  !/^\d+$/.test(word) &&
  nameFactsOf(word).parts.length === 0 &&
  !nameFactsOf(word).has('tariff');

/** Returns the facts that a description states about a register. Pure. */
export function registerFactsOf(described: RegisterDescription): RegisterFacts {
  const names = described.names.filter((name) => name !== '');
  const said = names.map(nameFactsOf);
  const shown = (described.understood ?? names).filter((name) => name !== '').map(nameFactsOf);
  const has = (concept: Parameters<NameFacts['has']>[0]) => said.some((one) => one.has(concept));
  const coded = said.find(({ obis }) => obis !== null);
  const device = deviceFacets(described.device ?? '');
  const ignored = new Set(described.ignored ?? []);
  const isKnown = (one: NameFacts) => one.unknown.every((word) => ignored.has(word));
  const isUnderstood = described.understood ? shown.some(isKnown) : said.every(isKnown);
  const directed = said.filter(({ direction }) => direction !== null && direction !== 'both');
  const moves = movesOf(has, said);
  const subject = subjectOf(has, moves !== null);
  const stated = coded?.obis ? coded.obis.direction : statedDirection(said);
  const isSide = !coded && directed.every((one) => one.isSide) && isOfDevice(stated, said, subject, device);
  const way = isSide ? null : stated;
  // A topic such as `energy-usage` says nothing about "received".
  const isByTopic = described.understood !== undefined && shown.every(({ direction }) => direction !== 'import');
  const isWeak = isByTopic && directed.every((one) => one.isConsumed) && shown.some((one) => one.has('unclear'));
  const isUnclear = isSide || (has('unclear') && directed.length === 0) || isWeak;
  const whole = shown.find(({ words }) => words.length > 0) ?? said[0];
  const isMade = has('produced');
  // A capacity without a flow (`total_capacity_kwh`) is what a battery holds, or what a connection may carry.
  const isCapacity = has('vague') && way === null && moves === null && !isMade;
  const heat = has('gas') ? 'gas' : has('heat') ? 'heat' : null;
  return {
    unit: described.unit,
    commodity: described.commodity ?? heat ?? 'electricity',
    scope: described.scope ?? '',
    isAlone: described.isAlone === true,
    not: coded
      ? (coded.obis?.not ?? null)
      : (said.find((one) => one.not !== null)?.not ?? (isCapacity ? 'unmeasured' : null)),
    way,
    isCoded: coded !== undefined,
    isConsumed: way === 'import' && !coded && directed.every(({ isConsumed }) => isConsumed),
    isMade,
    isUnclear,
    isSide,
    isAcInput: said.some(({ words }) => AC_INPUT.test(words.join(' '))),
    part: (coded ?? said.find(({ parts }) => parts.length > 0))?.parts[0] ?? null,
    bySibling: [...shown, ...said].find(({ bySibling }) => bySibling)?.bySibling ?? null,
    siblings: new Set(said.flatMap(({ siblings }) => siblings)),
    place: coded ? '' : placeOf(shown, said, ignored),
    index: coded ? null : indexOf(shown, said),
    subject,
    isOfPanels: has('sun') && !said.some(({ words }) => words.some((word) => GENERATOR.test(word))),
    moves,
    isOwn: has('self') || (has('own') && !isMade && moves === null && subject !== 'sun' && subject !== 'store'),
    isUnknown: coded
      ? isOtherQuantity(coded.obis, described.unit)
      : !isUnderstood ||
        isContradiction(whole, described.unit, way) ||
        isCharge(whole) ||
        said.some(({ hasRating }) => hasRating),
    heats: has('heats'),
    mayBeHeat: described.mayMeasureHeat === true && !coded && !names.some((name) => ELECTRIC.test(name)),
    words: (whole?.words ?? []).filter(isSaying).join(' '),
    given: whole?.returned.length
      ? whole.words.filter((word) => isSaying(word) && !whole.returned.includes(word)).join(' ')
      : null,
    device,
  };
}

/** Returns the direction that the names state. Names that contradict each other state both. */
function statedDirection(said: readonly NameFacts[]): NameFacts['direction'] {
  const ways = new Set(said.flatMap(({ direction }) => (direction === 'both' ? [] : (direction ?? []))));
  const isEither = said.some((one) => one.direction === 'both' && !one.has('unclear'));
  return ways.size > 1 || isEither ? 'both' : ([...ways][0] ?? null);
}

/** Whether the quantity of a code contradicts the unit: 16.7.0 is a power, even if a device sends it in kWh. */
const isOtherQuantity = (obis: NameFacts['obis'], unit: RegisterDescription['unit']): boolean =>
  (obis?.quantity === 'power' && unit === 'kWh') || (obis?.quantity === 'register' && unit === 'W');

/** Words of electricity, which no heat meter uses. */
const ELECTRIC = /elec|elek|[eé]l[eé]ct|strom|wirk|a[ck]ti[vf]/i;

/** Sources of production other than panels. */
const GENERATOR = /^(?:generator|genset|wind|turbine)/;
/** Words that carry no meaning next to "battery charge". */
const EMPTY_WORD = /^(?:\d+|k?wh|mwh)$/;
const CONTENT = /^(?:\p{L}+ )?(?:charge|ladung|lading|laddning|ladning|carga|carica)$/u;

/** Whether a name states only the charge of a battery, which may be its content or the energy charged into it. */
const isCharge = (name: NameFacts | undefined): boolean =>
  name !== undefined && CONTENT.test(name.words.filter((word) => !EMPTY_WORD.test(word)).join(' '));

/** Whether an "active power" is said to be in kWh, with nothing that says what flows: the unit or the name is wrong. */
const isContradiction = (
  name: NameFacts | undefined,
  unit: RegisterDescription['unit'],
  way: NameFacts['direction'],
): boolean =>
  unit === 'kWh' &&
  way === null &&
  name !== undefined &&
  ['active', 'power'].every((word) => name.words.includes(word)) &&
  !name.words.includes('energy');

/** AC input of an inverter or a charger: the grid's or a generator's. */
const AC_INPUT = /(?:^| )ac\d? in(?:put)?(?: |$)/;

/** Words of a converter's sides. */
const CURRENT = /^(?:ac|dc)\d?$/;

/**
 * Whether "in" or "out" in a name is a side of the device rather than of the grid: what panels and batteries put in or out, what an inverter
 * takes in, and what any device that converts or heats puts out.
 */
function isOfDevice(
  way: NameFacts['direction'],
  said: readonly NameFacts[],
  subject: RegisterFacts['subject'],
  { isInverter, isStore, isConverter, heats }: DeviceFacets,
): boolean {
  if (way === null || way === 'both' || subject === 'grid') return false;
  if (subject === 'sun' || subject === 'store' || isInverter || isStore) return true;
  return (
    way === 'export' && (isConverter || heats || said.some(({ words }) => words.some((word) => CURRENT.test(word))))
  );
}

type Has = (concept: Parameters<NameFacts['has']>[0]) => boolean;

/** Returns what a battery does by the names. What goes out as "charge" or in as "discharge" may be either. */
function movesOf(has: Has, said: readonly NameFacts[]): RegisterFacts['moves'] {
  const hasWord = (one: RegExp) => said.some(({ words }) => words.some((word) => one.test(word)));
  const charge = has('charge') || (has('discharge') && hasWord(/^in(?:put)?$/));
  const discharge = has('discharge') || (has('charge') && hasWord(/^out(?:put)?$/));
  return charge && discharge ? 'both' : charge ? 'charge' : discharge ? 'discharge' : null;
}

function subjectOf(has: Has, moves: boolean): RegisterFacts['subject'] {
  if (has('grid') || has('toGrid') || has('fromGrid')) return 'grid';
  if (has('store') || (moves && has('store'))) return 'store';
  if (has('sun') || has('inverter')) return 'sun';
  return has('home') ? 'load' : null;
}

/** Returns the place or use in the names; the name that people read takes precedence over ids. */
function placeOf(shown: readonly NameFacts[], said: readonly NameFacts[], ignored: ReadonlySet<string>): string {
  const ofOne = ({ places }: NameFacts) => places.filter((word) => !word.split(' ').every((one) => ignored.has(one)));
  return ([...shown, ...said].map(ofOne).find((places) => places.length > 0) ?? []).join('_');
}

/**
 * Returns the number of the circuit. Numbers in an id (`e1`, `x17`) usually distinguish nothing, so they count only after a noun that they
 * number.
 */
const indexOf = (shown: readonly NameFacts[], said: readonly NameFacts[]): RegisterFacts['index'] =>
  shown.find(({ index }) => index !== null)?.index ?? said.find(({ index }) => index?.isNamed)?.index ?? null;

/** Returns the facts that a device's name, model and manufacturer state. */
function deviceFacets(name: string): DeviceFacets {
  if (name === '') return NO_DEVICE;
  const said = nameFactsOf(name);
  const words = foldedWordsOf(name);
  const isMeter = said.has('meter');
  const isStore = !isMeter && said.has('store');
  const isMaker = said.has('sun') || words.some((word) => INVERTERS.test(word));
  return {
    isInverter: !isMeter && (said.has('inverter') || (!isStore && isMaker)),
    isStore,
    isConverter: words.some((word) => CONVERTERS.test(word)),
    heats: said.has('heats'),
    switches: said.has('switches'),
  };
}
