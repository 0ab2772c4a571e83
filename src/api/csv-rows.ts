/** Rows of a CSV body, with their line numbers. */
export class CsvRows extends Array<Record<string, unknown>> {
  /** Line number of each row in the body, from 1. */
  lines: number[] = [];
}

/** A list body that is also accepted as CSV. */
export interface CsvBody {
  /** Description in the OpenAPI document. */
  described: string;
  /** Parses the CSV. Throws `unprocessable` if it is invalid. */
  read(text: string): Promise<CsvRows>;
}

/** Returns the name of a row in an error: its index from 0, or its line in a CSV body. */
export const rowName = (body: unknown, index: number): string =>
  body instanceof CsvRows ? `line ${body.lines[index]}` : String(index);
