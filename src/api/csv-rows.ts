/** Rows of a CSV body, which know their lines. */
export class CsvRows extends Array<Record<string, unknown>> {
  /** Of each row its line, from 1. */
  lines: number[] = [];
}

/** A body, a list, that may come as CSV, too. */
export interface CsvBody {
  /** What the document says of it. */
  described: string;
  /** Throws `unprocessable` where it is none. */
  read(text: string): Promise<CsvRows>;
}

/** How a row of a body is called in an error: its place from 0, or its line. */
export const rowName = (body: unknown, index: number): string =>
  body instanceof CsvRows ? `line ${body.lines[index]}` : String(index);
