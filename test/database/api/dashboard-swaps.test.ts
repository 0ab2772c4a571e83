import { beforeAll, expect, test } from 'vitest';
import { createIncomingMessage } from '#ingest/incoming.ts';
import { recomputeChangedDevices } from '#ingest/write/changed-devices.ts';
import { createReadingBatchWriter } from '#ingest/write/writer.ts';
import { createDevice } from '#src/devices/store.ts';
import { getReadingsTopic } from '#src/devices/topics.ts';
import { type Person, setUpDashboardApi } from '#test/support/dashboard-api.ts';

/**
 * Tests of the dashboard's question whether a meter was replaced, which it asks after a register has decreased or jumped. The dashboard
 * asks only about the last weeks, so the tests use the database's clock.
 */
const own = setUpDashboardApi();
const { utility, stranger } = own.people;
const nowMs = Math.floor(Date.now() / 60_000) * 60_000;
beforeAll(() => {
  own.api.now = new Date(nowMs);
});
const minutesAgo = (minutes: number) => new Date(nowMs - minutes * 60_000).toISOString();

interface Meter {
  owner: Person;
  deviceId: string;
  send(readings: readonly (readonly [number, number])[]): Promise<void>;
  asked(): Promise<{ at: string; native_name: string; before: number; after: number }[]>;
  answer(isReplaced: boolean, by?: Person): Promise<number>;
  isAttentive(): Promise<boolean>;
}

async function meter(managedBy: 'owner' | 'utility' = 'owner'): Promise<Meter> {
  const owner = await own.api.user('homeowner', { enrolledBy: utility.userId });
  const { device } = await createDevice(own.api.db, {
    userId: owner.userId,
    type: 'smart_meter',
    location: 'x',
    managedBy,
  });
  const deviceId = device.device_id;
  await own.sql(`UPDATE devices SET swaps_confirmed_at = now() - interval '1 day' WHERE device_id = $1`, [deviceId]);
  const asked = async () => (await own.ask('/v1/swaps', owner)).json;
  return {
    owner,
    deviceId,
    asked,
    async send(readings) {
      const body = readings.map(([minutes, energy_total_kwh]) => ({ ts: minutesAgo(minutes), energy_total_kwh }));
      const payload = Buffer.from(JSON.stringify(body));
      const message = { topic: getReadingsTopic(deviceId), payload, receivedAtMs: nowMs, replayed: false };
      const incoming = [createIncomingMessage(message)].filter((one) => one !== null);
      await createReadingBatchWriter(own.api.database.pool, { now: () => nowMs }).write(incoming);
      await own.api.database.settle(own.api.now);
    },
    async answer(is_replaced, by = owner) {
      const [{ at, native_name }] = await asked();
      const body = { at, native_name, is_replaced, reason: 'x' };
      const { status } = await own.ask(`/v1/devices/${deviceId}/swaps`, by, { method: 'POST', body });
      await own.api.database.settle(own.api.now);
      return status;
    },
    async isAttentive() {
      const { json } = await own.api.send('/v1/devices', { key: owner.key });
      return json[0].attention.includes('swap_guessed');
    },
  };
}

const FELL = [
  [60, 5_046],
  [50, 5_047],
  [40, 4_980],
  [30, 4_980.1],
  [20, 4_980.2],
] as const;
const question = { native_name: 'import energy_total_kwh', at: minutesAgo(40), before: 5_047, after: 4_980 };

test('the owner is asked about a register that fell, and not asked again after confirming a swap', async () => {
  const { send, asked, answer, isAttentive } = await meter();
  await send(FELL.slice(0, 2));
  expect([await asked(), await isAttentive()]).toEqual([[], false]);
  await send(FELL.slice(2));
  expect([await asked(), await isAttentive()]).toEqual([[expect.objectContaining(question)], true]);
  expect(await answer(true)).toBe(200);
  expect([await asked(), await isAttentive()]).toEqual([[], false]);
  // The register jumps again, so the owner is asked about a second replacement.
  await send([
    [15, 90_000],
    [14, 90_000.1],
    [13, 90_000.2],
  ]);
  expect(await asked()).toEqual([expect.objectContaining({ before: 4_980.2, after: 90_000 })]);
});

test('ignored readings are excluded by an edit, up to the first one that continues the earlier value', async () => {
  const { deviceId, owner, send, asked, answer } = await meter();
  await send([...FELL, [10, 5_047.5], [9, 5_047.6], [8, 5_047.7]]);
  expect(await asked()).toEqual(expect.arrayContaining([expect.objectContaining(question)]));
  expect(await answer(false)).toBe(200);
  const { json } = await own.api.send(`/v1/devices/${deviceId}/edits`, { key: owner.key });
  expect(json).toEqual([
    expect.objectContaining({
      action: 'exclude',
      start: minutesAgo(40),
      end: minutesAgo(10),
      reason: 'x',
      status: 'in_force',
    }),
  ]);
  // After the answer, the question disappears at once. It must not return when ingest recomputes the past.
  expect(await asked()).toEqual([]);
  await recomputeChangedDevices(
    own.api.database.pool,
    createReadingBatchWriter(own.api.database.pool, { now: () => nowMs }),
  );
  await own.api.database.settle(own.api.now);
  expect(await asked()).toEqual([]);
  const days = `start=${minutesAgo(24 * 60).slice(0, 10)}&end=${minutesAgo(0).slice(0, 10)}`;
  const { data } = (await own.api.send(`/v1/energy-insights?${days}&group_by=day`, { key: owner.key })).json;
  const used = data.reduce((sum: number, { kwh_used }: { kwh_used: number }) => sum + kwh_used, 0);
  expect(used).toBeCloseTo(1.7, 2);
});

test('only the manager may answer, not the homeowner of a utility’s device; an unknown question is 404', async () => {
  const { deviceId, owner, send, answer } = await meter();
  await send(FELL);
  expect(await answer(true, stranger)).toBe(404);
  expect((await own.ask(`/v1/swaps?user_id=${owner.userId}`, stranger)).status).toBe(404);
  const body = { at: minutesAgo(41), native_name: question.native_name, is_replaced: true, reason: 'x' };
  const path = `/v1/devices/${deviceId}/swaps`;
  expect((await own.ask(path, owner, { method: 'POST', body })).status).toBe(404);
  expect(await answer(true, utility)).toBe(200);
  const managed = await meter('utility');
  await managed.send(FELL);
  expect(await managed.asked()).toEqual([]);
  const its = { ...body, at: minutesAgo(40) };
  expect(
    (await own.ask(`/v1/devices/${managed.deviceId}/swaps`, managed.owner, { method: 'POST', body: its })).status,
  ).toBe(403);
  expect((await own.ask(`/v1/swaps?user_id=${managed.owner.userId}`, utility)).json).toHaveLength(1);
});
