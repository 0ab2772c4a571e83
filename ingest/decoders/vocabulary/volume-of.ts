import type { Commodity } from '#src/database/meter.ts';
import { saidOf } from './said-of.ts';

/** What lies in a tank, fell as rain, flows back or runs out unseen is no consumption. */
const NO_CONSUMPTION =
  /tank|cistern|zistern|storage|level|f(?:ü|ue)llstand|reservoir|rain|regen|pluvi|precip|back[\s_-]?(?:flow|ward)|revers|leak|leck|reset/i;
/** Water of either temperature: elsewhere such words are an appliance's. */
const WATER = /(?:hot|warm|cold|tap|drinking)[\s_-]*water|(?:warm|hei(?:ß|ss)|kalt)wasser|wasseruhr/i;
/** Says that it is what a meter has counted, in the languages of meters that people publish. */
const COUNTED =
  /total|(?<![a-z])meter|(?:water|gas|heat)_?meter|counter|register|reading|cumul|lifetime|consum|usage|z(?:ä|ae)hler|uhr(?![a-z])|verbrauch|gesamt|verbruik|teller|meterstand|compteur|contador|contatore|licznik|m(?:å|a)ler|forbr|f(?:ö|o)rbruk|kulutus|mittari|odb(?:ě|e)r/i;

/**
 * Of which commodity's meter a volume is the register; null: of none, or nobody can tell. `names`: all that is said of it. `told`:
 * what is said beside them: the commodity (a device class), and that it is a total (a state class).
 */
export function commodityOf(
  names: readonly string[],
  told: { commodity?: Commodity; isTotal?: boolean } = {},
): Commodity | null {
  if (names.some((name) => NO_CONSUMPTION.test(name))) return null;
  const said = names.filter((name) => name !== '').map(saidOf);
  // A day's or a month's, a price, a limit; a day that stands alone is such a day.
  if (said.some((one) => one.not !== null || one.direction === 'export' || one.bySibling?.else === 'period')) {
    return null;
  }
  const commodity = told.commodity ?? mediumOf(names, said);
  if (commodity === null) return null;
  const isCounted = said.some(({ direction }) => direction === 'import') || names.some((name) => COUNTED.test(name));
  return told.commodity !== undefined || told.isTotal || isCounted ? commodity : null;
}

function mediumOf(names: readonly string[], said: readonly { medium: Commodity | '' }[]): Commodity | null {
  const medium = said.find((one) => one.medium !== '')?.medium;
  return medium || (names.some((name) => WATER.test(name)) ? 'water' : null);
}
