import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runProbes } from '../../../bench/attack/probe.ts';
import { ALL_PROBES } from '../../../bench/attack/probes/all.ts';
import { type AttackTarget, resolveLoopbackUrl, startInstallation } from '../../../bench/attack/target.ts';
import { createAttackedInstallation } from '../../../bench/attack/world.ts';

/** Names of probes that fail until a known vulnerability is fixed. Remove a name when its probe passes. */
const OPEN = new Set<string>();

// Hooks start and stop the service, because a test that exceeds its time limit would not stop it.
let target: AttackTarget | undefined;
beforeAll(async () => {
  target = await startInstallation();
});
afterAll(() => target?.remove());

// The probes take 130 s in a complete test run on two processor cores, and 180 s on one core.
test('the service has none of the vulnerabilities that the external probes test', async () => {
  const world = createAttackedInstallation(target as AttackTarget);
  onTestFinished(() => world.end());
  const probes = ALL_PROBES.filter(({ kind, name }) => kind === 'quick' && !OPEN.has(name));
  const results = await runProbes(world, probes);
  const others = results.filter(({ result }) => result !== 'held');
  expect(others.map(({ name, result, why }) => `${name}: ${result}: ${why}`)).toEqual([]);
  expect(results.length).toBeGreaterThan(100);
});

test('the probes refuse to attack an installation that is not on this machine', async () => {
  for (const url of [
    'https://example.com',
    'https://93.184.216.34',
    'https://10.0.0.1:8443',
    'https://[2001:db8::1]',
    'x',
  ])
    await expect(resolveLoopbackUrl(url)).rejects.toThrow(
      /only your own installation is attacked|is no URL|ENOTFOUND|EAI_AGAIN/,
    );
  expect(await resolveLoopbackUrl('https://localhost:8443')).toEqual({ host: '127.0.0.1', port: 8443 });
  expect(await resolveLoopbackUrl('mqtts://[::1]')).toEqual({ host: '::1', port: 8883 });
});

test('every probe has a unique name', () => {
  expect(new Set(ALL_PROBES.map(({ name }) => name)).size).toBe(ALL_PROBES.length);
});
