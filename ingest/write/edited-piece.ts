import { concerns, openFromMs, openToMs } from '#ingest/normalise/edits.ts';
import type { PoolClient } from '#src/database/connect.ts';
import type { Edit } from '#src/devices/edits/edit.ts';
import type { StandingSeries } from './standing.ts';

/**
 * About so many readings of a device are replayed in one transaction to work its edits in: what one does (loading, planning, writing)
 * takes a second or two, in which the device's own readings wait, and tens of MB.
 */
const MAX_READINGS = 100_000;
/** So many of each series at least, however many there are: a piece is looked at with some around it. */
const LEAST_OF_SERIES = 500;

/**
 * Up to where the edits of a device that are open are worked in at once (Unix ms, exclusive): from the first that is still open on, past no
 * more readings of any of the series that they are about than one piece has. Infinity: to their ends.
 */
export async function endOfPiece(
  client: PoolClient,
  edits: readonly Edit[],
  series: readonly StandingSeries[],
  maxReadings = MAX_READINGS,
): Promise<number> {
  const open = edits.filter((edit) => openFromMs(edit) !== null);
  const about = series.flatMap(({ seriesId, channel, kind }) =>
    seriesId !== null && open.some((edit) => concerns(edit, channel, kind)) ? seriesId : [],
  );
  if (about.length === 0) return Number.POSITIVE_INFINITY;
  const fromMs = Math.min(...open.map((edit) => openFromMs(edit) as number));
  const toMs = Math.max(...open.map(openToMs));
  const ofEach = Math.max(Math.min(LEAST_OF_SERIES, maxReadings), Math.floor(maxReadings / about.length));
  // Raw SQL: as all of ingest: it has no typed queries.
  const { rows } = await client.query<{ ends_at: Date | null }>(
    `SELECT min(r.read_at) AS ends_at FROM unnest($1::bigint[]) s (series_id) CROSS JOIN LATERAL (
       SELECT read_at FROM readings WHERE series_id = s.series_id AND read_at >= $2 AND read_at < $3
       ORDER BY read_at OFFSET $4 LIMIT 1) r`,
    [about, new Date(fromMs), new Date(toMs), ofEach],
  );
  const endsAt = rows[0]?.ends_at;
  // Many intervals may end at one instant: it goes on by a ms at least.
  return endsAt ? Math.max(endsAt.getTime(), fromMs + 1) : Number.POSITIVE_INFINITY;
}
