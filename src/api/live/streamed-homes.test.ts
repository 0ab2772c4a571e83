import { expect, test } from 'vitest';
import type { Caller } from '#src/auth/authenticate.ts';
import { createServerSentEventWriter } from './server-sent-events.ts';
import { StreamedHomes } from './streamed-homes.ts';

const now = new Date('2026-06-15T12:00:00Z');
const caller: Caller = {
  by: 'key',
  keyId: 'key_1',
  accountId: 'usr_1',
  userId: 'usr_1',
  role: 'homeowner',
  scopes: new Set(),
  groupId: null,
};
const follower = (deviceId?: string, place: string | null = null) => ({
  ...{ caller, userId: 'usr_1', deviceId, lastEventId: undefined, owner: { userId: 'usr_1', share: 1 } as never },
  ...{ outlet: createServerSentEventWriter(), place: place === null ? null : { sinceMs: 0, eventId: place } },
});
const seen = (deviceId: string, seenAtMicros: number) => ({ userId: 'usr_1', deviceId, seenAtMicros });
const reading = (deviceId: string, watts: number) => ({
  ...{ device_id: deviceId, user_id: 'usr_1', seen_at: now.toISOString() },
  ...{ power_w: watts, power_at: null, channels: [] },
});
const sentTo = ({ outlet }: { outlet: { stream: { read(): Buffer | null } } }) =>
  [...String(outlet.stream.read() ?? '').matchAll(/^(?:event|data): (.*)$/gm)].map(([, text]) => text);
const powersTo = (one: Parameters<typeof sentTo>[0]) =>
  sentTo(one).flatMap((text) => (text?.startsWith('{') ? [JSON.parse(text).power_w] : []));

test('a reading is published once, to the followers of its home and to those of its device', () => {
  const homes = new StreamedHomes();
  const [whole, same, other] = [follower(), follower('dev_1'), follower('dev_2')];
  expect([whole, same, other].map((one) => homes.add(one, now))).toEqual([true, false, false]);
  expect(homes.news([seen('dev_1', 5)])).toEqual([seen('dev_1', 5)]);
  homes.takeReading(seen('dev_1', 5), reading('dev_1', 7));
  homes.takeReading(seen('dev_1', 4), reading('dev_1', 9));
  expect(homes.news([seen('dev_1', 5)])).toEqual([]);
  expect([whole, same, other].map(powersTo)).toEqual([[7], [7], []]);
});

test('a later follower receives the latest readings, but none of an evicted device', () => {
  const homes = new StreamedHomes();
  homes.add(follower(), now);
  for (const id of ['dev_1', 'dev_2']) homes.takeReading(seen(id, 5), reading(id, 7));
  homes.evictOthers(['usr_1'], new Set(['dev_2']));
  const later = follower();
  expect(homes.add(later, now)).toBe(false);
  expect(sentTo(later).join()).toContain('dev_2');
  expect(sentTo(later).join()).not.toContain('dev_1');
});

test('beyond a home’s maximum number of devices, only devices that are followed individually are published', () => {
  const homes = new StreamedHomes();
  homes.add(follower('dev_600'), now);
  const all = Array.from({ length: 600 }, (_, index) => seen(`dev_${index + 1}`, 1));
  const news = homes.news(all).map(({ deviceId }) => deviceId);
  expect(news).toEqual([...all.slice(0, 500).map(({ deviceId }) => deviceId), 'dev_600']);
});

test('an event of changed hours reaches followers in order, and each only once', () => {
  const homes = new StreamedHomes();
  const [early, late] = [follower(undefined, 'evt_1'), follower(undefined, 'evt_2')];
  homes.add(early, now);
  homes.add(late, now);
  expect(homes.usagePlaces()).toEqual([['usr_1', 'evt_1']]);
  homes.takeUsage('usr_1', { afterId: 'evt_1', eventId: 'evt_2' }, {});
  homes.takeUsage('usr_1', { afterId: 'evt_1', eventId: 'evt_3' }, {});
  expect([early.place, late.place].map((place) => place?.eventId)).toEqual(['evt_3', 'evt_3']);
  expect([early, late].map((one) => sentTo(one).filter((text) => text === 'usage').length)).toEqual([2, 1]);
});

test('devices and roles of a home become stale after five seconds', () => {
  const homes = new StreamedHomes();
  homes.add(follower(), now);
  expect(homes.withStaleParts(['usr_1'], 0)).toEqual(['usr_1']);
  homes.takeParts('usr_1', { devices: [], stretches: [] }, 0);
  expect(homes.withStaleParts(['usr_1'], 4_999)).toEqual([]);
  expect(homes.withStaleParts(['usr_1'], 5_000)).toEqual(['usr_1']);
});

test('a home is evicted when its last stream closes', async () => {
  const homes = new StreamedHomes();
  const [one, other] = [follower(), follower('dev_1')];
  homes.add(one, now);
  homes.add(other, now);
  for (const { outlet } of [one, other]) {
    expect(homes.isEmpty).toBe(false);
    outlet.stream.destroy();
    await new Promise((resolve) => outlet.stream.once('close', resolve));
  }
  expect(homes.isEmpty).toBe(true);
  expect(homes.followers).toEqual([]);
});
