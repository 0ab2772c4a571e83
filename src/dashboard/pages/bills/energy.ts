import { numberFormat } from '../../words/locale.ts';

const DIGITS = { minimumFractionDigits: 3, maximumFractionDigits: 3 };

/** Energy of a bill, which comes as text with six decimals, for people: to the watt-hour. */
export const billed = (kwh: string): string => `${numberFormat(DIGITS).format(Number(kwh))} kWh`;

/** By how much energy changed, with its sign. */
export const change = (kwh: string): string =>
  `${numberFormat({ ...DIGITS, signDisplay: 'exceptZero' }).format(Number(kwh))} kWh`;

/** Whether there is nothing of it, to the milliwatt-hour. */
export const isNothing = (kwh: string): boolean => Number(kwh) === 0;
