import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAckTagTracker } from './shard.ts';

/**
 * A simulated broker. As in AMQP, the acknowledgement of a tag also covers all earlier tags. It is an error if all of them are already
 * acknowledged.
 */
function broker(count: number) {
  const waiting = new Set(Array.from({ length: count }, (_, index) => index + 1));
  return {
    waiting,
    refuse: (tag: number) => waiting.delete(tag),
    acknowledge(upTo: number) {
      const taken = [...waiting].filter((tag) => tag <= upTo);
      expect(taken).not.toEqual([]);
      for (const tag of taken) waiting.delete(tag);
      return taken;
    },
  };
}

test('acknowledges only committed messages, in any order, and all of them in the end', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ place: fc.nat(), isRefused: fc.boolean() }), { maxLength: 60 }), (messages) => {
      const { waiting, refuse, acknowledge } = broker(messages.length);
      const frontier = createAckTagTracker();
      const settled = new Set<number>();
      const order = messages
        .map((message, index) => ({ ...message, tag: index + 1 }))
        .sort((a, b) => a.place - b.place || a.tag - b.tag);
      for (const { tag, isRefused } of order) {
        settled.add(tag);
        if (isRefused) refuse(tag);
        const upTo = isRefused ? frontier.refused(tag) : frontier.done(tag);
        if (upTo === null) continue;
        for (const taken of acknowledge(upTo)) expect(settled).toContain(taken);
        // A tag must be acknowledged as soon as it and all earlier tags are settled.
        expect(waiting).not.toContain(upTo + 1 <= messages.length && settled.has(upTo + 1) ? upTo + 1 : 0);
      }
      expect([...waiting]).toEqual([]);
    }),
  );
});

test('does not acknowledge messages after one that is not committed yet', () => {
  const frontier = createAckTagTracker();
  expect(frontier.done(2)).toBeNull();
  expect(frontier.refused(3)).toBeNull();
  expect(frontier.done(1)).toBe(2);
  expect(frontier.done(4)).toBe(4);
});
