import { afterAll, expect, test } from 'vitest';
import {
  countRestarts,
  createDeployment,
  getContainerOutput,
  HOST_NAME,
  readContainerMemory,
  waitUntilPrinted,
} from '#test/support/images/deployment.ts';
import {
  connectDeploymentClient,
  isUnencryptedMqttRefused,
  PUBLISHED_DAY_KWH,
} from '#test/support/images/deployment-client.ts';
import { findInstallCommand } from '#test/support/images/install-lines.ts';
import { isPodmanSuccessful, runPodman } from '#test/support/images/podman.ts';

/**
 * These tests run deploy/home/compose.yaml with podman-compose: first as README.md describes, and then with the memory of a small Raspberry
 * Pi.
 */
const CONTAINER = 'home_energy_1';
const MEMORY_MB = 512;
/** Maximum time until the service is ready. It is long, because other programs may be using the machine. */
const START_MS = 120_000;
const STOP_SECONDS = 10;

let deployment: ReturnType<typeof createDeployment> | undefined;
afterAll(() => deployment?.remove());

const inside = (command: string) => runPodman('exec', CONTAINER, 'sh', '-c', `{ ${command}; } 2>&1 || true`);

test('one home starts from nothing in 512 MB, and still has its data after `down` and `up`', async () => {
  const home = createDeployment();
  deployment = home;
  home.type(findInstallCommand('compose'));
  await waitUntilPrinted(CONTAINER, /Ready/, START_MS);
  const [key = ''] = /eus_live_\w+/.exec(getContainerOutput(CONTAINER)) ?? [];
  const at = { address: home.address, name: HOST_NAME, key };
  const visitor = await connectDeploymentClient(at);
  const day = await visitor.publishOneDay();
  await expect.poll(() => day()).toEqual([PUBLISHED_DAY_KWH]);
  // The broker accepts MQTT without TLS only from the same machine.
  expect(await isUnencryptedMqttRefused(home.address)).toBe(true);
  home.type("bash -c '</dev/tcp/127.0.0.1/1883'");

  home.type('podman-compose down', 'deploy/home');
  expect(runPodman('ps', '--all', '--quiet')).toBe('');
  const limit = `--podman-run-args='--memory=${MEMORY_MB}m --memory-swap=${MEMORY_MB}m'`;
  home.type(`podman-compose ${limit} up -d`, 'deploy/home');
  expect(isPodmanSuccessful('healthcheck', 'run', CONTAINER)).toBe(false);
  const seconds = await waitUntilPrinted(CONTAINER, /Ready/, START_MS);
  await expect.poll(() => isPodmanSuccessful('healthcheck', 'run', CONTAINER), { interval: 1_000 }).toBe(true);
  expect(getContainerOutput(CONTAINER)).not.toContain('eus_live_');
  // A client that connected before the restart still trusts the certificate.
  expect(await day()).toEqual([PUBLISHED_DAY_KWH]);

  expect(inside('id -u')).toBe('1000');
  for (const path of ['/x', '/app/x', '/app/node_modules/.cache/energy/x', '/home/node/x'])
    expect(inside(`touch ${path}`)).toMatch(/Read-only file system|Permission denied/);
  expect(inside('touch /data/x /tmp/x && rm /data/x /tmp/x')).toBe('');
  // The service's process has no capabilities and cannot gain any.
  expect(inside('grep -E "^(CapEff|NoNewPrivs)" /proc/self/status')).toMatch(/CapEff:\s+0+\nNoNewPrivs:\s+1/);

  const { programsMb, peakMb, killed } = readContainerMemory(CONTAINER);
  expect([killed, countRestarts(CONTAINER)]).toEqual([0, 0]);
  const stopped = home.stop(CONTAINER);
  console.log(
    `in ${MEMORY_MB} MB ready after ${seconds.toFixed(1)} s; programs use ${programsMb} MB, at most ${peakMb} MB with page cache;`,
    `stopped in ${stopped.seconds.toFixed(1)} s`,
  );
  expect(stopped.code).toBe(0);
  expect(stopped.seconds).toBeLessThan(STOP_SECONDS);
}, 480_000);
