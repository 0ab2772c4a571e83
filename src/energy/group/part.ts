/**
 * Combined usage (mWh) of some homes in a part of a bucket. The parts of a day are clock hours (by their start in Unix seconds); the parts
 * of a month or span are hours of the day; an hour has only itself as a part. The peak is the part with the highest usage.
 */
export interface BucketPart {
  /** Key of the bucket: the start in Unix seconds for an hour, the first day (YYYY-MM-DD) for a day or month, `''` for a span. */
  bucket: string;
  part: number;
  used: number;
  /** Estimated part of `used`. The estimated part of each home is at most the home's usage. */
  estimated: number;
}
