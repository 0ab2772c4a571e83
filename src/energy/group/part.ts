/**
 * Combined usage (mWh) of some homes in a part of a bucket. A day consists of clock hours (`part`: the start in Unix seconds); a month or
 * span consists of hours of the day (`part`: 0 to 23); an hour is its own only part. The part with the highest usage is the bucket's peak.
 */
export interface BucketPart {
  /** Key of the bucket: the start in Unix seconds for an hour, the first day (YYYY-MM-DD) for a day or month, `''` for a span. */
  bucket: string;
  part: number;
  used: number;
  /** Estimated part of `used`. The estimated part of each home is at most the home's usage. */
  estimated: number;
}
