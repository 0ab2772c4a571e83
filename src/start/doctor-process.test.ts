import { afterEach, expect, test, vi } from 'vitest';
import { runDoctor } from './doctor-process.ts';

afterEach(() => vi.unstubAllEnvs());

test('a doctor that cannot start is reported as a problem, without its error output', async () => {
  vi.stubEnv('NODE_OPTIONS', '--require=/missing/secret-path');
  const report = await runDoctor();
  expect(report).toMatchObject({ ok: false, findings: [{ check: 'doctor', level: 'problem' }] });
  expect(JSON.stringify(report)).not.toContain('secret-path');
});
