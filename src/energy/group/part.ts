/**
 * Combined usage (mWh) of some homes in one part of a response's row. The parts of a day are its hours (`part`: start in Unix seconds). The
 * parts of a month are the hours of the day (`part`: 0 to 23), summed over its days. The part with the highest usage is the peak of the
 * row.
 */
export interface BucketPartUsage {
  /** Start in Unix seconds for an hour, first day (YYYY-MM-DD) for a day or month, empty for a whole range. */
  bucket: string;
  part: number;
  used: number;
  /** The estimated part of the used energy. */
  estimated: number;
}
