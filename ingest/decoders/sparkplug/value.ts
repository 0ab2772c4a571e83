import type { Metric } from './payload.ts';

/** Bits by datatype: Int8 to Int64, UInt8 to UInt64. */
const SIGNED = new Map([
  [1, 8],
  [2, 16],
  [3, 32],
  [4, 64],
]);
const UNSIGNED = new Map([
  [5, 8],
  [6, 16],
  [7, 32],
  [8, 64],
]);

/**
 * The value of a metric as a number or text; null: none, on purpose; false: nothing that fits its datatype.
 * `datatype`: of the metric, or of its birth where the message has none.
 */
export function readValue(metric: Metric, datatype: number): number | string | boolean | null {
  const { intValue, longValue, plainValue } = metric;
  if (metric.isNull) return null;
  if (plainValue !== undefined) {
    // NaN and infinity are a device's words for no reading.
    return typeof plainValue === 'number' && !Number.isFinite(plainValue) ? null : plainValue;
  }
  if (longValue !== undefined) return fitted(longValue, 64, datatype);
  return intValue === undefined ? null : fitted(BigInt(intValue), 32, datatype);
}

/** `raw`: as sent, unsigned, in a field of `width` bits. */
function fitted(raw: bigint, width: 32 | 64, datatype: number): number | false {
  const unsigned = UNSIGNED.get(datatype);
  if (unsigned !== undefined) return raw < 1n << BigInt(unsigned) ? Number(raw) : false;
  const bits = SIGNED.get(datatype);
  // Without a type, or in a field that is too small for it, the upper half could be negative: nobody knows.
  if (bits === undefined || bits > width) {
    const numeric = bits !== undefined || datatype === 0;
    return numeric && raw < 1n << BigInt(width - 1) ? Number(raw) : false;
  }
  // Two's complement of the whole field, as specified, or of the type's own bits only.
  const half = 1n << BigInt(bits - 1);
  const extended = BigInt.asIntN(width, raw);
  if (extended >= -half && extended < half) return Number(extended);
  return raw < half * 2n ? Number(BigInt.asIntN(bits, raw)) : false;
}
