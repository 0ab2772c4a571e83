/**
 * Position of a follower in a home's usage events: the start (Unix ms) of the time in which the home has been followed without a gap, and
 * the last event sent.
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
 * Whether an event from a query for events after `afterId` is the next event for a follower whose last event is `placeId`. A follower that
 * is behind `afterId` needs earlier events as well, so it waits for a later query. Pure.
 */
export const isNextEvent = (placeId: string, { afterId, eventId }: { afterId: string; eventId: string }): boolean =>
  placeId >= afterId && placeId < eventId;
