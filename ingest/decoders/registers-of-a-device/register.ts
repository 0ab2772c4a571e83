import type { Commodity } from '#src/database/meter.ts';
import { wordsOfName } from '../vocabulary/fold.ts';
import type { NotCounted, PartBySibling, SaidOf } from '../vocabulary/said-of.ts';
import { saidOf } from '../vocabulary/said-of.ts';

/** A register, or a power, as its device describes it: what is judged, with all others of the device. */
export interface Described {
  /** All names of it, the one that tells most first. */
  names: readonly string[];
  /** The names of which one must be understood to its last word; left out: all of them. */
  understood?: readonly string[];
  /** Unit of its stored value; null: nobody knows it, and its owner must say. */
  unit: 'kWh' | 'W' | null;
  /** What a class or a unit says that it is of: a thermal class, GJ. */
  commodity?: Commodity;
  /** Name, model and maker of its device. */
  device?: string;
  /** Words that are the device's own id or name, folded, and say nothing. */
  ignored?: readonly string[];
  /** A meter of its own within the device: the block of a script. */
  scope?: string;
  /** Of the device nothing else can be known (an entity that is published alone): what does not say what it is, is asked. */
  isAlone?: true;
}

/** What a description says, of which nothing may be guessed. */
export interface Facets {
  unit: Described['unit'];
  commodity: Commodity | 'electricity';
  scope: string;
  isAlone: boolean;
  not: NotCounted | null;
  way: SaidOf['direction'];
  /** By an OBIS code, or a French meter's label. */
  isCoded: boolean;
  /** It is of import only by a word for use. */
  isConsumed: boolean;
  isMade: boolean;
  /** Delivered, supplied, received. */
  isUnclear: boolean;
  part: string | null;
  bySibling: PartBySibling | null;
  siblings: ReadonlySet<string>;
  /** Words of a use or a place, joined; empty: none. */
  place: string;
  index: SaidOf['index'];
  subject: 'grid' | 'load' | 'sun' | 'store' | null;
  moves: 'charge' | 'discharge' | 'both' | null;
  /** Of a home's own production, or by words of which nobody can tell. */
  isOwn: boolean;
  /** Words that nobody knows, or that say how much there is room for; or a code of another quantity than its unit. */
  isUnknown: boolean;
  /** It says heating, cooling or hot water. */
  heats: boolean;
  /** Its words, and those without what says that it is given back: `energy` of `energy_returned`. */
  words: string;
  given: string | null;
  device: DeviceFacets;
}

/** What the name of a device says. */
interface DeviceFacets {
  isInverter: boolean;
  isStore: boolean;
  heats: boolean;
  switches: boolean;
}

/** Makers and models of inverters, by one word. A name that says meter goes before them. */
const INVERTERS =
  /^(?:hoymiles|growatt|solaredge|fronius|enphase|deye|sunsynk|solis|sofar|solax|goodwe|sungrow|kostal|kaco|sunny|solarlog|opendtu|victron|fve|balkonkraftwerk|deye\w*|sunsynk\w*|growatt\w*|solax\w*)$/;
const NO_DEVICE: DeviceFacets = { isInverter: false, isStore: false, heats: false, switches: false };
const PLAIN = new Set(['kwh', 'wh', 'energy', 'total']);

/** Names are the same where only a word that says nothing, or a part, tells them apart. */
const isSaying = (word: string): boolean =>
  word.length > 1 &&
  !PLAIN.has(word) &&
  !/^\d+$/.test(word) &&
  saidOf(word).parts.length === 0 &&
  !saidOf(word).has('tariff');

/** What is said of a register. Pure. */
export function facetsOf(described: Described): Facets {
  const names = described.names.filter((name) => name !== '');
  const said = names.map(saidOf);
  const shown = (described.understood ?? names).filter((name) => name !== '').map(saidOf);
  const has = (concept: Parameters<SaidOf['has']>[0]) => said.some((one) => one.has(concept));
  const coded = said.find(({ obis }) => obis !== null);
  const device = deviceFacets(described.device ?? '');
  const ignored = new Set(described.ignored ?? []);
  const isKnown = (one: SaidOf) => one.unknown.every((word) => ignored.has(word));
  const isUnderstood = described.understood ? shown.some(isKnown) : said.every(isKnown);
  const directed = said.filter(({ direction }) => direction !== null && direction !== 'both');
  const ways = new Set(directed.map(({ direction }) => direction));
  const isUnclear = has('unclear') && directed.length === 0;
  const isEither = said.some((one) => one.direction === 'both' && !one.has('unclear'));
  const way = coded?.obis ? coded.obis.direction : ways.size > 1 || isEither ? 'both' : ([...ways][0] ?? null);
  const whole = shown.find(({ words }) => words.length > 0) ?? said[0];
  const moves = movesOf(has);
  const subject = subjectOf(has, moves !== null);
  const isMade = has('produced');
  const heat = has('gas') ? 'gas' : has('heat') ? 'heat' : null;
  return {
    unit: described.unit,
    commodity: described.commodity ?? heat ?? 'electricity',
    scope: described.scope ?? '',
    isAlone: described.isAlone === true,
    not: coded ? (coded.obis?.not ?? null) : (said.find((one) => one.not !== null)?.not ?? null),
    way,
    isCoded: coded !== undefined,
    isConsumed: way === 'import' && !coded && directed.every(({ isConsumed }) => isConsumed),
    isMade,
    isUnclear,
    part: (coded ?? said.find(({ parts }) => parts.length > 0))?.parts[0] ?? null,
    bySibling:
      shown.find(({ bySibling }) => bySibling)?.bySibling ?? said.find((one) => one.bySibling)?.bySibling ?? null,
    siblings: new Set(said.flatMap(({ siblings }) => siblings)),
    place: coded ? '' : placeOf(shown, said, ignored),
    index: coded ? null : indexOf(shown, said),
    subject,
    moves,
    isOwn: has('self') || (has('own') && !isMade && moves === null && subject !== 'sun' && subject !== 'store'),
    isUnknown: coded
      ? isOtherQuantity(coded.obis, described.unit)
      : !isUnderstood || (has('vague') && way === null && moves === null),
    heats: has('heats'),
    words: (whole?.words ?? []).filter(isSaying).join(' '),
    given: whole?.returned.length
      ? whole.words.filter((word) => isSaying(word) && !whole.returned.includes(word)).join(' ')
      : null,
    device,
  };
}

/** Whether a code is of another quantity than its unit: 16.7.0 is a power, whatever sends it in kWh. */
const isOtherQuantity = (obis: SaidOf['obis'], unit: Described['unit']): boolean =>
  (obis?.quantity === 'power' && unit === 'kWh') || (obis?.quantity === 'register' && unit === 'W');

type Has = (concept: Parameters<SaidOf['has']>[0]) => boolean;

function movesOf(has: Has): Facets['moves'] {
  const [charge, discharge] = [has('charge'), has('discharge')];
  return charge && discharge ? 'both' : charge ? 'charge' : discharge ? 'discharge' : null;
}

function subjectOf(has: Has, moves: boolean): Facets['subject'] {
  if (has('grid') || has('toGrid') || has('fromGrid')) return 'grid';
  if (has('store') || (moves && has('store'))) return 'store';
  if (has('sun') || has('inverter')) return 'sun';
  return has('home') ? 'load' : null;
}

/** The place or the use that a name speaks of, by the name that people read before all ids. */
function placeOf(shown: readonly SaidOf[], said: readonly SaidOf[], ignored: ReadonlySet<string>): string {
  const ofOne = ({ places }: SaidOf) => places.filter((word) => !word.split(' ').every((one) => ignored.has(one)));
  return ([...shown, ...said].map(ofOne).find((places) => places.length > 0) ?? []).join('_');
}

/** An id (`e1`, `x17`) has numbers that tell nothing apart: of it a number counts behind a word that names what it numbers. */
const indexOf = (shown: readonly SaidOf[], said: readonly SaidOf[]): Facets['index'] =>
  shown.find(({ index }) => index !== null)?.index ?? said.find(({ index }) => index?.isNamed)?.index ?? null;

/** What a device's name, model and maker say. */
function deviceFacets(name: string): DeviceFacets {
  if (name === '') return NO_DEVICE;
  const said = saidOf(name);
  const words = wordsOfName(name);
  const isMeter = said.has('meter');
  const isStore = !isMeter && said.has('store');
  const isMaker = said.has('sun') || words.some((word) => INVERTERS.test(word));
  return {
    isInverter: !isMeter && (said.has('inverter') || (!isStore && isMaker)),
    isStore,
    heats: said.has('heats'),
    switches: said.has('switches'),
  };
}
