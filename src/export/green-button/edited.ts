import type { Buyer } from '#src/cost/bought.ts';
import { type Database, queryOf } from '#src/database/connect.ts';
import { loadHome } from '#src/energy/home/home.ts';
import { type BoughtPart, boughtParts } from '#src/energy/home/pieces.ts';
import type { Range } from '#src/energy/ranges.ts';

/** A time (Unix ms, `[fromMs, toMs)`) of which readings that count were excluded by hand, or read by a person. */
export interface EditedTime {
  fromMs: number;
  toMs: number;
  /** What it is about: what was bought, what was fed in. */
  imports: boolean;
  exports: boolean;
}

/** What a buyer's energy is told by, as far as edits of it matter. */
type Part = Pick<BoughtPart, 'key' | 'id' | 'fromMs' | 'toMs' | 'imported' | 'exported'>;

/** The edits by hand that what is known of a buyer's energy in a range was computed with. */
export async function editedTimes(db: Database, buyer: Buyer, range: Range): Promise<EditedTime[]> {
  const parts = await partsOf(db, buyer, range);
  const idsOf = (key: Part['key']) => parts.filter((part) => part.key === key).map(({ id }) => deviceOf(id));
  // Raw SQL: an edit is about one series, or about all of its device; which of them count is theirs to say.
  const { rows } = await queryOf(db)<{
    device_id: string;
    user_id: string;
    meter: string | null;
    from_at: Date;
    to_at: Date;
    counts_from: Date | number;
    counts_until: Date | number;
    imports: boolean;
    exports: boolean;
  }>(
    `SELECT e.device_id, d.user_id, s.meter, coalesce(e.counted_from, e.from_at) AS from_at, coalesce(e.counted_to, e.to_at) AS to_at,
       s.counts_from, s.counts_until, bool_or(s.counts_import) AS imports, bool_or(s.counts_export) AS exports
     FROM reading_edits e JOIN devices d USING (device_id)
     JOIN series_roles s ON s.device_id = e.device_id AND (e.channel IS NULL OR (s.channel = e.channel AND s.kind = e.kind))
     WHERE (e.device_id = ANY ($1) OR d.user_id = ANY ($2)) AND e.is_counted AND e.from_at <= $4 AND e.to_at >= $3
       AND (s.counts_import OR s.counts_export)
     GROUP BY e.edit_id, d.user_id, s.meter, s.counts_from, s.counts_until`,
    [idsOf('device_id'), idsOf('user_id'), range.from, range.to],
  );
  return rows.flatMap(({ device_id, user_id, meter, from_at, to_at, counts_from, counts_until, imports, exports }) => {
    const mine = parts.filter(({ id }) => id === user_id || id === device_id || id === `${device_id}/${meter}`);
    return mine.flatMap((part) => {
      const fromMs = Math.max(from_at.getTime(), Number(counts_from), part.fromMs);
      const toMs = Math.min(to_at.getTime(), Number(counts_until) + 1, part.toMs);
      const of = { imports: imports && part.imported !== 0, exports: exports && part.exported !== 0 };
      return fromMs < toMs && (of.imports || of.exports) ? [{ fromMs, toMs, ...of }] : [];
    });
  });
}

/** The device that a key of the load profile is of: of a channel with a place of its own it has that, too. */
const deviceOf = (id: string): string => id.split('/')[0] as string;

async function partsOf(db: Database, { userId, deviceId }: Buyer, range: Range): Promise<Part[]> {
  if (deviceId !== undefined)
    return [{ key: 'device_id', id: deviceId, fromMs: -Infinity, toMs: Infinity, imported: 1, exported: 1 }];
  return boughtParts(await loadHome(db, userId, { isMoreAsked: true, needsConsumption: true }), range);
}

/**
 * Whether energy of `[startMs, endMs)` rests on what was edited. A reading tells of what came before it: one at the end of an hour is
 * about that hour, and about the next.
 */
export const isEdited = (
  { fromMs, toMs }: Pick<EditedTime, 'fromMs' | 'toMs'>,
  startMs: number,
  endMs: number,
): boolean => startMs < toMs && endMs >= fromMs;
