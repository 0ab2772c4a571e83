import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CsvError, type Options, parse } from 'csv-parse';
import { MAX_CSV_ROW_LENGTH } from '#src/core/csv-table.ts';

/**
 * Returns the content of a file, gzipped or plain, as a stream. `onBytes` receives the number of bytes read. A caller that stops early must
 * destroy the stream.
 */
export function openFileStream(file: string, onBytes?: (bytes: number) => void): Readable {
  const bytes = createReadStream(file);
  let read = 0;
  if (onBytes)
    bytes.on('data', (chunk) => {
      read += chunk.length;
      onBytes(read);
    });
  if (!file.endsWith('.gz')) return bytes;
  const unpacked = createGunzip();
  // If one of the two streams fails or is destroyed, the pipeline also ends the other.
  pipeline(bytes, unpacked, () => {});
  return unpacked;
}

/**
 * Yields the rows of a CSV file, gzipped or plain: objects by the names in the header (`columns`), or arrays. `onBytes` receives the number
 * of bytes read. Throws if a row is longer than MAX_CSV_ROW_LENGTH.
 */
export async function* readCsvRows<Row = string[]>(
  file: string,
  onBytes?: (bytes: number) => void,
  { columns = false }: Pick<Options, 'columns'> = {},
): AsyncGenerator<Row> {
  const bytes = openFileStream(file, onBytes);
  const options = { bom: true, trim: true, relax_column_count: true, skip_empty_lines: true };
  const parser = parse({ ...options, columns, max_record_size: MAX_CSV_ROW_LENGTH } as Options);
  bytes.on('error', (error) => parser.destroy(error));
  bytes.pipe(parser);
  try {
    for await (const row of parser as AsyncIterable<Row>) yield row;
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== 'CSV_MAX_RECORD_SIZE') throw error;
    throw new Error(
      `${file}, line ${parser.info.lines}: the row is longer than ${MAX_CSV_ROW_LENGTH.toLocaleString('en')} characters. Is it a CSV file?`,
    );
  } finally {
    bytes.destroy();
  }
}
