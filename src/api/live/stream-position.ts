/**
 * Position of a stream in a home's usage events. From `sinceMs` (Unix ms) on, the stream has sent all usage events of the home up to
 * `eventId`, its last event.
 */
export interface StreamPosition {
  sinceMs: number;
  eventId: string;
}

const FORM = /^([0-9a-z]{1,11})\.(evt_[0-9a-z]{0,26})$/;

/** Formats a position for the field `id:` of an event and the header `Last-Event-ID`. */
export const formatStreamPosition = ({ sinceMs, eventId }: StreamPosition): string =>
  `${sinceMs.toString(36)}.${eventId}`;

/** Parses the position in a `Last-Event-ID`; null if the text is invalid. */
export function parseStreamPosition(id: string): StreamPosition | null {
  const [, since = '', eventId] = FORM.exec(id) ?? [];
  return eventId === undefined ? null : { sinceMs: Number.parseInt(since, 36), eventId };
}

/**
 * Whether an event is the next one for a stream. `placeId`: last event that the stream has sent. `afterId`: event after which the query
 * began. If `placeId` is older than `afterId`, the query may have skipped events, so the stream waits for a later query.
 */
export const isNextStreamEvent = (
  placeId: string,
  { afterId, eventId }: { afterId: string; eventId: string },
): boolean => placeId >= afterId && placeId < eventId;
