import { open } from 'node:fs/promises';
import type { ImportReader } from './element.ts';
import { readCsvElements, readCsvSeries } from './home-assistant-csv.ts';
import { listDatabaseSeries, readDatabaseElements } from './home-assistant-database.ts';
import { type ImportSeries, type ImportUnit, isVolumeUnit, parseImportUnit } from './series.ts';

/** The first bytes of every SQLite database. */
const SQLITE = 'SQLite format 3\0';

async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
    return bytesRead === SQLITE.length && buffer.toString('latin1') === SQLITE;
  } finally {
    await handle.close();
  }
}

/**
 * Returns the series of a Home Assistant file that may be energy, gas or water. Throws if the file is not a database or download of Home
 * Assistant.
 */
export async function listHomeAssistantSeries(file: string): Promise<ImportSeries[]> {
  const all = (await isDatabase(file)) ? listDatabaseSeries(file) : await readCsvSeries(file);
  return all.filter(({ unit }) => unit === null || parseImportUnit(unit) !== null);
}

/** The entity that is imported from a Home Assistant file, with the options of the import. */
export interface EntityImport {
  /** Id of the entity (`sensor.…`) or of the statistic. */
  entity: string;
  /** Channel of the import. Default: `import`; for an entity in m³, `gas/m3`. */
  channel?: string | undefined;
  /** Unit of the values, if the file contains none. */
  unit?: ImportUnit | undefined;
}

/** Creates a reader of one entity in `home-assistant_v2.db` or in a downloaded CSV file. */
export const createHomeAssistantImport = ({ entity, channel, unit: chosen }: EntityImport): ImportReader =>
  async function* (file, counts, onBytes, storedRegisters = async () => new Map()) {
    const series = await listHomeAssistantSeries(file);
    const found = series.find(({ name }) => name === entity);
    if (!found)
      throw new Error(
        `${file} has no energy of ${entity}. It has: ${series.map(({ name }) => name).join(', ') || 'none'}`,
      );
    const unit = parseImportUnit(found.unit) ?? chosen ?? 'kWh';
    const into = { entity, unit, channel: channel ?? (isVolumeUnit(unit) ? 'gas/m3' : 'import') };
    if (await isDatabase(file)) yield* readDatabaseElements(file, into, counts, await storedRegisters(into.channel));
    else yield* readCsvElements(file, into, counts, onBytes);
  };
