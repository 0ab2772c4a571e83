import { afterAll, expect, test } from 'vitest';
import { createDeployment, waitUntilPrinted } from '#test/support/images/deployment.ts';
import {
  connectDeploymentClient,
  isUnencryptedMqttRefused,
  PUBLISHED_DAY_KWH,
} from '#test/support/images/deployment-client.ts';
import { isPodmanSuccessful, runPodman } from '#test/support/images/podman.ts';

/**
 * These tests run deploy/compose.yaml with podman-compose. Debian has no community edition of TimescaleDB, so an image with Debian's
 * PostgreSQL and the Apache edition has the name of the official image.
 */
const ROLES = ['ingest', 'api', 'worker'];
const KEY = `eus_live_${'k'.repeat(48)}`;
/** Maximum time until the roles are ready. It is long, because the roles wait for the database. */
const START_MS = 240_000;

let deployment: ReturnType<typeof createDeployment> | undefined;
afterAll(() => deployment?.remove());

test('the roles and their database start from nothing, count, and still have their data after `down` and `up`', async () => {
  console.log(
    'NOT RUN: the community edition of TimescaleDB, which deploy/compose.yaml names. Debian’s Apache edition stands in for it.',
  );
  const machine = createDeployment();
  deployment = machine;
  const { address } = machine;
  const env = {
    POSTGRES_PASSWORD: 'p'.repeat(24),
    SECRET_KEY: 'k'.repeat(64),
    BOOTSTRAP_ADMIN_KEY: KEY,
    PUBLIC_URL: `https://${address}:8443`,
    PUBLIC_MQTT_HOST: address,
  };
  // Completes the copied example file, as an operator would.
  const fill = Object.entries(env).map(([name, value]) => `-e 's|^${name}=.*|${name}=${value}|'`);
  machine.type(`sed ${fill.join(' ')} .env.example > .env`, 'deploy');
  const up = async () => {
    machine.type('podman-compose up -d --build', 'deploy');
    const seconds = await Promise.all(
      ROLES.map((role) => waitUntilPrinted(`deploy_${role}_1`, /"msg":"ready"/, START_MS)),
    );
    console.log(`ready: ${ROLES.map((role, i) => `${role} ${seconds[i]?.toFixed(1)} s`).join(', ')}`);
    await expect
      .poll(() => isPodmanSuccessful('healthcheck', 'run', 'deploy_database_1'), { interval: 1_000 })
      .toBe(true);
  };
  await up();
  const visitor = await connectDeploymentClient({ address, name: address, key: KEY });
  const day = await visitor.publishOneDay();
  await expect.poll(() => day()).toEqual([PUBLISHED_DAY_KWH]);
  expect(await isUnencryptedMqttRefused(address)).toBe(true);

  machine.type('podman-compose down', 'deploy');
  expect(runPodman('ps', '--all', '--quiet')).toBe('');
  await up();
  // A client that connected before the restart still trusts the certificate.
  expect(await day()).toEqual([PUBLISHED_DAY_KWH]);
}, 900_000);
