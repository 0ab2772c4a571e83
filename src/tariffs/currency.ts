/** Currencies whose minor unit is not a hundredth (ISO 4217, list one): decimals of an amount. */
const DECIMALS: Readonly<Record<string, number>> = Object.fromEntries([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3]),
  ...'CLF UYW'.split(' ').map((code) => [code, 4]),
]);

/** Decimals of an amount in a currency: 2 of EUR, none of JPY (ISO 4217; not what CLDR shows people). */
export const decimalsOf = (currency: string): number => DECIMALS[currency] ?? 2;
