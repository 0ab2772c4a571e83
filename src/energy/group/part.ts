/**
 * What some homes used together in a part of a bucket: of a day a clock hour (Unix seconds), of months and spans an hour of the day, of an hour itself.
 * mWh. Among these the peak is sought.
 */
export interface Part {
  /** Hours by their start, Unix seconds; days and months by their first day, YYYY-MM-DD; a span is `''`. */
  bucket: string;
  part: number;
  used: number;
  /** Of that, of each home all that it used at most. */
  estimated: number;
}
