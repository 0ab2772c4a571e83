import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startLoop } from '#src/core/loop.ts';
import { leaseDueDeliveries } from '#src/delivery/take.ts';
import { createTestDeliveries, type TestDeliveries } from '#test/support/deliveries.ts';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/receiver.ts';

/** Interval, in ms, at which the worker polls for due deliveries. */
const LOOK_MS = 200;

let receiver: WebhookReceiver;
let deliveries: TestDeliveries;

beforeEach(async () => {
  receiver = await startWebhookReceiver();
  deliveries = await createTestDeliveries({ ca: receiver.ca });
});
afterEach(async () => {
  await deliveries.close();
  await receiver.close();
});

/** Creates an owner with this number of subscriptions. Each subscription has a different URL path. */
async function owner(name: string, subscriptions: number, url = receiver.url): Promise<string> {
  const userId = await deliveries.user(`${name}@example.com`);
  for (let index = 0; index < subscriptions; index++) await deliveries.subscribe(userId, `${url}/${name}/${index}`);
  return userId;
}

async function happen(userId: string, times: number): Promise<void> {
  for (let index = 0; index < times; index++) await deliveries.happen(userId);
}

/** Takes due deliveries as a worker does. Returns how many deliveries of each owner were taken. */
async function take(limit = 512): Promise<Record<string, number>> {
  const taken = await leaseDueDeliveries(deliveries.database.pool, limit, deliveries.now);
  const byOwner = Map.groupBy(taken, ({ event }) => event.userId);
  return Object.fromEntries([...byOwner].map(([userId, sendings]) => [userId, sendings.length]));
}

test('the attempts that run concurrently are at most 64 per owner, 8 per subscription and 128 per host', async () => {
  const anna = await owner('anna', 20);
  await happen(anna, 10);
  expect(await take()).toEqual({ [anna]: 64 });
  expect(await take()).toEqual({});
  const ben = await owner('ben', 20);
  const carl = await owner('carl', 20, receiver.url.replace('localhost:', 'LOCALHOST:1'));
  await happen(ben, 10);
  await happen(carl, 10);
  // Each of the two owners gets half of the host's maximum number of attempts. URLs that differ in the port or in upper case have the same
  // host.
  expect(await take()).toEqual({ [ben]: 32, [carl]: 32 });
  const dora = await owner('dora', 1, 'https://elsewhere.example/hook');
  await happen(dora, 10);
  expect(await take()).toEqual({ [dora]: 8 });
  // When the reservations of a killed worker have expired, its attempts no longer count towards the maximum.
  deliveries.later(15);
  expect(Object.values(await take()).reduce((sum, count) => sum + count, 0)).toBe(136);
});

test('with room for few attempts, owners take turns, and so do an owner’s subscriptions', async () => {
  const anna = await owner('anna', 10);
  const ben = await owner('ben', 1);
  await happen(anna, 10);
  await happen(ben, 10);
  expect(await take(8)).toEqual({ [anna]: 4, [ben]: 4 });
  const { rows } = await deliveries.database.pool.query(
    'SELECT max(tries)::int AS most FROM (SELECT count(*) AS tries FROM deliveries WHERE leased_until IS NOT NULL AND event_id IN (SELECT event_id FROM events WHERE user_id = $1) GROUP BY target) t',
    [anna],
  );
  expect(rows[0].most).toBe(1);
  // The owner with the fewest running attempts comes first, so each of the two owners gets one delivery.
  expect(await take(2)).toEqual({ [anna]: 1, [ben]: 1 });
});

test('an event does not wait for other owners’ receivers: a hundred hanging ones cause no delay', async () => {
  const neighbour = await owner('neighbour', 1);
  const hog = await owner('hog', 100);
  receiver.answer = ({ path }) => (path.includes('/hog/') ? null : { status: 200 });
  const hogCalls = () => receiver.calls.filter(({ path }) => path.includes('/hog/')).length;
  const dispatcher = deliveries.another(() => loop.kick());
  const loop = startLoop('deliveries', () => dispatcher.pass(), LOOK_MS, pino({ level: 'silent' }));
  /** Returns the median time, in ms, from an event of the owner `neighbour` to its delivery. */
  const delayMs = async () => {
    const delays: number[] = [];
    for (let round = 0; round < 9; round++) {
      const [from, before] = [performance.now(), receiver.calls.length];
      await deliveries.happen(neighbour);
      const isThere = () => receiver.calls.slice(before).some(({ path }) => path.includes('/neighbour/'));
      while (!isThere() && performance.now() - from < 20_000) await new Promise((done) => setTimeout(done, 5));
      delays.push(performance.now() - from);
    }
    return delays.toSorted((a, b) => a - b)[4] as number;
  };
  try {
    const aloneMs = await delayMs();
    await happen(hog, 8);
    while (hogCalls() < 64) await new Promise((done) => setTimeout(done, 5));
    // This measurement must end before the first hanging attempt times out, which takes 5 s.
    const besideMs = await delayMs();
    expect(besideMs).toBeLessThan(Math.max(1_000, 2 * aloneMs));
    expect(dispatcher.underWay()).toBeLessThanOrEqual(64 + 8);
  } finally {
    await loop.stop();
    // Closing the receiver ends the hanging attempts.
    await receiver.close();
    await dispatcher.settle();
  }
});
