import { Readable } from 'node:stream';
import type { ApiContext } from '#src/api/context.ts';
import { resolveRequestedDays } from '#src/api/fields.ts';
import { awaitFirstPage, limitConcurrentPages } from '#src/api/long-responses.ts';
import { MEDIA_TYPES } from '#src/api/tables/accept.ts';
import { createUnprocessableError } from '#src/core/errors.ts';
import type { HomeOrDevice } from '#src/cost/bought-energy.ts';
import type { GroupBy } from '#src/energy/insights.ts';
import { createDayRange } from '#src/energy/ranges.ts';
import { type GreenButtonStatement, streamGreenButtonXml } from '#src/export/green-button/feed.ts';
import { type GreenButtonUnit, loadGreenButtonData } from '#src/export/green-button/intervals.ts';

/** A request for a Green Button feed. */
interface AskedFeed {
  callerId: string;
  buyer: HomeOrDevice;
  wanted: ReturnType<typeof resolveRequestedDays>;
  zone: string;
  /** The bill statement of a bill period, if the feed contains one. */
  told?: GreenButtonStatement;
}

/** Returns the days that a feed must contain, and the period that one row covers (default: an hour). Null if the request names no days. */
export const resolveGreenButtonFeedDays = (
  start: string | undefined,
  end: string | undefined,
  groupBy: GroupBy | undefined,
) => resolveRequestedDays(start, end, start === undefined && end === undefined ? undefined : (groupBy ?? 'hour'));

/** Streams a Green Button feed for a range of days. Throws 422 unless its rows are hours or quarter-hours. */
export async function streamGreenButtonFeed(
  { readDb, clock }: ApiContext,
  reply: { type(name: string): unknown; header(name: string, value: string): unknown },
  { callerId, buyer, wanted, zone, told }: AskedFeed,
): Promise<Readable> {
  const message = `must be hour or quarter_hour in a Green Button feed (Accept: ${MEDIA_TYPES.greenButton})`;
  if (!wanted)
    throw createUnprocessableError({ field: 'start', message: 'is required for a Green Button feed, with end' });
  if (wanted.groupBy !== 'hour' && wanted.groupBy !== 'quarter_hour')
    throw createUnprocessableError({ field: 'group_by', message });
  const unit: GreenButtonUnit = wanted.groupBy;
  const range = createDayRange(wanted.start, wanted.end, zone);
  const now = clock();
  const about = buyer.deviceId ?? buyer.userId;
  async function* pieces() {
    const data = await loadGreenButtonData(readDb, { buyer, range, now, unit });
    yield* streamGreenButtonXml({ about, range, now, data, statement: told });
  }
  const begunFeed = await awaitFirstPage(limitConcurrentPages(callerId, pieces()));
  reply.type(`${MEDIA_TYPES.greenButton}; charset=utf-8`);
  reply.header('Content-Disposition', `attachment; filename="green-button-${wanted.start}-${wanted.end}.xml"`);
  return Readable.from(begunFeed, { objectMode: false });
}
