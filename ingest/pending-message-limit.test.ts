import { expect, test } from 'vitest';
import { PendingMessageLimit } from './pending-message-limit.ts';

const MIB = 2 ** 20;

test('pauses only an account that sends more than is written, and resumes it when half of its share is written', () => {
  const resumed: (string | undefined)[] = [];
  const room = new PendingMessageLimit((account) => resumed.push(account));
  const hog = { account: 'usr_hog', bytes: MIB };
  let taken = 1;
  while (room.take(hog, true)) taken++;
  // 49 messages fit: three quarters of 64 MiB, and the message that exceeded this limit.
  expect(taken).toBe(49);
  expect(room.isFull).toBe(false);
  for (let each = 0; each < 10; each++) expect(room.take({ account: 'usr_other', bytes: 100 }, true)).toBe(true);
  room.goOn();
  expect(resumed).toEqual([]);
  for (; taken > 30; taken--) room.give(hog);
  room.goOn();
  expect(resumed).toEqual(['usr_hog']);
});

test('pauses a source that cannot pause one account when the whole room is taken', () => {
  const resumed: (string | undefined)[] = [];
  const room = new PendingMessageLimit((account) => resumed.push(account));
  let taken = 1;
  while (room.take({ account: 'dev_1', bytes: 1 }, false)) taken++;
  expect(Math.round(taken / 100)).toBe(200);
  for (; taken > 9_900; taken--) room.give({ account: 'dev_1', bytes: 1 });
  room.goOn();
  expect([resumed, room.isFull]).toEqual([[undefined], false]);
});
