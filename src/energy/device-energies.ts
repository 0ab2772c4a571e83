import { sql } from 'kysely';
import type { MilliwattHours } from '#src/core/units.ts';
import type { Database } from '#src/database/connect.ts';
import { estimatedExportKey } from '#src/database/meter.ts';
import { COLUMN } from '#src/rollups/levels.ts';
import { piecesOfEach } from '#src/rollups/parts.ts';
import { pieceMinutes, type Range } from './ranges.ts';

/** What a device, or what is told apart of it, told in a range; `…Ms`: for how long, summed over its channels. */
export interface Energies {
  who: string;
  imported: MilliwattHours;
  exported: MilliwattHours;
  estimated: MilliwattHours;
  importMs: number;
  exportMs: number;
}

/** Import and export of devices over a range, with the estimated part of what they exported under keys of its own (`estimatedExportKey`). */
export async function energiesOf(db: Database, ids: readonly string[], range: Range): Promise<Map<string, Energies>> {
  const keys = ids.flatMap((id) => [id, estimatedExportKey(id)]);
  const columns = {
    imported: COLUMN.energyMilliwattHours,
    exported: COLUMN.exportMilliwattHours,
    estimated: COLUMN.estimatedMilliwattHours,
    importMs: COLUMN.coveredMs,
    exportMs: COLUMN.exportCoveredMs,
  };
  const pieces = piecesOfEach({ key: 'device_id', ids: keys }, range, pieceMinutes(range), Object.values(columns));
  const sums = Object.entries(columns).map(([name, column]) => `sum(${column})::bigint AS "${name}"`);
  // Raw SQL: relations are named at run time, out of src/rollups/levels.ts.
  const { rows } = await sql<Energies>`SELECT who, ${sql.raw(sums.join(', '))} FROM (${pieces}) p GROUP BY who`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.who, row]));
}
