/**
 * Combined usage (mWh) of some homes in a part of a bucket. A part of a day is a clock hour (Unix seconds), a part of a month or span an
 * hour of the day, and an hour is its own part. The peak is the part with the highest usage.
 */
export interface BucketPart {
  /** Key of the bucket: the start in Unix seconds for an hour, the first day (YYYY-MM-DD) for a day or month, `''` for a span. */
  bucket: string;
  part: number;
  used: number;
  /** Estimated part of `used`, at most the usage of each home. */
  estimated: number;
}
