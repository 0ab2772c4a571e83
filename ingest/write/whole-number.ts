const [MINUS, ZERO] = [45, 48];
/** Digits that are written with 32-bit arithmetic. */
const [LOW, LOW_DIGITS] = [1_000_000_000, 9];

/** Writes a safe integer in decimal digits; answers where it ends. A text of its own for each number would be as much garbage. */
export function writeWhole(bytes: Uint8Array, value: number, at: number): number {
  if (value < 0) {
    bytes[at] = MINUS;
    return writeWhole(bytes, -value, at + 1);
  }
  if (value < LOW) return writeDigits(bytes, value, at, digitsOf(value));
  const high = Math.floor(value / LOW);
  return writeDigits(bytes, value - high * LOW, writeDigits(bytes, high, at, digitsOf(high)), LOW_DIGITS);
}

function digitsOf(value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  return digits;
}

/** Writes so many digits of a number below 10^9. */
function writeDigits(bytes: Uint8Array, value: number, at: number, digits: number): number {
  let rest = value | 0;
  for (let place = at + digits - 1; place >= at; place--) {
    const tenth = (rest / 10) | 0;
    bytes[place] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return at + digits;
}
