import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CsvError, type Options, parse } from 'csv-parse';
import { MAX_ROW_LENGTH } from '#src/core/csv-table.ts';

/** The content of a file, packed (.gz) or not, as a stream; `onBytes` is told how far it was read. Whoever stops reading destroys it. */
export function fileBytes(file: string, onBytes?: (bytes: number) => void): Readable {
  const bytes = createReadStream(file);
  let read = 0;
  if (onBytes)
    bytes.on('data', (chunk) => {
      read += chunk.length;
      onBytes(read);
    });
  if (!file.endsWith('.gz')) return bytes;
  const unpacked = createGunzip();
  // Ends both, whichever fails or is left.
  pipeline(bytes, unpacked, () => {});
  return unpacked;
}

/**
 * Rows of a CSV file, packed (.gz) or not, as it is read; `columns`: as objects by the header, which is otherwise the first row. `onBytes` receives how
 * far the file was read. Throws where a row is longer than MAX_ROW_LENGTH: a file without line breaks or with an open quote would be read into
 * memory whole.
 */
export async function* csvRows<Row = string[]>(
  file: string,
  onBytes?: (bytes: number) => void,
  { columns = false }: Pick<Options, 'columns'> = {},
): AsyncGenerator<Row> {
  const bytes = fileBytes(file, onBytes);
  const options = { bom: true, trim: true, relax_column_count: true, skip_empty_lines: true };
  const parser = parse({ ...options, columns, max_record_size: MAX_ROW_LENGTH } as Options);
  bytes.on('error', (error) => parser.destroy(error));
  bytes.pipe(parser);
  try {
    for await (const row of parser as AsyncIterable<Row>) yield row;
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_MAX_RECORD_SIZE') throw error;
    throw new Error(
      `${file}, line ${parser.info.lines}: the row is longer than ${MAX_ROW_LENGTH.toLocaleString('en')} characters. Is it a CSV file?`,
    );
  } finally {
    bytes.destroy();
  }
}
