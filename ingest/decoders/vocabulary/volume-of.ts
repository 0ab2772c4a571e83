import type { Commodity } from '#src/database/meter.ts';
import { getNameMeaning } from './name-facts.ts';

/**
 * Matches words for a volume that is not a consumption, or is a part of one: content of a tank, rainwater, backflow, leaks, a share
 * (`Weichwasseranteil` of a water softener).
 */
const NO_CONSUMPTION =
  /anteil|aandeel|(?<!\p{L})shares?(?!\p{L})|tank|cistern|zistern|storage|level|f(?:ü|ue)llstand|reservoir|rain[\s_-]?water|regen[\s_-]?wa(?:sser|ter)|back[\s_-]?(?:flow|ward)|revers|leak|leck|reset/iu;
/** Matches words for rain, alone or before a word for a gauge. Excludes Rain Bird, a maker of valves, and names such as `Regentstraat`. */
const RAIN =
  /(?<!\p{L})(?:rain|regen)(?:[\s_-]?(?:gauges?|fall|sensors?|meters?|messer|menge|melder|amount|total|counter|rate|today|mm))?(?!\p{L}|[\s_-]?bird)|pluvi|lluvia|pluie|pioggia|chuva|niederschlag|neerslag|nedbør|nederbörd|deszcz|precip/iu;
/** Whether the name, the model or the topic of a device names a rain gauge, so that its volume of water is no consumption. */
export const hasRainWord = (text: string): boolean => RAIN.test(text);

/** Matches words for a liquid or solid fuel, which no gas or water meter counts. Excludes words such as "boiler" and "oily". */
const OIL =
  /(?<!\p{L})(?:(?:heating)?oil(?!y)|heiz(?:ö|oe)l|(?:ö|oe)l(?=z(?:ä|ae)hler|verbrauch|stand|\P{L}|$)|mazout|fioul|gas(?:olio|oleo|óleo|oil)|olie(?!\p{L})|diesel|pellets?)/iu;
/** Whether the name, the model or the topic of a device names oil or another fuel that is not gas. */
export const hasOilWord = (text: string): boolean => OIL.test(text);

/** Matches phrases that mean hot or cold water. In other phrases, "hot" or "cold" belongs to an appliance. */
const WATER = /(?:hot|warm|cold|tap|drinking)[\s_-]*water|(?:warm|hei(?:ß|ss)|kalt)wasser|wasseruhr/i;
/** Matches words which show that a meter has counted a volume, in the languages of public projects. */
export const METERED_VOLUME_PATTERN =
  /total|(?<![a-z])meter|(?:water|gas|heat)_?meter|counter|register|(?<![a-z])ind(?:ex|ice)(?![a-z])|reading|cumul|lifetime|consum|usage|z(?:ä|ae)hler|uhr(?![a-z])|verbrauch|gesamt|verbruik|teller|meterstand|compteur|contador|contatore|licznik|m(?:å|a)ler|forbr|f(?:ö|o)rbruk|kulutus|mittari|odb(?:ě|e)r/i;

/**
 * Returns the commodity of the meter that counts a volume. Returns null if the volume is not a meter's register or the commodity is
 * unknown. `names`: all names of the volume. `known`: the commodity if a device class states it, and whether a state class states that the
 * volume is a total.
 */
export function findVolumeCommodity(
  names: readonly string[],
  known: { commodity?: Commodity; isTotal?: boolean } = {},
): Commodity | null {
  const said = names.filter((name) => name !== '').map(getNameMeaning);
  // The cached facts of the names are checked before the regular expressions, which take more time, because most names have no commodity.
  const commodity = known.commodity ?? mediumOf(names, said);
  const isOther = (name: string) => NO_CONSUMPTION.test(name) || hasRainWord(name) || hasOilWord(name);
  if (commodity === null || names.some(isOther)) return null;
  // Excludes volumes of a day or month, prices and limits. "Day" counts as a period, not as a tariff: the other registers, which would show
  // the difference, are unknown.
  if (said.some((one) => one.not !== null || one.direction === 'export' || one.bySibling?.else === 'period')) {
    return null;
  }
  const isCounted =
    said.some(({ direction }) => direction === 'import') || names.some((name) => METERED_VOLUME_PATTERN.test(name));
  return known.commodity !== undefined || known.isTotal || isCounted ? commodity : null;
}

function mediumOf(names: readonly string[], said: readonly { medium: Commodity | '' }[]): Commodity | null {
  const medium = said.find((one) => one.medium !== '')?.medium;
  return medium || (names.some((name) => WATER.test(name)) ? 'water' : null);
}
