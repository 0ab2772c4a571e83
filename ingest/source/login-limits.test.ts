import { expect, test } from 'vitest';
import { LoginLimits } from './login-limits.ts';

const connection = () => {
  const one = {
    ...{ ended: 0, reads: 0 },
    ...{ end: () => void one.ended++, readOn: () => void one.reads++, moveAway: () => {} },
  };
  return one;
};

test('allows a login a number of requests in each minute', () => {
  let nowMs = 0;
  const logins = new LoginLimits(() => nowMs);
  const login = logins.of('gwy_1');
  for (let request = 0; request < 120; request++) expect(logins.request(login)).toBeNull();
  expect(logins.isOver('gwy_1')).toBe(true);
  expect(logins.request(login)).toContain('120 requests');
  expect([logins.isOver('gwy_2'), logins.request(logins.of('gwy_2'))]).toEqual([false, null]);
  nowMs = 60_000;
  expect([logins.isOver('gwy_1'), logins.request(login)]).toEqual([false, null]);
});

test.each([
  ['messages', 100, 4_000],
  ['bytes', 2 ** 20, 8],
])('stops reading a login whose waiting %s reach the limit, until half are committed', (_of, bytes, count) => {
  const logins = new LoginLimits();
  const login = logins.of('dev_1');
  const [one, other] = [connection(), connection()];
  logins.join(login, one);
  logins.join(login, other);
  for (let taken = 0; taken < count; taken++) {
    expect(login.isHeld).toBe(false);
    login.take(bytes);
  }
  expect(login.isHeld).toBe(true);
  for (let released = 0; released < count / 2; released++) login.give(bytes);
  expect([login.isHeld, one.reads]).toEqual([true, 0]);
  login.give(bytes);
  expect([login.isHeld, one.reads, other.reads]).toEqual([false, 1, 1]);
});

test('ends the oldest of twenty connections when another one opens', () => {
  const logins = new LoginLimits();
  const login = logins.of('dev_1');
  const all = Array.from({ length: 21 }, connection);
  expect(all.map((one) => logins.join(login, one))).toEqual([...Array(20).fill(null), all[0]]);
  expect(login.connections.size).toBe(20);
});

test('looks up three logins at a time, in order, and frees the slot after a failure', async () => {
  const logins = new LoginLimits();
  let [now, most] = [0, 0];
  const look = (index: number) =>
    logins.lookUp(async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      if (index % 2 === 0) throw new Error('database unavailable');
      return index;
    });
  const all = await Promise.allSettled(Array.from({ length: 50 }, (_, index) => look(index)));
  expect([most, all.filter(({ status }) => status === 'fulfilled').length]).toEqual([3, 25]);
});

test('evicts ended logins', () => {
  let nowMs = 0;
  const logins = new LoginLimits(() => nowMs);
  const login = logins.of('dev_1');
  logins.request(login);
  logins.sweep();
  expect(logins.of('dev_1')).toBe(login);
  nowMs = 60_000;
  logins.sweep();
  expect(logins.of('dev_1')).not.toBe(login);
});
