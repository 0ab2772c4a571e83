import { parse } from 'csv-parse';
import { fileBytes } from './file-bytes.ts';

/** Rows of a CSV file, packed (.gz) or not, the header among them. */
export async function* csvRows(file: string, onBytes?: (bytes: number) => void): AsyncGenerator<string[]> {
  const bytes = fileBytes(file, onBytes);
  const parser = parse({ bom: true, trim: true, relax_column_count: true, skip_empty_lines: true });
  bytes.on('error', (error) => parser.destroy(error));
  bytes.pipe(parser);
  try {
    for await (const row of parser as AsyncIterable<string[]>) yield row;
  } finally {
    bytes.destroy();
  }
}
