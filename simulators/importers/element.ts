/** An element of a native message: one reading. */
export type ImportedReadingElement = { ts: string; channel?: string } & (
  | { energy_total_kwh: number }
  | { energy_kwh: number; interval_s: number }
  | { power_w: number }
);

/** Numbers of rows in a file, by outcome. */
export interface ImportCounts {
  rows: number;
  /** Rows of other series. */
  skipped: number;
  /** Rows without a time or a value. */
  empty: number;
  /** Number of rows whose time or value cannot be parsed. `firstUnreadable` describes the first of these rows. */
  unreadable: number;
  firstUnreadable?: string;
  /** Notes for the user on skipped data and on how the file was read. Each is a sentence and occurs once. */
  notes: string[];
}

export const createImportCounts = (): ImportCounts => ({ rows: 0, skipped: 0, empty: 0, unreadable: 0, notes: [] });

/** Adds a note, unless `counts` already contains it. */
export function addImportNote(counts: ImportCounts, sentence: string): void {
  if (!counts.notes.includes(sentence)) counts.notes.push(sentence);
}

/** Counts a row that cannot be parsed. `what`: description of the row. */
export function countUnreadableRow(counts: ImportCounts, what: string): void {
  counts.unreadable++;
  counts.firstUnreadable ??= what;
}

/** Counts a row with a value that cannot be parsed as a time or as a number. */
export function countUnreadableValue(
  counts: ImportCounts,
  column: string,
  value: string,
  kind: 'time' | 'number',
): void {
  const what = kind === 'time' ? 'no time (ISO 8601, Unix seconds or ms)' : 'no number';
  countUnreadableRow(counts, `row ${counts.rows}: ${column} “${value.slice(0, 200)}” is ${what}`);
}

/** Returns the stored register readings of a channel, in kWh (or m³), by Unix ms. */
type StoredRegisters = (channel: string) => Promise<ReadonlyMap<number, number>>;

/**
 * Yields the readings of a file row by row, and counts the rows in `counts`. `onBytes` receives the number of bytes that have been read.
 */
export type ImportReader = (
  file: string,
  counts: ImportCounts,
  onBytes: (bytes: number) => void,
  storedRegisters?: StoredRegisters,
) => AsyncIterable<ImportedReadingElement>;
