/** Where a follower of a home's usage is: since when the home is followed without a gap, Unix ms, and the event that it was told last. */
export interface Place {
  sinceMs: number;
  eventId: string;
}

const FORM = /^([0-9a-z]{1,11})\.(evt_[0-9a-z]{0,26})$/;

/** As it goes over the wire (`id:`, `Last-Event-ID`). Pure. */
export const idOfPlace = ({ sinceMs, eventId }: Place): string => `${sinceMs.toString(36)}.${eventId}`;

/** What a client says; null: none that we made. Pure. */
export function placeOfId(id: string): Place | null {
  const [, since = '', eventId] = FORM.exec(id) ?? [];
  return eventId === undefined ? null : { sinceMs: Number.parseInt(since, 36), eventId };
}
