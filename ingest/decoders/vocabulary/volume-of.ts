import type { Commodity } from '#src/database/meter.ts';
import { nameFactsOf } from './name-facts.ts';

/** Words of volumes that are no consumption: content of a tank, rainfall, backflow, leaks. */
const NO_CONSUMPTION =
  /tank|cistern|zistern|storage|level|f(?:ü|ue)llstand|reservoir|rain|regen|pluvi|precip|back[\s_-]?(?:flow|ward)|revers|leak|leck|reset/i;
/** Phrases for hot or cold water. Elsewhere the words for the temperature belong to an appliance. */
const WATER = /(?:hot|warm|cold|tap|drinking)[\s_-]*water|(?:warm|hei(?:ß|ss)|kalt)wasser|wasseruhr/i;
/** Words that show that a meter has counted a volume, in the languages of published meters. */
const COUNTED =
  /total|(?<![a-z])meter|(?:water|gas|heat)_?meter|counter|register|reading|cumul|lifetime|consum|usage|z(?:ä|ae)hler|uhr(?![a-z])|verbrauch|gesamt|verbruik|teller|meterstand|compteur|contador|contatore|licznik|m(?:å|a)ler|forbr|f(?:ö|o)rbruk|kulutus|mittari|odb(?:ě|e)r/i;

/**
 * Returns the commodity of the meter whose register a volume is; null if it is no meter's or the commodity is unknown. `names`: all names
 * of the volume. `told`: further facts: the commodity (by a device class), and that it is a total (by a state class).
 */
export function volumeCommodityOf(
  names: readonly string[],
  known: { commodity?: Commodity; isTotal?: boolean } = {},
): Commodity | null {
  const said = names.filter((name) => name !== '').map(nameFactsOf);
  // Most names have no commodity; their cached facts take less time than the patterns.
  const commodity = known.commodity ?? mediumOf(names, said);
  if (commodity === null || names.some((name) => NO_CONSUMPTION.test(name))) return null;
  // Excludes volumes of a day or month, prices and limits. A "day" without "night" is a period.
  if (said.some((one) => one.not !== null || one.direction === 'export' || one.bySibling?.else === 'period')) {
    return null;
  }
  const isCounted = said.some(({ direction }) => direction === 'import') || names.some((name) => COUNTED.test(name));
  return known.commodity !== undefined || known.isTotal || isCounted ? commodity : null;
}

function mediumOf(names: readonly string[], said: readonly { medium: Commodity | '' }[]): Commodity | null {
  const medium = said.find((one) => one.medium !== '')?.medium;
  return medium || (names.some((name) => WATER.test(name)) ? 'water' : null);
}
