/** Position of a follower in a home's usage: the start (Unix ms) of the time in which the home was followed without a gap, and the last event sent. */
export interface StreamPosition {
  sinceMs: number;
  eventId: string;
}

const FORM = /^([0-9a-z]{1,11})\.(evt_[0-9a-z]{0,26})$/;

/** Formats a position for `id:` and `Last-Event-ID`. Pure. */
export const formatStreamPosition = ({ sinceMs, eventId }: StreamPosition): string =>
  `${sinceMs.toString(36)}.${eventId}`;

/** Parses a `Last-Event-ID`. Null if it does not have the form of `formatStreamPosition`. Pure. */
export function parseStreamPosition(id: string): StreamPosition | null {
  const [, since = '', eventId] = FORM.exec(id) ?? [];
  return eventId === undefined ? null : { sinceMs: Number.parseInt(since, 36), eventId };
}

/**
 * Whether an event of a query that began after the event `afterId` is the next one for a follower at the event
 * `placeId`. Pure. If the follower is behind `afterId`, events in between are missing in the result, so the follower
 * waits for a later query.
 */
export const isNextEvent = (placeId: string, { afterId, eventId }: { afterId: string; eventId: string }): boolean =>
  placeId >= afterId && placeId < eventId;
