/** Logarithm of n!, by Stirling's series (relative error below 1e-10 from 10 on; exact below). */
function logFactorial(n: number): number {
  if (n < 10) return Math.log([1, 1, 2, 6, 24, 120, 720, 5_040, 40_320, 362_880][n] ?? 1);
  return n * Math.log(n) - n + Math.log(2 * Math.PI * n) / 2 + 1 / (12 * n) - 1 / (360 * n ** 3);
}

/** Chance that of events which have nothing to do with each other `n` or more come where `mean` are expected (Poisson). Pure. */
export function chanceOfAsMany(n: number, mean: number): number {
  if (n <= 0) return 1;
  if (mean <= 0) return 0;
  // At and below the mean it is never small, and the sum below would be long.
  if (n <= mean) return 1;
  let term = Math.exp(n * Math.log(mean) - mean - logFactorial(n));
  let sum = 0;
  for (let k = n; term > sum * 1e-12; k++) {
    sum += term;
    term *= mean / (k + 1);
  }
  return Math.min(1, sum);
}
