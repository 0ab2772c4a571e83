/** An element of a native message. */
export type PastElement = { ts: string; channel?: string } & (
  | { energy_total_kwh: number }
  | { energy_kwh: number; interval_s: number }
  | { power_w: number }
);

/** Counts of the rows of files by outcome. */
export interface PastCounts {
  rows: number;
  /** Rows of another series. */
  skipped: number;
  /** Rows without a time or a value. */
  empty: number;
  /** Rows whose time or value cannot be read, with the first of them as an example. */
  unreadable: number;
  firstUnreadable?: string;
  /** What a person should know of what was left out, or how it was read: sentences, each once. */
  notes: string[];
}

export const noCounts = (): PastCounts => ({ rows: 0, skipped: 0, empty: 0, unreadable: 0, notes: [] });

/** Adds a sentence, once. */
export function note(counts: PastCounts, sentence: string): void {
  if (!counts.notes.includes(sentence)) counts.notes.push(sentence);
}

/** Counts a row that cannot be read. */
export function unreadable(counts: PastCounts, what: string): void {
  counts.unreadable++;
  counts.firstUnreadable ??= what;
}

/** Counts a row of which one value cannot be read: as a time, or as a number. */
export function unreadableValue(counts: PastCounts, column: string, value: string, kind: 'time' | 'number'): void {
  const what = kind === 'time' ? 'no time (ISO 8601, Unix seconds or ms)' : 'no number';
  unreadable(counts, `row ${counts.rows}: ${column} “${value.slice(0, 200)}” is ${what}`);
}

/** The register readings of a channel that are stored already, in kWh (or m³), by Unix ms. */
type StoredRegisters = (channel: string) => Promise<ReadonlyMap<number, number>>;

/** How the readings of a file are got: row after row, counted; `onBytes` is told how far the file was read. */
export type ReadPast = (
  file: string,
  counts: PastCounts,
  onBytes: (bytes: number) => void,
  storedRegisters?: StoredRegisters,
) => AsyncIterable<PastElement>;
