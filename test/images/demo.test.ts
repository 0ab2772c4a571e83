import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  countRestarts,
  createDeployment,
  getContainerOutput,
  readContainerMemory,
  waitUntilPrinted,
} from '#test/support/images/deployment.ts';
import { connectDeploymentClient } from '#test/support/images/deployment-client.ts';
import { isPodmanSuccessful } from '#test/support/images/podman.ts';

/**
 * This test runs the demo of deploy/home/compose.yaml with the memory of a small Raspberry Pi. The demo stores 13 months of six homes, and
 * then receives live readings.
 */
const CONTAINER = 'home_energy_1';
const MEMORY_MB = 512;
/** Maximum time to store the history of 370,000 readings. On two idle cores, this takes about two minutes. */
const PAST_MS = 1_200_000;
const LIVE_MS = 60_000;
const STOP_SECONDS = 10;

let deployment: ReturnType<typeof createDeployment> | undefined;
afterAll(() => deployment?.remove());

test('stores 13 months of six homes in 512 MB, goes on, and ends with 0', async () => {
  const home = createDeployment();
  deployment = home;
  const file = join(home.folder, 'deploy/home/compose.yaml');
  const compose = readFileSync(file, 'utf8');
  expect(compose).toContain('command: [start]');
  writeFileSync(file, compose.replace('command: [start]', 'command: [demo]'));
  writeFileSync(join(home.folder, 'deploy/home/.env'), `HOST_NAME=${home.address}\n`);
  const limit = `--podman-run-args='--memory=${MEMORY_MB}m --memory-swap=${MEMORY_MB}m'`;
  home.type(`podman-compose ${limit} up -d --build`, 'deploy/home');
  await waitUntilPrinted(CONTAINER, /Stored [\d,]+ readings of the last 13 months|are stored already/, PAST_MS);
  const past = readContainerMemory(CONTAINER);
  await new Promise((done) => setTimeout(done, LIVE_MS));
  const live = readContainerMemory(CONTAINER);
  const output = getContainerOutput(CONTAINER);
  console.log(
    /Stored .*? s\./.exec(output)?.[0],
    `Programs use ${past.programsMb} MB, a minute later ${live.programsMb} MB.`,
  );
  // The kernel has killed no process for lack of memory, and neither podman nor the supervisor has restarted one.
  expect([live.killed, countRestarts(CONTAINER)]).toEqual([0, 0]);
  expect(output).not.toMatch(/role exited|PostgreSQL stopped/);
  expect(isPodmanSuccessful('healthcheck', 'run', CONTAINER)).toBe(true);

  const [, key = ''] = /Bearer (eus_live_\w+)/.exec(output) ?? [];
  const [, path = ''] = /'https:\/\/[^/]+(\/v1\/energy-insights[^']+group_by=day)'/.exec(output) ?? [];
  const visitor = await connectDeploymentClient({ address: home.address, name: home.address, key });
  const { data } = await visitor.ask(path);
  expect(data).toHaveLength(7);
  for (const { kwh_used } of data.slice(0, 6)) expect(kwh_used).toBeGreaterThan(1);

  const stopped = home.stop(CONTAINER);
  expect(stopped.code).toBe(0);
  expect(stopped.seconds).toBeLessThan(STOP_SECONDS);
}, 1_500_000);
