/** An exact number. The denominator is positive. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

export const ZERO: Fraction = { numerator: 0n, denominator: 1n };

/** The sum of fractions, exactly. Not reduced: of one kind there are few denominators. */
export function sumOf(...fractions: readonly Fraction[]): Fraction {
  let { numerator, denominator } = ZERO;
  for (const one of fractions) {
    if (one.denominator === denominator) numerator += one.numerator;
    else {
      numerator = numerator * one.denominator + one.numerator * denominator;
      denominator *= one.denominator;
    }
  }
  return { numerator, denominator };
}

export const negative = ({ numerator, denominator }: Fraction): Fraction => ({ numerator: -numerator, denominator });

/** The number with so many decimals, all of them written, halves away from zero: `0.30`, `-12`. Nothing is `0.00`, never `-0.00`. */
export function roundedText({ numerator, denominator }: Fraction, decimals: number): string {
  const size = (numerator < 0n ? -numerator : numerator) * 10n ** BigInt(decimals);
  const rounded = (2n * size + denominator) / (2n * denominator);
  const digits = String(rounded).padStart(decimals + 1, '0');
  const sign = numerator < 0n && rounded > 0n ? '-' : '';
  return decimals === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
