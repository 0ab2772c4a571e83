/**
 * A row of a response consists of parts: a day of its hours (`part`: start in Unix seconds), a month of the hours of the day (`part`: 0 to
 * 23). This is the combined usage (mWh) of some homes in one part. The part with the highest usage is the peak of the row.
 */
export interface BucketPart {
  /** Start in Unix seconds for an hour, first day (YYYY-MM-DD) for a day or month, empty for a whole range. */
  bucket: string;
  part: number;
  used: number;
  /** The estimated part of the used energy. */
  estimated: number;
}
