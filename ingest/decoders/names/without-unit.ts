import { readNumber } from '../read/number.ts';
import { getRegisterProperties, type RegisterDescription } from '../registers-of-a-device/register.ts';
import { findMetricMeaning } from '../sparkplug/meaning.ts';
import { getNameMeaning, LIFETIME_TOTAL_PATTERN, type NameMeaning } from '../vocabulary/name-facts.ts';
import { parseObisCode } from '../vocabulary/obis.ts';
import { readTeleinfoLabel } from '../vocabulary/teleinfo.ts';
import { getLastNameOfPath, type NumberWithPath } from './members.ts';
import { isTariffNameWithDirection } from './tariffs.ts';

/** Facts about the members of a message that their names do not state. */
export interface MemberContext {
  /** Names around the numbers (topic levels, enclosing objects) that state a direction, a period or a commodity, innermost first. */
  around?: readonly string[];
  /** Facts that apply to the descriptions of all registers in the message. */
  described?: Pick<RegisterDescription, 'device' | 'isAlone' | 'mayMeasureHeat'>;
  /**
   * Whether a member `total` may be any quantity of a meter: the meter is one of several numbered meters, or the message also contains a
   * power and the value of a day.
   */
  hasTotalOfUnknownQuantity?: boolean;
  /** Whether the number is the only one of its topic. */
  isLone?: boolean;
  /**
   * Whether the message is known to contain the register of a gas or water meter: the only number of its topic (`smart-meter/gas`), or the
   * number that `codes` matches.
   */
  isVolume?: boolean;
  /** Whether the message states a date without a time of day. Its energies may then be the energies of that day. */
  isOfDay?: boolean;
  /** Pattern of the codes that the topic's program uses instead of names for registers. */
  codes?: RegExp | undefined;
  /**
   * True if nothing is known about the device. The owner is then asked about an energy without a unit only if its name is unambiguous, and
   * about a power without a unit only if the message contains nothing else. A name that consists of a unit is ignored.
   */
  isStrict?: true;
}

/** Returns the description of a member, which is classified together with the other members of its device. */
export const describeMember = (path: string, { around = [], described }: MemberContext) => ({
  names: [path, ...around],
  ...(around.length > 0 && { understood: [path] }),
  ...described,
});

/** Matches words for energy in names without a unit (`E-Total`, `Etotal` and `e_pv_all` are energies, too). */
const ENERGY =
  /[eé]nerg|enrg|summ(?:ation|_?(?:deliver|receiv))|cons[ou]m|verbrauch|verbruik|f(?:ö|oe?)rbru[kg]|kulutus|zu[zż]yci|spot[rř]eb|power_?yield|w(?:ä|ae?)rmemenge|kwh|meter_?produc|meter\/(?:(?:im|ex)port|delivered|received|returned)|emeter\/(?:\d\/)?totaa?l$|cumul[a-z]*[/_\s-]?(?:positive|negative|forward|reverse|normal)$|(?:^|[_\s/])e[_\s-]?(?:[a-z\d]+[_\s-])*(?:total|tot|all)$/i;
/** Matches words that can only mean energy. */
const SURE = /[eé]nerg|enrg|kwh|(?:^|[_\s/])e[_\s-]?(?:total|tot|all)$/i;
/**
 * Matches abbreviations for energy in names of inverters and meters, written as one word: `Eactotal`, `Epv1Total`, `GEN_TOT`, `ImpEp`,
 * `ImpA`, `A+`, `E_In`. Also matches names of an electricity meter's reading: `powerMeter1`, `counterReadingImport`.
 */
const SHORT_ENERGY =
  /(?:^|[_\s/-])(?:(?:gen|cons|prod|imp|exp)[_-]?(?:total|tot|sum|t[1-4])|e[_-]?(?:im|ex)port(?:ed)?|e[_-]?(?:ac|dc|pv\d?|(?:to)?grid|touser|(?:local)?load|self|bat|a?(?:dis)?charge\d?)[_-]?(?:total|tot|all)|(?:imp|exp)[_-]?(?:ep|a)|(?:plus|minus)_?a|a_?(?:plus|minus)|[+-]a|a[+-]|e_(?:in|out)|ea?_(?:imp|exp)|(?:power|energy|electricity|strom)_?(?:meter|z(?:ä|ae)hler)_?[1-4]?|(?:meter|counter)_?reading_?(?:(?:im|ex)port(?:t[1-4])?|t[1-4]))$/i;
/** Matches abbreviations for power in names of inverters and meters: `Pac`, `p1supply`, `Pdischarge`, `P_In`, `p_act_in`, `wgrid`. */
const SHORT_POWER =
  /(?:^|[_\s/-])p[1-3]?[_\s-]?(?:ac|dc|pv|grid|load|bat|(?:dis)?charge|sum|total|consum(?:e|ption)|supply|usage|(?:im|ex)port|l[1-3])\d?$|(?:^|[\s/-])p_(?:act_)?(?:in|out)$|(?:^|\/)w(?:grid|solar|pv|load|home|house|bat(?:tery)?)$/i;
/** Words for power. */
const POWER = /power(?!meter)|pwr|(?<![a-z])pow(?![a-z])|leistung|watt|puissance|potenza|potencia|vermogen|effekt/i;
/** Matches the paths of members of an object for powers, as in `{"power": {"consumption": 310}}`. */
const IN_POWERS = /(?:^|\/)(?:powers?|leistung|puissance|potenza|potencia|vermogen|effekt)\/[^/]*$/i;
/** Matches names of the present power, which utilities call demand. In other names, the demand is the mean of a period. */
const PRESENT_DEMAND = /(?:instantaneous|current|meter)[_\s/]?demand/i;
/** Matches names of a present flow. Smart plugs and displays of meters call the power "current consumption". */
const PRESENT_FLOW =
  /(?:^|[_\s/-])(?:instant(?:aneous)?|current|actual|moment(?:an|ary|ané))[_\s-]?(?:consumption|usage|production|generation|return|verbrauch|erzeugung|verbruik)$/i;
/**
 * Matches names that contain a word for power or energy but mean another quantity, such as `l1_power_current`, `pow_fact`, `react_pow` and
 * the resettable `res_energy`.
 */
const NO_POWER =
  /(?:current|voltage|volts?|amps?|frequency|fact(?:or)?)$|(?:^|[_\s/-])(?:(?:app|react)[_\s-]?pow|res_energy)/i;
/** Matches units of other quantities at the end of a name: `grid_v`. */
const NO_FLOW = /[_\s-](?:m?v|m?a|hz|pf|pct|percent|deg[cf]?|rpm)$/i;
/** Matches the letter P for power after a subject: `Home_P`, `HomeGrid_P`, `ac_p1`, `Total P`. */
const P_BEHIND = /(?:home|house|load|grid|pv|solar|bat(?:tery)?|inverter|meter|ac|dc|total)[_\s]p[1-3]?$/i;
/** Matches words for radio, which occur in names of transmit power. */
const RADIO = /(?:^|[_\s/-])(?:[rt]x|rf)(?:[_\s-]|$)/i;
const OTHER_QUANTITY =
  /volt|current(?![\s_-]?(?:reading|index|meter|count))|amp|freq|hour|time|count(?!er)|cycle|temp|percent|volume|flow/i;
/** Matches words for a setting, a state or a limit. Names with such a word and a word for power are not powers. */
const SETTING =
  /mode|stat(?:e|us)|source|sav(?:e|ing)|button|behaviou?r|outage|version|rssi|signal|level|limit|priority|restore/i;
/** Matches names of a meter's register that do not state the quantity. */
const READING =
  /(?:^|[/_\s-])(?:meter|counter|z(?:ä|ae)hler|teller|compteur)[/_\s-]?(?:reading|stand|value|ind(?:ex|ice)|totaa?l|[ck]umul[a-z]*|cum)(?:[_\s-]?(?:totaa?l|gesamt))?$|linky[/_\s-]ind(?:ex|ice)$|tariff?_?[1-4]\/reading$|^(?:z(?:ä|ae)hler|meter)stand$|^electricity$/i;
/** Matches names of the rate at which a meter counts: `meter_rate`. */
const METER_RATE = /^(?:meter|counter)[_\s-]?rate$/i;
/**
 * Matches words for a flow of electricity that have no other meaning. Excludes "import", which may be a data import, and "home", which may
 * mean that a person is at home.
 */
const FLOW = /solar|pv|photovolt|grid|netz|bezug|einspeis|feed_?in|teruglever|inject/i;
/** Matches words for electricity before a word for a total: `strom/kumuliert`. */
const ELECTRICITY = /strom|stroom|electri[ck]|elektri/i;
/** Matches topic levels that state how often the topic is published. */
const SCHEDULE = /^(?:minutes?|seconds?)$/i;
/**
 * Matches units of quantities other than active energy: `_kvarh`, `energyVAh`. Does not match words that end like such a unit:
 * `energia_ativa_importada`.
 */
const OTHER_UNIT = /(?<![A-Za-z])[kK]?[vV][aA](?:[rR][hH]?|[hH])?(?:_|$)|(?<=[a-z])k?VA(?:[rR]h?|h)?(?:_|$)/;

/** Matches fuels and containers of fuel. Unless the name also contains a word for energy, the number is a volume, a weight or a level. */
export const FUEL_PATTERN =
  /tank|cistern|zistern|reservoir|f(?:ü|ue)llstand|(?:^|[^a-z])(?:gas|oil|oel|öl|heiz(?:ö|oe)l|mazout|diesel|fuel|lpg|propane?|butane?|pellets?)(?![a-z])/i;

/** Whether a name is the OBIS code of a register, which may be in Wh or kWh. */
const isRegisterCode = (name: string): boolean => parseObisCode(name)?.quantity === 'register';
const namesEnergy = (name: string): boolean => ENERGY.test(name) || SHORT_ENERGY.test(name) || isRegisterCode(name);
/**
 * Minimum value, in Wh, at which the owner is asked about a French meter's index. Smaller numbers are ignored, because the labels of the
 * index are also ordinary words (`BASE`, `EAST`).
 */
const MIN_INDEX_WH = 1_000;
/** Whether a number is an index of a French meter, by its Téléinfo label. Such an index is in Wh, but the label does not state the unit. */
const isTeleinfoIndex = (path: string, value: unknown): boolean =>
  Number(readNumber(value)) >= MIN_INDEX_WH && readTeleinfoLabel(getLastNameOfPath(path))?.quantity === 'register';
/** Whether a name contains a word for energy that has no other meaning, and no word for power. */
export const isEnergyName = (name: string): boolean => SURE.test(name) && !isPowerName(name);
/** Whether a name contains a word or a code for energy or power. This quick test precedes the look-up of the words in the dictionaries. */
export const isEnergyOrPowerName = (name: string): boolean =>
  namesEnergy(name) || isPowerName(name) || READING.test(name) || isOfFlow(name);
/** Whether a name contains a word for power. */
export const isPowerName = (name: string): boolean =>
  POWER.test(name) ||
  SHORT_POWER.test(name) ||
  P_BEHIND.test(name) ||
  PRESENT_DEMAND.test(name) ||
  PRESENT_FLOW.test(name);
/** Whether an object for powers contains the member, and the member's own name does not state an energy or a total. */
const isOfPowers = (path: string): boolean =>
  IN_POWERS.test(path) && !SURE.test(getLastNameOfPath(path)) && !LIFETIME_TOTAL_PATTERN.test(path);
/** Whether a name may be the name of an energy or a power without a unit. */
export const isEnergyOrPowerNameWithoutUnit = (name: string): boolean =>
  isEnergyOrPowerName(name) ||
  LIFETIME_TOTAL_PATTERN.test(name) ||
  isTariffNameWithDirection(name) ||
  readTeleinfoLabel(getLastNameOfPath(name))?.quantity === 'register' ||
  flowKindOf(getLastNameOfPath(name)) !== null;

/**
 * Returns the probable kind of a number whose name states no quantity: `meter_reading` and `einspeisung` are registers; `solarPV`, `grid`
 * and `0100100700ff` (16.7.0) are powers. Returns null if the name means neither a register nor a flow of electricity.
 */
function flowKindOf(name: string): 'energy_total_kwh' | 'power_w' | null {
  if (READING.test(name)) return 'energy_total_kwh';
  if (METER_RATE.test(name) || parseObisCode(name)?.quantity === 'power') return 'power_w';
  // `ativa_importada` and `active-positive` are active energy.
  if (!(FLOW.test(name) || /a[ck]?tiv|attiv|wirk/i.test(name)) || NO_FLOW.test(name)) return null;
  const { unknown, not, direction, has } = getNameMeaning(name);
  if (unknown.length > 0 || not !== null) return null;
  if (direction === 'import' || direction === 'export') return 'energy_total_kwh';
  // `tariffGrid` is a price.
  return (has('sun') || has('grid')) && !has('tariff') ? 'power_w' : null;
}

/** Whether the last level of a path is a direction or a total, and the level before it a flow of electricity: `grid/import`, `pv/total`. */
function isOfFlow(path: string): boolean {
  const [last = '', before = ''] = path.split('/').toReversed();
  const isElectricity = ELECTRICITY.test(before);
  if (!(FLOW.test(before) || isElectricity) || getNameMeaning(before).unknown.length > 0) return false;
  const { direction, unknown, not } = getNameMeaning(last);
  const isFlow = !isElectricity && (direction === 'import' || direction === 'export');
  return unknown.length === 0 && not === null && (isFlow || LIFETIME_TOTAL_PATTERN.test(last));
}

/**
 * Whether a member is a register, because its name is a code of the program that publishes the topic. Excludes 0 and 1, which may be
 * states.
 */
export const isCode = (path: string, value: unknown, { codes }: MemberContext): boolean =>
  codes?.test(getLastNameOfPath(path)) === true && Number(readNumber(value)) > 1;

/** Whether a member's name means energy but states no known unit. Excludes energies that are known not to be lifetime registers. */
export function isEnergyWithUnknownUnit(path: string, value: unknown, context: MemberContext): boolean {
  if (isTeleinfoIndex(path, value) || (!context.isVolume && isCode(path, value, context))) return true;
  const name = getLastNameOfPath(path);
  // An object with a word for energy in its name may contain powers, too: `ENERGY/GUI_GRID_POW`. A name that states a tariff and a
  // direction is always an energy: `teruglevering_laag`.
  const isEnergy =
    (namesEnergy(path) && (namesEnergy(name) || !isPowerName(name)) && !isOfPowers(path)) ||
    isTariffNameWithDirection(path);
  if (
    !(isEnergy || (context.isStrict && LIFETIME_TOTAL_PATTERN.test(path))) ||
    OTHER_UNIT.test(path) ||
    SHORT_POWER.test(path) ||
    PRESENT_FLOW.test(path)
  )
    return false;
  if (typeof readNumber(value) !== 'number' || Number(value) < 0) return false;
  const { not, way, isMade, moves, isOfPanels } = factsOf(path, null, context);
  const isUnknown = hasUnknownWord(path);
  if (not !== null || isOfWater(path, context) || isOfFuel(path, context)) return false;
  const says = way !== null || isMade || moves !== null || isOfPanels;
  const isSure = isEnergy
    ? (says || LIFETIME_TOTAL_PATTERN.test(path) || SHORT_ENERGY.test(name)) &&
      (!isUnknown || SURE.test(path) || SHORT_ENERGY.test(path))
    : says && !isUnknown && !POWER.test(path) && !OTHER_QUANTITY.test(path);
  // Without further evidence, 0 and 1 may be states, such as `Energy_Storage` of a valve with a harvester.
  const isState = Number(value) <= 1 && !says && !LIFETIME_TOTAL_PATTERN.test(path);
  return (context.isStrict ? isSure : !isState) && findMetricMeaning(`${path}_kwh`, undefined) !== null;
}

/**
 * Returns the kind of a member whose name means energy or power, for a question to the owner; null if the name means neither. Excludes 0
 * and 1, which may be states. Accepts unknown words in the name, because the value contributes to no total before the owner has answered.
 */
export function findQuantityKindToAskOwner(
  path: string,
  value: unknown,
  context: MemberContext,
): 'energy_total_kwh' | 'power_w' | null {
  const number = readNumber(value);
  if (typeof number !== 'number' || number === 0 || number === 1) return null;
  const name = getLastNameOfPath(path);
  const stated = isPowerName(namesEnergy(name) && !isOfPowers(path) ? name : path)
    ? 'power_w'
    : namesEnergy(path) || READING.test(path) || isOfFlow(path)
      ? 'energy_total_kwh'
      : null;
  const kind = stated ?? flowKindOf(name);
  if (kind === null || OTHER_UNIT.test(path) || NO_POWER.test(path) || RADIO.test(path) || SETTING.test(name))
    return null;
  if (hasUnknownWord(path) && OTHER_QUANTITY.test(name)) return null;
  const { not, commodity } = factsOf(path, kind === 'power_w' ? 'W' : null, context);
  if (
    !(commodity === 'electricity' || commodity === 'heat') ||
    isOfWater(path, context) ||
    (kind !== 'power_w' && isOfFuel(path, context))
  )
    return null;
  // The net power is the power at the connection, negative when the home feeds in. A net energy can fall, so it is not a register.
  if (not === 'balance' && kind === 'power_w') return kind;
  const named = kind === 'power_w' ? `${path.replace(PRESENT_DEMAND, '')}_watt` : `${path}_kwh`;
  return not === null && findMetricMeaning(named, undefined) !== null ? kind : null;
}

/** Whether a member is the total of a numbered meter. Excludes 0 and 1, which may be states. */
export const isTotalOfUnknownQuantity = (
  path: string,
  value: unknown,
  { hasTotalOfUnknownQuantity }: MemberContext,
): boolean => hasTotalOfUnknownQuantity === true && path === 'total' && Number(readNumber(value)) > 1;

/** Matches a unit of power as a whole name. */
const WATT = /^(?:k?w|(?:kilo)?watts?)$/i;
/** Whether a member is a bare `total` next to a power whose name is its unit: `{"watt": 412, "total": 5985}`. */
export function isTotalBesideWatt(path: string, value: unknown, members: readonly NumberWithPath[]): boolean {
  const name = getLastNameOfPath(path);
  const object = path.slice(0, path.length - name.length);
  if (!/^totaa?l$/i.test(name) || !(Number(readNumber(value)) > 1)) return false;
  return members.some((other) => other.path.startsWith(object) && WATT.test(other.path.slice(object.length)));
}

/** Whether the name of a member, or of the topic, contains a word for water. */
const isOfWater = (path: string, context: MemberContext): boolean =>
  [path, ...(context.around ?? [])].some((name) => getNameMeaning(name).medium === 'water');

/** Whether a member without a unit is the content of a tank or an amount of fuel: `gas_consumption_tank`. */
const isOfFuel = (path: string, { around = [], described }: MemberContext): boolean =>
  !SURE.test(path) && [path, ...around, described?.device ?? ''].some((name) => FUEL_PATTERN.test(name));

/** Whether a member's own name contains an unknown word. Ignores the names of enclosing objects. */
export const hasUnknownWord = (path: string): boolean => getNameMeaning(getLastNameOfPath(path)).unknown.length > 0;

const isPeriod = ({ not, bySibling }: NameMeaning): boolean => not === 'period' || bySibling?.else === 'period';

/**
 * Returns the facts that the names of a member state. Ignores topic levels such as `minutes`, which state how often the topic is published.
 * If the member itself is a total energy, also ignores levels such as `day`.
 */
function factsOf(path: string, unit: 'W' | null, { around = [], ...context }: MemberContext) {
  const isTotal = ENERGY.test(path) && LIFETIME_TOTAL_PATTERN.test(path);
  const isSchedule = (level: string) => SCHEDULE.test(level) || (isTotal && isPeriod(getNameMeaning(level)));
  return getRegisterProperties({
    ...describeMember(path, { ...context, around: around.filter((level) => !isSchedule(level)) }),
    unit,
  });
}

/** Whether a word such as "day" in a member's name means a period. If another member names the night, "day" means a tariff. */
export function isEnergyOfPeriod(path: string, members: readonly NumberWithPath[], context: MemberContext): boolean {
  const { bySibling } = factsOf(path, null, context);
  if (bySibling?.else !== 'period') return false;
  return !members.some(
    (other) => other.path !== path && factsOf(other.path, null, context).siblings.has(bySibling.sibling),
  );
}
