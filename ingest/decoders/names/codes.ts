/**
 * Patterns of register codes, by the program or protocol that a topic or message names: VE.Direct of Victron (H17 discharged, H18 charged,
 * H19 yield), SolarMax and SolarView (KT0 total, BKT0 drawn from the grid), the meter readings of EnOcean's profiles A5-12, and labels of
 * French meters in lower case.
 */
const CODES: readonly (readonly [program: RegExp, code: RegExp])[] = [
  [/ve[._-]?direct|victron/i, /^H1[789]$/],
  [/solarmax|solarview/i, /^B?KT0$/],
  [/enocean/i, /^MR$/],
  [
    /linky|teleinfo|(?<![a-z])tic(?![a-z])/i,
    /^(?:base|hchc|hchp|ejphn|ejphpm|bbrh[cp]j[bwr]|ea[si]t|easf(?:0[1-9]|10))$/,
  ],
];
/** Returns the pattern of the register codes that a program uses, if the text names the program; otherwise undefined. */
export const findRegisterCodePattern = (text: string): RegExp | undefined =>
  CODES.find(([program]) => program.test(text))?.[1];
