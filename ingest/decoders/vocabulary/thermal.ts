import { foldedWordsOf } from './fold.ts';

/**
 * Whether a text names a heat meter: its kind in words (`Wärmemengenzähler`), a model that is nothing else, or its medium as M-Bus calls it
 * (EN 13757-3: `Heat: Outlet`, `Heat / Cooling load meter`).
 */
export const namesHeatMeter = (text: string): boolean =>
  /multical|ultraheat|heat[\s_-]?meter|w(?:ä|ae?)rme(?:mengen?|z)|(?<!\p{L})wmz(?!\p{L})|heat: ?(?:in|out)let|heat ?\/? ?cooling ?load/iu.test(
    text,
  );

/** Whether a text names an M-Bus, on which most meters count heat or water: `mbus`, `wM-Bus`, `libmbus2mqtt`. */
export const namesMBus = (text: string): boolean => /(?<![a-z])(?:w|lib|go)?m[\s_-]?bus(?![a-z])/i.test(text);

const FLOW =
  /^(?:flow|supply|forward|inlet|vorlauf\p{L}*|aanvoer\p{L}*|framlednings?\p{L}*|fremlob\p{L}*|depart|mandata|ida|impulsion|zasilan\p{L}*|privod\p{L}*|meno)$/u;
const RETURN =
  /^(?:return|outlet|rucklauf\p{L}*|ruecklauf\p{L}*|retour\p{L}*|returlednings?\p{L}*|returlob\p{L}*|ritorno|retorno|powrot\p{L}*|zpatecka|vratn\p{L}*|paluu)$/u;

/** Whether temperatures with these names are those of a flow and of its return, which a heat meter measures, and a heat pump as well. */
export function isThermalCircuit(temperatures: readonly string[]): boolean {
  const words = temperatures.flatMap(foldedWordsOf);
  return words.some((word) => FLOW.test(word)) && words.some((word) => RETURN.test(word));
}
