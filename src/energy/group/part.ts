/**
 * Combined usage (mWh) of some homes in a part of a bucket. A part of a day is a clock hour (Unix seconds), a part of a month or span an
 * hour of the day, and an hour is its own part. The peak is the part with the highest usage.
 */
export interface BucketPart {
  /** Name of the bucket: of hours the start in Unix seconds, of days and months the first day (YYYY-MM-DD), of a span `''`. */
  bucket: string;
  part: number;
  used: number;
  /** Estimated part of `used`, at most the usage of each home. */
  estimated: number;
}
