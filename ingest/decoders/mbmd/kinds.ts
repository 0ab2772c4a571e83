/** Types whose meters count import (and mostly export) beside `Sum`: that is then both of them together, or their difference. */
const SUM_BESIDE_IMPORT =
  /^(?:ds100|inepro|mpm|orno1p525|orno3p|sdm(?:54|72|72v2|120|220|230)?|semtr|ws100|x961a)\d+-\d+$/;
/** Types of SunSpec, in which inverters and meters have the same names. */
const SUNSPEC = /^(?:fronius|kostal|kaco|se|sma|solaredge|steca|suns|sunspec)\d+-\d+(?:-\d+)?$/;

export const countsImportBesideSum = (type: string): boolean => SUM_BESIDE_IMPORT.test(type);
export const isSunSpec = (type: string): boolean => SUNSPEC.test(type);
