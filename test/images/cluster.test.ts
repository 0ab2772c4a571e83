import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createDeployment, getContainerOutput, waitUntilPrinted } from '#test/support/images/deployment.ts';
import { connectDeploymentClient, PUBLISHED_DAY_KWH } from '#test/support/images/deployment-client.ts';
import { isPodmanSuccessful, runPodman } from '#test/support/images/podman.ts';

/**
 * These tests run deploy/cluster/compose.yaml with podman-compose on one machine. The images are built from their Dockerfiles, except that
 * Debian's HAProxy replaces the official image.
 */
const CLUSTER = 'deploy/cluster';
const ROLES = ['ingest-1', 'ingest-2', 'api-1', 'api-2', 'worker-1', 'worker-2'];
const KEY = `eus_live_${'k'.repeat(48)}`;
/**
 * Maximum time until the cluster is ready. It is long, because twelve containers start at once and the roles wait for Patroni's primary.
 */
const START_MS = 480_000;

let deployment: ReturnType<typeof createDeployment> | undefined;
afterAll(() => deployment?.remove());

test('the cluster starts from nothing, counts, and still has its data and its standby after `down` and `up`', async () => {
  const machine = createDeployment();
  deployment = machine;
  const { address } = machine;
  const readme = readFileSync(join(machine.folder, CLUSTER, 'README.md'), 'utf8');
  const [, lines = ''] = /podman-compose 1\.0[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  const [network = '', build = '', up = ''] = lines.trim().split('\n');
  const example = readFileSync(join(machine.folder, CLUSTER, '.env.example'), 'utf8');
  const secrets = [...example.matchAll(/^(\w+(?:PASSWORD|COOKIE))=$/gm)].map(([, name = '']) => name);
  const env = {
    ...Object.fromEntries(secrets.map((name) => [name, `${name.replaceAll('_', '')}${'p'.repeat(24)}`])),
    SECRET_KEY: 'k'.repeat(64),
    BOOTSTRAP_ADMIN_KEY: KEY,
    PUBLIC_URL: `https://${address}:8443`,
    PUBLIC_MQTT_HOST: address,
  };
  // Completes the copied example file, as an operator would.
  const fill = Object.entries(env).map(([name, value]) => `-e 's|^${name}=.*|${name}=${value}|'`);
  machine.type(`sed ${fill.join(' ')} .env.example > .env && ./certificates.sh ${address}`, CLUSTER);
  machine.type(network, CLUSTER);
  machine.type(build, CLUSTER);
  const start = async () => {
    machine.type(up, CLUSTER);
    const seconds = await Promise.all(
      ROLES.map((role) => waitUntilPrinted(`cluster_${role}_1`, /"msg":"ready"/, START_MS)),
    );
    console.log(`ready: ${ROLES.map((role, i) => `${role} ${seconds[i]?.toFixed(1)} s`).join(', ')}`);
    await expect
      .poll(() => getContainerOutput('cluster_pg-1_1') + getContainerOutput('cluster_pg-2_1'), { timeout: START_MS })
      .toMatch(/no action\. I am \(pg-\d\), a secondary/);
  };
  await start();
  const ca = readFileSync(join(machine.folder, CLUSTER, 'tls/ca.crt'), 'utf8');
  const visitor = await connectDeploymentClient({ address, name: address, key: KEY, ca });
  // Waits until HAProxy, too, has detected that the API is ready.
  await expect.poll(() => visitor.ask('/readyz').then(() => true), { timeout: 60_000 }).toBe(true);
  const day = await visitor.publishOneDay();
  await expect.poll(day).toEqual([PUBLISHED_DAY_KWH]);
  for (const node of ['etcd-1', 'etcd-2', 'etcd-3'])
    expect([node, isPodmanSuccessful('exec', `cluster_${node}_1`, 'etcdctl', 'endpoint', 'health')]).toEqual([
      node,
      true,
    ]);

  machine.type('podman-compose down', CLUSTER);
  expect(runPodman('ps', '--all', '--quiet')).toBe('');
  await start();
  await expect.poll(day, { timeout: 60_000 }).toEqual([PUBLISHED_DAY_KWH]);
}, 2_400_000);
