/** A series of a file with several, of which one is imported at a time. */
export interface Series {
  name: string;
  /** As the file has it; null: it tells none. */
  unit: string | null;
  readings: number;
  fromMs: number;
  toMs: number;
}
