import { concerns, openFromMs, openToMs } from '#ingest/normalise/edits.ts';
import { counts } from '#ingest/normalise/roles-by-time.ts';
import { computedOtherwise } from '#ingest/normalise/settings.ts';
import type { PoolClient } from '#src/database/connect.ts';
import { timeBound } from './load-stretches.ts';
import type { StandingDevice, StandingSeries } from './standing.ts';
import { rolesOpen } from './target-roles.ts';

/**
 * About so many readings of a device are replayed in one transaction to work its edits, settings and roles in: what one does (loading,
 * planning, writing) takes a second or two, in which the device's own readings wait, and tens of MB.
 */
const MAX_READINGS = 100_000;
/** So many of each series at least, however many there are: a piece is looked at with some around it. */
const LEAST_OF_SERIES = 500;

/**
 * Up to where what is open of a device (edits, and a past that was computed with other settings, or roles) is worked in at once (Unix ms, exclusive):
 * from the first that is still open on, past no more readings of any of the series that it is about than one piece has. Infinity: to its end.
 */
export async function endOfPiece(
  client: PoolClient,
  device: Pick<StandingDevice, 'settings' | 'computedWith' | 'words' | 'edits'>,
  series: readonly StandingSeries[],
  maxReadings = MAX_READINGS,
): Promise<number> {
  const { settings, computedWith, edits = [] } = device;
  const otherwise = computedWith && computedOtherwise(computedWith, settings);
  const open = edits.filter((edit) => openFromMs(edit) !== null);
  const roles = rolesOpen(device, series);
  const about = series.flatMap((one) => {
    const { seriesId, channel, kind } = one;
    const isJudged = roles.has(one) || (otherwise !== null && counts(one));
    return seriesId !== null && (isJudged || open.some((edit) => concerns(edit, channel, kind))) ? seriesId : [];
  });
  if (about.length === 0) return Number.POSITIVE_INFINITY;
  const times = [...roles.values(), ...(otherwise ? [otherwise] : [])];
  const fromMs = Math.min(...open.map((edit) => openFromMs(edit) as number), ...times.map((one) => one.fromMs));
  const toMs = Math.max(...open.map(openToMs), ...times.map((one) => one.toMs));
  const ofEach = Math.max(Math.min(LEAST_OF_SERIES, maxReadings), Math.floor(maxReadings / about.length));
  // Raw SQL: as all of ingest: it has no typed queries.
  const { rows } = await client.query<{ ends_at: Date | null }>(
    `SELECT min(r.read_at) AS ends_at FROM unnest($1::bigint[]) s (series_id) CROSS JOIN LATERAL (
       SELECT read_at FROM readings WHERE series_id = s.series_id AND read_at >= $2 AND read_at < $3
       ORDER BY read_at OFFSET $4 LIMIT 1) r`,
    [about, timeBound(fromMs), timeBound(toMs), ofEach],
  );
  const endsAt = rows[0]?.ends_at;
  // Many intervals may end at one instant: it goes on by a ms at least.
  return endsAt ? Math.max(endsAt.getTime(), fromMs + 1) : Number.POSITIVE_INFINITY;
}
