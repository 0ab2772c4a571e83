import { describe, expect, test } from 'vitest';
import { findDueExpiryNotice } from './expiring-keys.ts';

const END = new Date('2026-12-31T12:00:00Z');
const daysBefore = (days: number) => new Date(END.getTime() - days * 86_400_000);
const key = { expires_at: END, set_at: daysBefore(90), told_end: null, told_days: null };

describe('the owner of a key', () => {
  test('is notified seven days and one day before it expires', () => {
    const due = (days: number) => findDueExpiryNotice(key, daysBefore(days));
    expect([30, 7.01, 7, 3, 1.01, 1, 0.01, 0, -1].map(due)).toEqual([null, null, 7, 7, 7, 1, 1, null, null]);
  });

  test('is notified once at each of these times', () => {
    const notifiedKey = { ...key, told_end: END, told_days: 7 };
    expect([6, 2, 1].map((days) => findDueExpiryNotice(notifiedKey, daysBefore(days)))).toEqual([null, null, 1]);
    expect(findDueExpiryNotice({ ...notifiedKey, told_days: 1 }, daysBefore(0.5))).toBe(null);
    // The clock of this worker is behind that of the worker that sent the last notice.
    expect(findDueExpiryNotice({ ...notifiedKey, told_days: 1 }, daysBefore(1.01))).toBe(null);
  });

  test('is notified again if the expiry was moved, and not about the former expiry', () => {
    const moved = { ...key, told_end: daysBefore(30), told_days: 1 };
    expect([8, 7, 1].map((days) => findDueExpiryNotice(moved, daysBefore(days)))).toEqual([null, 7, 1]);
  });

  test('gets no notice within a day after the expiry was set', () => {
    const keySetBefore = (days: number) => ({ ...key, set_at: daysBefore(days) });
    const notices = (lives: number) =>
      [7, 1].map((days) => findDueExpiryNotice(keySetBefore(lives), daysBefore(Math.min(days, lives))));
    expect(notices(1)).toEqual([null, null]);
    expect(notices(1.9)).toEqual([null, null]);
    expect(notices(2)).toEqual([null, 1]);
    expect(notices(7.5)).toEqual([null, 1]);
    expect(notices(8)).toEqual([7, 1]);
  });
});
