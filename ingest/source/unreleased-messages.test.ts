import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS } from '#src/core/units.ts';
import { getSessionId, UnreleasedMessages } from './unreleased-messages.ts';

const MAX_BYTES_PER_LOGIN = 128 * 1_024;
const never = () => {
  throw new Error('a message that is new');
};

test('limits a login’s bytes, however many client ids and messages it has', () => {
  const step = fc.record({
    login: fc.constantFrom('gwy_a', 'gwy_b'),
    client: fc.oneof(fc.constantFrom('one', 'two'), fc.string({ minLength: 1, maxLength: 256 })),
    first: fc.integer({ min: 1, max: 60_000 }),
    count: fc.integer({ min: 1, max: 1_000 }),
    isOver: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const unreleased = new UnreleasedMessages();
      for (const { login, client, first, count, isOver } of steps) {
        const id = getSessionId(login, client);
        try {
          for (let at = first; at < first + count; at++) unreleased.isRepeated(id, at, login, () => {});
        } catch (error) {
          expect(String(error)).toContain('not released');
        }
        expect(unreleased.bytesOf(login)).toBeLessThanOrEqual(MAX_BYTES_PER_LOGIN);
        if (isOver) unreleased.drop(id);
      }
      expect(unreleased.isRepeated(getSessionId('dev_c', 'x'), 1, 'dev_c', never)).toBe(false);
    }),
    { numRuns: 50 },
  );
});

test('releases all bytes after messages are released and sessions end or expire', () => {
  let nowMs = 0;
  const unreleased = new UnreleasedMessages(() => nowMs);
  const sessions = ['a', 'b', 'c'].map((client) => getSessionId('dev_1', client)) as [string, string, string];
  for (const id of sessions) for (let at = 1; at <= 20; at++) unreleased.isRepeated(id, at, 'usr_1', never);
  for (let at = 1; at <= 20; at++) expect(unreleased.release(sessions[0], at)).toBe(true);
  expect(unreleased.release(sessions[0], 1)).toBe(false);
  unreleased.drop(sessions[1]);
  expect(unreleased.has(sessions[2], 20)).toBe(true);
  nowMs = 25 * HOUR_MS;
  unreleased.expire();
  expect([unreleased.has(sessions[2], 20), unreleased.bytesOf('dev_1')]).toEqual([false, 0]);
});

test('recognises a repeated message, and acknowledges it when the first one is committed', () => {
  const unreleased = new UnreleasedMessages();
  const id = getSessionId('dev_1', 'x');
  const answered: string[] = [];
  expect(unreleased.isRepeated(id, 7, 'usr_1', never)).toBe(false);
  expect(unreleased.isRepeated(id, 7, 'usr_1', () => answered.push('meanwhile'))).toBe(true);
  expect(answered).toEqual([]);
  unreleased.commit(id, 7);
  expect(unreleased.isRepeated(id, 7, 'usr_1', () => answered.push('after it'))).toBe(true);
  expect(answered).toEqual(['meanwhile', 'after it']);
  unreleased.release(id, 7);
  expect(unreleased.isRepeated(id, 7, 'usr_1', never)).toBe(false);
});

test('leaves room to other accounts, however many logins an account has', () => {
  const unreleased = new UnreleasedMessages();
  let [logins, isFull] = [0, false];
  for (; !isFull && logins < 1_000; logins++) {
    try {
      for (let at = 1; at <= 2_500; at++)
        unreleased.isRepeated(getSessionId(`dev_${logins}`, 'x'), at, 'usr_hog', () => {});
    } catch {
      isFull = true;
    }
  }
  expect(isFull).toBe(true);
  for (let at = 1; at <= 2_500; at++)
    expect(unreleased.isRepeated(getSessionId('dev_other', 'x'), at, 'usr_other', never)).toBe(false);
});

test('rejects a waiting repeated message when its session is dropped', () => {
  const unreleased = new UnreleasedMessages();
  const id = getSessionId('gwy_1', 'x');
  const answers: unknown[] = [];
  unreleased.isRepeated(id, 7, 'usr_1', never);
  unreleased.isRepeated(id, 7, 'usr_1', (error) => answers.push(error));
  // Another client of the login uses all of its memory, so the oldest session loses its messages.
  for (let at = 1; unreleased.has(id, 7); at++) unreleased.isRepeated(getSessionId('gwy_1', 'y'), at, 'usr_1', never);
  unreleased.commit(id, 7);
  expect(answers).toEqual([expect.any(Error)]);
});
