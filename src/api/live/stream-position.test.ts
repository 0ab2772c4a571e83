import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNextStreamEvent } from './stream-position.ts';

test('followers receive each event once and in order, whenever they have room for it', () => {
  const EVENTS = ['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5'];
  // Whether each of two streams has room before a query, and whether it has room afterwards.
  const query = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean(), fc.boolean());
  fc.assert(
    fc.property(fc.array(query), (queries) => {
      const followers = [0, 1].map(() => ({ place: 'evt_', sent: [] as string[] }));
      for (const [first, second, firstAfter, secondAfter] of [...queries, [true, true, true, true] as const]) {
        const [afterId] = followers
          .filter((_, index) => [first, second][index])
          .map(({ place }) => place)
          .sort();
        if (afterId === undefined) continue;
        // The simulated query returns at most two events.
        for (const eventId of EVENTS.filter((id) => id > afterId).slice(0, 2)) {
          for (const [index, follower] of followers.entries()) {
            if (![firstAfter, secondAfter][index] || !isNextStreamEvent(follower.place, { afterId, eventId })) continue;
            follower.place = eventId;
            follower.sent.push(eventId);
          }
        }
      }
      for (const { sent } of followers) expect(sent).toEqual(EVENTS.slice(0, sent.length));
    }),
  );
});
