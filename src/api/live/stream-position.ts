/**
 * Position of a stream in a home's usage events: the time (Unix ms) since which usage events of the home are recorded without a gap, and
 * the last event that was sent.
 */
export interface StreamPosition {
  sinceMs: number;
  eventId: string;
}

const FORM = /^([0-9a-z]{1,11})\.(evt_[0-9a-z]{0,26})$/;

/** Formats a position for the field `id:` of an event and the header `Last-Event-ID`. Pure. */
export const formatStreamPosition = ({ sinceMs, eventId }: StreamPosition): string =>
  `${sinceMs.toString(36)}.${eventId}`;

/** Parses the position in a `Last-Event-ID`. Null if the text was not created by `formatStreamPosition`. Pure. */
export function parseStreamPosition(id: string): StreamPosition | null {
  const [, since = '', eventId] = FORM.exec(id) ?? [];
  return eventId === undefined ? null : { sinceMs: Number.parseInt(since, 36), eventId };
}

/**
 * Whether an event is the next event for a stream whose last event is `placeId`. The event comes from a query for events after `afterId`.
 * If the stream's last event is earlier than `afterId`, the stream lacks earlier events and waits for a later query. Pure.
 */
export const isNextStreamEvent = (
  placeId: string,
  { afterId, eventId }: { afterId: string; eventId: string },
): boolean => placeId >= afterId && placeId < eventId;
