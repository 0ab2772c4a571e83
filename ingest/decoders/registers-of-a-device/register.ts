import type { Commodity } from '#src/database/meter.ts';
import { splitFoldedWords } from '../vocabulary/fold.ts';
import type { NameMeaning, TariffWordPair, TotalsExclusionReason } from '../vocabulary/name-facts.ts';
import { getNameMeaning } from '../vocabulary/name-facts.ts';

/**
 * Description of a register or power. From the descriptions of all registers of a device, the service decides the meaning of each (import,
 * export, production …).
 */
export interface RegisterDescription {
  /** All names of the register, the most informative first. */
  names: readonly string[];
  /**
   * At least one of these names must consist of known words only; otherwise the meaning of the register is unknown. If not set, each of
   * `names` must consist of known words only.
   */
  understood?: readonly string[];
  /** Unit of the stored value; null if the message states no unit, so that the owner must state it. */
  unit: 'kWh' | 'W' | null;
  /** Commodity, if it is known from more than the names, for example from the device class or from the unit (GJ). */
  commodity?: Commodity;
  /** Name, model and manufacturer of the device. */
  device?: string;
  /**
   * Words of the device's id or name, without accents and in lower case. They may occur in the names of the register but state nothing
   * about it.
   */
  ignored?: readonly string[];
  /** Name of a separate meter within the device, such as a block of a meter script. */
  scope?: string;
  /**
   * True if each register of the device is published alone, so that the other registers are unknown. If the register's name does not state
   * its meaning, the owner is then asked.
   */
  isAlone?: true;
  /**
   * True if the device may be a heat meter: it is on an M-Bus, or also measures the temperatures of a flow and its return. The owner is
   * then asked about the register, unless its name states electricity.
   */
  mayMeasureHeat?: true;
  /**
   * True if the device's announcement leaves open whether an energy is a register: its classes contradict the unit (a power in kWh), or are
   * missing. The owner is then asked about the register.
   */
  isUncertain?: true;
}

/** Facts about a register that its description states explicitly. */
export interface RegisterProperties {
  unit: RegisterDescription['unit'];
  commodity: Commodity | 'electricity';
  scope: string;
  isAlone: boolean;
  not: TotalsExclusionReason | null;
  way: NameMeaning['direction'];
  /** Whether the name contains an OBIS code or the label of a French meter. */
  isCoded: boolean;
  /** Whether a word such as "consumption" is the only evidence that the register measures import. */
  isConsumed: boolean;
  isMade: boolean;
  /**
   * Whether the direction is ambiguous. Reasons: the name contains "delivered", "supplied" or "received"; "in" or "out" means a side of the
   * device; a power is a surplus; the sign of a grid power is unknown; the name means the meter that is connected to an inverter.
   */
  isUnclear: boolean;
  /** Whether "in" or "out" in the name means a side of the device. */
  isSide: boolean;
  /** Whether the names mention the AC input of a device. The device does not produce the energy that enters there. */
  isAcInput: boolean;
  part: string | null;
  bySibling: TariffWordPair | null;
  siblings: ReadonlySet<string>;
  /** Words of the name that state a use or a place, joined; empty if there are none. */
  place: string;
  index: NameMeaning['index'];
  subject: 'grid' | 'load' | 'sun' | 'store' | null;
  /** Whether the names mention solar panels. */
  isOfPanels: boolean;
  moves: 'charge' | 'discharge' | 'both' | null;
  /** Whether the name states or suggests that the register measures self-consumption. */
  isOwn: boolean;
  /** Whether the name contains unknown or vague words, or a code whose quantity contradicts the unit. */
  isUnknown: boolean;
  /** Whether the names mention heating, cooling or hot water. */
  heats: boolean;
  /** Whether the register may measure heat: its device may be a heat meter, and no word means electricity. */
  mayBeHeat: boolean;
  /** Words of the name. The next member contains the same words without those that mean "returned": `energy` for `energy_returned`. */
  words: string;
  given: string | null;
  device: DeviceFacets;
}

/** Facts about a device that its name, model and manufacturer state. */
interface DeviceFacets {
  isInverter: boolean;
  isStore: boolean;
  /** Whether the device passes on the energy that it takes in: a charger, an uninterruptible power supply. */
  isConverter: boolean;
  heats: boolean;
  switches: boolean;
}

/** Matches words that identify an inverter: manufacturers and models. If the same name contains "meter", the device is not an inverter. */
const INVERTERS =
  /^(?:hoymiles|growatt|solaredge|fronius|enphase|deye|sunsynk|solis|sofar|solax|goodwe|sungrow|kostal|kaco|sunny|solarlog|solarmax|opendtu|victron|fve|balkonkraftwerk|deye\w*|sunsynk\w*|growatt\w*|solax\w*|\w+solar)$/;
/** Matches words that identify a battery: manufacturers of batteries and of their management systems, and bridges to these. */
const STORES =
  /^(?:\w*bms\w*|batmon|jk|jikong|daly|jbd|jiabaida|seplos|pylon\w*|pecron|bluetti|jackery|solarflow|solarbank)$/;
/**
 * Matches words that identify a car: manufacturers, and bridges to their services. The energy that a car's motor uses comes from the car's
 * battery.
 */
const CARS =
  /^(?:vehicle|onstar\w*|ovms|chevrolet|cadillac|buick|nissan|renault|dacia|peugeot|citroen|hyundai|kia|volvo|polestar|skoda|cupra|audi|bmw|toyota|rivian)$/;
/**
 * Matches devices whose grid power is positive when the home feeds in: Huawei (register 37113: "> 0: feed-in to the power grid") and
 * SolarEdge. Other devices use the opposite sign, and some programs invert the sign, so the owner is asked.
 */
const FEED_IN_IS_POSITIVE = /huawei|sun2000|luna2000|solaredge/i;
/** Matches words for a meter that is connected to an inverter and measures the grid. */
const METER = /^(?:smart|power)?meter$/;
const CONVERTERS = /^(?:ups|usv|charger|wallbox|evse|psu|converter|rectifier|powerstation)$/;
const NO_DEVICE: DeviceFacets = {
  isInverter: false,
  isStore: false,
  isConverter: false,
  heats: false,
  switches: false,
};
const PLAIN = new Set(['kwh', 'wh', 'energy', 'total']);

/** Whether a word can distinguish two names. Tariffs, phases and words without information cannot. */
const isSaying = (word: string): boolean =>
  word.length > 1 &&
  !PLAIN.has(word) &&
  !/^\d+$/.test(word) &&
  getNameMeaning(word).parts.length === 0 &&
  !getNameMeaning(word).has('tariff');

/** Returns the facts about a register that its description states. Pure. */
export function getRegisterProperties(described: RegisterDescription): RegisterProperties {
  const names = described.names.filter((name) => name !== '');
  const said = names.map(getNameMeaning);
  const shown = (described.understood ?? names).filter((name) => name !== '').map(getNameMeaning);
  const has = (concept: Parameters<NameMeaning['has']>[0]) => said.some((one) => one.has(concept));
  const coded = said.find(({ obis }) => obis !== null);
  const device = deviceFacets(described.device ?? '');
  const ignored = new Set(described.ignored ?? []);
  const isKnown = (one: NameMeaning) => one.unknown.every((word) => ignored.has(word));
  const isUnderstood = described.understood ? shown.some(isKnown) : said.every(isKnown);
  const directed = said.filter(({ direction }) => direction !== null && direction !== 'both');
  const moves = movesOf(has, said);
  const subject = subjectOf(has, moves !== null);
  const stated = coded?.obis ? coded.obis.direction : statedDirection(said);
  const isSide = !coded && directed.every((one) => one.isSide) && isOfDevice(stated, said, subject, device);
  const way = isSide ? null : stated;
  // If "consumed" comes only from a topic such as `energy-usage`, it does not decide whether "received" means import or export.
  const isByTopic = described.understood !== undefined && shown.every(({ direction }) => direction !== 'import');
  const isWeak = isByTopic && directed.every((one) => one.isConsumed) && shown.some((one) => one.has('unclear'));
  const isTurned = subject === 'grid' && way === null && FEED_IN_IS_POSITIVE.test(described.device ?? '');
  const isSigned = described.unit === 'W' && (has('surplus') || isTurned);
  const isOfMeter =
    device.isInverter &&
    subject === null &&
    way === null &&
    said.some(({ words }) => words.some((one) => METER.test(one)));
  const isUnclear = isSide || isSigned || isOfMeter || (has('unclear') && directed.length === 0) || isWeak;
  const whole = shown.find(({ words }) => words.length > 0) ?? said[0];
  const isMade = has('produced');
  // A capacity without a direction (`total_capacity_kwh`) is the content of a battery or the maximum of a connection.
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
    isUnknown:
      described.isUncertain === true ||
      (coded
        ? isOtherQuantity(coded.obis, described.unit)
        : !isUnderstood ||
          isContradiction(whole, described.unit, way) ||
          isCharge(whole) ||
          (!has('heats') && said.some(({ words }) => words.includes('tank'))) ||
          said.some(({ hasRating }) => hasRating)),
    heats: has('heats'),
    mayBeHeat: described.mayMeasureHeat === true && !coded && !names.some((name) => ELECTRIC.test(name)),
    words: (whole?.words ?? []).filter(isSaying).join(' '),
    given: whole?.returned.length
      ? whole.words.filter((word) => isSaying(word) && !whole.returned.includes(word)).join(' ')
      : null,
    device,
  };
}

/** Returns the direction that the names state; `both` if they contradict each other. */
function statedDirection(said: readonly NameMeaning[]): NameMeaning['direction'] {
  const ways = new Set(said.flatMap(({ direction }) => (direction === 'both' ? [] : (direction ?? []))));
  const isEither = said.some((one) => one.direction === 'both' && !one.has('unclear'));
  return ways.size > 1 || isEither ? 'both' : ([...ways][0] ?? null);
}

/** Whether the quantity of an OBIS code contradicts the unit: 16.7.0 is a power, even if a device sends it in kWh. */
const isOtherQuantity = (obis: NameMeaning['obis'], unit: RegisterDescription['unit']): boolean =>
  (obis?.quantity === 'power' && unit === 'kWh') || (obis?.quantity === 'register' && unit === 'W');

/** Matches words that mean electricity. Names of heat meters do not contain them. */
const ELECTRIC = /elec|elek|[eé]l[eé]ct|strom|wirk|a[ck]ti[vf]/i;

/** Matches words for sources of production other than panels. */
const GENERATOR = /^(?:generator|genset|wind|turbine)/;
/** Matches words that add no meaning to "battery charge". */
const EMPTY_WORD = /^(?:\d+|k?wh|mwh)$/;
const CONTENT = /^(?:\p{L}+ )?(?:charge|ladung|lading|laddning|ladning|carga|carica)$/u;

/**
 * Whether a name consists of a word for the charge of a battery. Such a name is ambiguous: it may mean the battery's content, or the energy
 * charged into the battery.
 */
const isCharge = (name: NameMeaning | undefined): boolean =>
  name !== undefined && CONTENT.test(name.words.filter((word) => !EMPTY_WORD.test(word)).join(' '));

/**
 * Whether the unit contradicts the name: an "active power" in kWh without a direction in its name. Either the unit or the name is wrong.
 */
const isContradiction = (
  name: NameMeaning | undefined,
  unit: RegisterDescription['unit'],
  way: NameMeaning['direction'],
): boolean =>
  unit === 'kWh' &&
  way === null &&
  name !== undefined &&
  ['active', 'power'].every((word) => name.words.includes(word)) &&
  !name.words.includes('energy');

/** Matches the AC input of an inverter or a charger, which is connected to the grid or to a generator. */
const AC_INPUT = /(?:^| )ac\d? in(?:put)?(?: |$)/;

/** Matches words that name the AC side or the DC side of a converter. */
const CURRENT = /^(?:ac|dc)\d?$/;

/**
 * Whether "in" or "out" in a name means a side of the device and not a direction at the grid. True for panels, batteries and inverters, and
 * for the output of any device that converts or heats. False if the name mentions the grid.
 */
function isOfDevice(
  way: NameMeaning['direction'],
  said: readonly NameMeaning[],
  subject: RegisterProperties['subject'],
  { isInverter, isStore, isConverter, heats }: DeviceFacets,
): boolean {
  if (way === null || way === 'both' || subject === 'grid') return false;
  if (subject === 'sun' || subject === 'store' || isInverter || isStore) return true;
  return (
    way === 'export' && (isConverter || heats || said.some(({ words }) => words.some((word) => CURRENT.test(word))))
  );
}

type Has = (concept: Parameters<NameMeaning['has']>[0]) => boolean;

/**
 * Returns whether the names mean charging or discharging a battery. Returns `both` for an output that is named "charge" or an input that is
 * named "discharge", because each may mean either.
 */
function movesOf(has: Has, said: readonly NameMeaning[]): RegisterProperties['moves'] {
  const hasWord = (one: RegExp) => said.some(({ words }) => words.some((word) => one.test(word)));
  const charge = has('charge') || (has('discharge') && hasWord(/^in(?:put)?$/));
  const discharge = has('discharge') || (has('charge') && hasWord(/^out(?:put)?$/));
  return charge && discharge ? 'both' : charge ? 'charge' : discharge ? 'discharge' : null;
}

function subjectOf(has: Has, moves: boolean): RegisterProperties['subject'] {
  if (has('grid') || has('toGrid') || has('fromGrid')) return 'grid';
  if (has('store') || (moves && has('store'))) return 'store';
  if (has('sun') || has('inverter')) return 'sun';
  return has('home') ? 'load' : null;
}

/** Returns the words for a place or a use in the names of a register. The displayed name takes precedence over ids. */
function placeOf(shown: readonly NameMeaning[], said: readonly NameMeaning[], ignored: ReadonlySet<string>): string {
  const ofOne = ({ places }: NameMeaning) => places.filter((word) => !word.split(' ').every((one) => ignored.has(one)));
  return ([...shown, ...said].map(ofOne).find((places) => places.length > 0) ?? []).join('_');
}

/**
 * Returns the number that distinguishes a circuit (measured part of the home) from others. Numbers in ids (`e1`, `x17`) usually distinguish
 * nothing, so they are used only after a noun, as in `plug_1`.
 */
const indexOf = (shown: readonly NameMeaning[], said: readonly NameMeaning[]): RegisterProperties['index'] =>
  shown.find(({ index }) => index !== null)?.index ?? said.find(({ index }) => index?.isNamed)?.index ?? null;

function deviceFacets(name: string): DeviceFacets {
  if (name === '') return NO_DEVICE;
  const said = getNameMeaning(name);
  const words = splitFoldedWords(name);
  const isMeter = said.has('meter');
  const switches = said.has('switches');
  const isConverter = words.some((word) => CONVERTERS.test(word));
  const isOfStore = (word: string) => STORES.test(word) || (!isConverter && CARS.test(word));
  const isStore = !isMeter && (said.has('store') || (!switches && words.some(isOfStore)));
  const isMaker = said.has('sun') || words.some((word) => INVERTERS.test(word));
  return {
    isInverter: !isMeter && (said.has('inverter') || (!isStore && isMaker)),
    isStore,
    isConverter,
    heats: said.has('heats'),
    switches,
  };
}
