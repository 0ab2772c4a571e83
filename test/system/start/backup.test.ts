import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPool } from '#src/database/connect.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { temporaryFolder } from '#test/support/service.ts';
import { startFleet } from '../../../bench/chaos/fleet.ts';
import { type Installation, startChaosInstallation } from '../../../bench/chaos/installation.ts';

let installation: Installation;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  [installation, folder] = await Promise.all([startChaosInstallation({ broker: 'embedded' }), temporaryFolder()]);
});
afterAll(async () => {
  await installation.remove();
  await folder.remove();
});

test('a copy of a stopped service’s data directory, made as documented, is the same service elsewhere', async () => {
  const players = await installation.players(3);
  const fleet = await startFleet(installation.brokerUrl, players, 300);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await fleet.finish();
  const question = `SELECT (SELECT count(*) FROM readings)::int AS readings, (SELECT sum(energy_milliwatt_hours) FROM user_hourly)::bigint AS "milliwattHours",
    (SELECT count(*) FROM api_keys)::int AS keys, (SELECT array_agg(device_id ORDER BY 1) FROM devices) AS devices`;
  const { rows: before } = await installation.pool.query(question);
  expect(before[0].readings).toBe(fleet.acknowledged);
  await installation.stop();
  const restored = join(folder.path, 'restored');
  await cp(join(installation.folder, 'data'), restored, { recursive: true, preserveTimestamps: true });
  const server = await startEmbeddedPostgres({ dataDir: restored, sharedBuffersMb: 128 });
  const pool = createPool(server.url, { max: 1 });
  const { rows: after } = await pool.query(question);
  expect(after).toEqual(before);
  await pool.end();
  await server.stop();
});
