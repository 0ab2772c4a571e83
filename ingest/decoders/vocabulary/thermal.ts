import { splitFoldedWords } from './fold.ts';

/**
 * Whether a text names a heat meter: by a word (`Wärmemengenzähler`), by a model that exists only as a heat meter, or by its medium on
 * M-Bus (EN 13757-3: `Heat: Outlet`, `Heat / Cooling load meter`).
 */
export const hasHeatMeterWord = (text: string): boolean =>
  /multical|ultraheat|heat[\s_-]?meter|w(?:ä|ae?)rme(?:mengen?|z)|(?<!\p{L})wmz(?!\p{L})|heat: ?(?:in|out)let|heat ?\/? ?cooling ?load/iu.test(
    text,
  );

/**
 * Whether a text names a bus on which most energies and powers are heat: an M-Bus (`mbus`, `wM-Bus`, `libmbus2mqtt`), or OpenTherm, on
 * which boilers publish the power of their burner.
 */
export const hasHeatBusWord = (text: string): boolean =>
  /(?<![a-z])(?:(?:w|lib|go)?m[\s_-]?bus|open[\s_-]?therm|otgw|otgateway)(?![a-z])/i.test(text);

const FLOW =
  /^(?:flow|supply|forward|inlet|vorlauf\p{L}*|aanvoer\p{L}*|framlednings?\p{L}*|fremlob\p{L}*|depart|mandata|ida|impulsion|zasilan\p{L}*|privod\p{L}*|meno)$/u;
const RETURN =
  /^(?:return|outlet|rucklauf\p{L}*|ruecklauf\p{L}*|retour\p{L}*|returlednings?\p{L}*|returlob\p{L}*|ritorno|retorno|powrot\p{L}*|zpatecka|vratn\p{L}*|paluu)$/u;

/** Whether these are the names of a flow temperature and a return temperature. Heat meters measure both, but heat pumps do, too. */
export function isFlowAndReturnTemperaturePair(temperatures: readonly string[]): boolean {
  const words = temperatures.flatMap(splitFoldedWords);
  return words.some((word) => FLOW.test(word)) && words.some((word) => RETURN.test(word));
}
