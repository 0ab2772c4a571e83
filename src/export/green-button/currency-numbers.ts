/**
 * Numbers of currencies (ISO 4217), as the ESPI standard (the data format of Green Button) needs them. For a currency that is missing here,
 * a feed contains no costs.
 */
const NUMBERS: Readonly<Record<string, number>> = {
  AUD: 36,
  BRL: 986,
  CAD: 124,
  CHF: 756,
  CNY: 156,
  CZK: 203,
  DKK: 208,
  EUR: 978,
  GBP: 826,
  HKD: 344,
  HUF: 348,
  INR: 356,
  ISK: 352,
  JPY: 392,
  KRW: 410,
  MXN: 484,
  NOK: 578,
  NZD: 554,
  PLN: 985,
  RON: 946,
  SEK: 752,
  SGD: 702,
  TRY: 949,
  UAH: 980,
  USD: 840,
  ZAR: 710,
};

/** Returns the ISO 4217 number of a currency. Null if the table above does not contain the currency. */
export const findCurrencyNumber = (code: string): number | null => NUMBERS[code] ?? null;
