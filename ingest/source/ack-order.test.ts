import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AckOrder } from './ack-order.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function taking(count: number) {
  const acknowledged: number[] = [];
  const order = new AckOrder((messageId) => acknowledged.push(messageId));
  const take = (messageId: number) => order.register(messageId);
  return { told: acknowledged, taken: Array.from({ length: count }, (_, index) => take(index + 1)) };
}

test('acknowledges messages in order of arrival, whichever is committed first', () => {
  const { told, taken } = taking(6);
  for (const at of [1, 3, 2]) taken[at]?.done();
  expect(told).toEqual([]);
  taken[0]?.done();
  expect(told).toEqual([1, 2, 3, 4]);
  taken[5]?.done();
  taken[4]?.done();
  expect(told).toEqual([1, 2, 3, 4, 5, 6]);
  vi.runAllTimers();
  expect(told).toEqual([1, 2, 3, 4, 5, 6]);
});

test('lets an uncommitted message delay the others for a second while more arrive, and acknowledges it once it is committed', () => {
  const acknowledgedIds: number[] = [];
  const order = new AckOrder((messageId) => acknowledgedIds.push(messageId));
  const take = (messageId: number) => order.register(messageId);
  const [late, second, third] = [take(1), take(2), take(3)];
  second.done();
  third.done();
  for (let turn = 0; turn < 9; turn++) {
    take(10 + turn).done();
    vi.advanceTimersByTime(100);
    expect(acknowledgedIds).toEqual([]);
  }
  vi.advanceTimersByTime(100);
  expect(acknowledgedIds).toEqual([2, 3, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
  late.done();
  expect(acknowledgedIds.at(-1)).toBe(1);
});

test('lets an uncommitted message delay the others for a tenth of a second if no more arrive, because the broker may be waiting', () => {
  const { told, taken } = taking(5);
  for (const at of [1, 2]) taken[at]?.done();
  vi.advanceTimersByTime(99);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(told).toEqual([2, 3]);
  taken[4]?.done();
  vi.advanceTimersByTime(100);
  expect(told).toEqual([2, 3, 5]);
  taken[0]?.done();
  expect(told).toEqual([2, 3, 5, 1]);
  taken[3]?.done();
  expect(told).toEqual([2, 3, 5, 1, 4]);
});

test('a message that is never committed delays no others after the maximum delay', () => {
  const idsInOrder: number[] = [];
  const order = new AckOrder((messageId) => idsInOrder.push(messageId));
  const take = (messageId: number) => order.register(messageId);
  take(1);
  take(2).done();
  vi.advanceTimersByTime(1_000);
  expect(idsInOrder).toEqual([2]);
  for (let messageId = 3; messageId < 1_000; messageId++) take(messageId).done();
  expect(idsInOrder).toHaveLength(998);
});

test('lets an uncommitted message delay at most ten thousand others, and acknowledges each once', () => {
  const { told, taken } = taking(10_001);
  for (const at of taken.keys()) if (at > 0) taken[at]?.done();
  expect(told).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 2));
  taken[0]?.done();
  vi.runAllTimers();
  expect(told).toHaveLength(10_001);
});

test('acknowledges each of thousands of messages once, whatever the order in which they are committed', () => {
  const { told, taken } = taking(5_000);
  const order = taken.map((_, index) => (index * 7_919) % taken.length);
  for (const [turn, at] of order.entries()) {
    taken[at]?.done();
    if (turn % 500 === 0) vi.advanceTimersByTime(1_000);
  }
  vi.runAllTimers();
  expect([...told].sort((a, b) => a - b)).toEqual(taken.map((_, index) => index + 1));
});
