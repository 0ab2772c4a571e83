import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { variablesSchema } from '#src/config/sections.ts';
import { findFreePort } from '#test/support/free-port.ts';
import { findInstallCommand } from '#test/support/images/install-lines.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import { CHECKOUT_PATH, type IsolatedSystemd, startSystemd } from '#test/support/systemd.ts';

const unit = readFileSync(resolve(import.meta.dirname, '../../../deploy/systemd/energy-usage.service'), 'utf8');
const NODE = '/usr/bin/node';
/**
 * Maximum exposure of the service, from 0 (none) to 10, as rated by `systemd-analyze security`. The remaining exposure is caused by
 * sockets, /proc and just-in-time compilation.
 */
const MAX_EXPOSURE = 1.6;

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.remove());

/** Whether the systemd that the test started can execute commands. */
function isUp(systemd: IsolatedSystemd): boolean {
  try {
    return systemd.systemctl('is-active', 'test.target').trim() === 'active';
  } catch {
    return false;
  }
}

/** Writes the service's systemd unit into a folder, with the path of Node.js on this machine. */
function unitIn(name: string, node: string): string {
  const path = join(folder.path, name);
  mkdirSync(path, { recursive: true });
  expect(unit).toContain(`ExecStart=${NODE} /opt/`);
  writeFileSync(join(path, 'energy-usage.service'), unit.replace(NODE, node));
  return path;
}

describe('the systemd unit', () => {
  test('contains nothing that systemd does not understand', () => {
    const path = join(unitIn('verified', process.execPath), 'energy-usage.service');
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    // An unknown setting is reported. This proves that the check can fail.
    writeFileSync(path, unit.replace(NODE, process.execPath).replace('ProtectHome=tmpfs', 'ProtectHouse=yes'));
    expect(spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' }).stderr).toContain(
      'ProtectHouse',
    );
  });

  test('has an exposure level, as computed by systemd-analyze, below the limit', () => {
    const path = join(unitIn('secured', process.execPath), 'energy-usage.service');
    const threshold = `--threshold=${10 * MAX_EXPOSURE}`;
    const args = ['security', '--offline=true', '--no-pager', threshold, path];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect([status, /exposure level .*: ([\d.]+)/.exec(stdout)?.[1]]).toEqual([0, expect.any(String)]);
  });

  test('sets variables that the service supports, and gives it time to stop', () => {
    const set = [...unit.matchAll(/^Environment=(.+)$/gm)].flatMap(([, text = '']) => text.split(' '));
    const names = set.map((one) => one.split('=')[0] ?? '').filter((name) => name !== 'NODE_COMPILE_CACHE');
    expect(names.filter((name) => !(name in variablesSchema.shape))).toEqual([]);
    expect(unit).toMatch(/^TimeoutStopSec=90s$/m);
  });

  test('is installed with the command in README.md: starts, stays within its limits, is restarted after a kill, and stops cleanly', async () => {
    const ports = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT', 'OPERATOR_PORT'];
    const settings = join(folder.path, 'energy.env');
    const lines = await Promise.all(ports.map(async (name) => `${name}=${await findFreePort()}`));
    writeFileSync(settings, lines.join('\n'));
    const units = join(folder.path, 'units');
    mkdirSync(join(units, 'energy-usage.service.d'), { recursive: true });
    writeFileSync(join(units, 'test.target'), '[Unit]\nDefaultDependencies=no\n');
    // Changes to the unit for this test: output goes to a file instead of the journal, no other unit is started, and Node.js may be in
    // another folder.
    const start = existsSync(NODE)
      ? ''
      : `ExecStart=\nExecStart=/opt/node/bin/node ${CHECKOUT_PATH}/bin/energy.js start\n`;
    const there = `[Unit]\nDefaultDependencies=no\n[Service]\nStandardOutput=append:/var/log/out\nStandardError=append:/var/log/out\n${start}`;
    writeFileSync(join(units, 'energy-usage.service.d/test.conf'), there);
    const systemd: IsolatedSystemd = startSystemd({ folder: folder.path, units, settings });
    try {
      await expect.poll(() => isUp(systemd)).toBe(true);
      systemd.type(findInstallCommand('systemd'));
      const isReady = (times: number) =>
        expect.poll(() => systemd.output().match(/^Ready/gm)?.length, { interval: 100 }).toBe(times);
      await isReady(1);
      const [, user] = /^energy:x:(\d+):/m.exec(readFileSync(systemd.path('/etc/passwd'), 'utf8')) ?? [];
      const of = (pid: number, name: string) =>
        new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      const pids = systemd.pids();
      const commands = pids.map((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim());
      expect(commands).toContain('postgres');
      // Every process of the service runs as the service's user, has no capabilities, cannot gain any, and has a filter of system calls.
      const limits = pids.map((pid) => ['Uid', 'CapBnd', 'NoNewPrivs', 'Seccomp'].map((name) => of(pid, name)));
      expect(new Set(limits.map(String))).toEqual(new Set([`${user},0000000000000000,1,2`]));
      const data = systemd.path('/var/lib/energy-usage');
      expect(readdirSync(data)).toEqual(expect.arrayContaining(['postgres', 'secret.key', 'tls']));
      expect(readdirSync(systemd.path('/var/cache/energy-usage')).length).toBeGreaterThan(0);
      const inside = [pids[0] as number].map((pid) => `/proc/${pid}/root`)[0] as string;
      expect(() => writeFileSync(join(inside, 'usr/local/energy-test'), '')).toThrow(/EROFS/);
      expect(() => writeFileSync(join(inside, CHECKOUT_PATH, 'energy-test'), '')).toThrow(/EROFS/);
      expect(readdirSync(join(inside, 'home/me'))).toEqual(['energy-usage-service']);

      process.kill(pids[0] as number, 'SIGKILL');
      await isReady(2);
      expect(systemd.systemctl('show', '--property=NRestarts', '--value', 'energy-usage').trim()).toBe('1');
      systemd.systemctl('stop', 'energy-usage');
      expect(systemd.pids()).toEqual([]);
      expect(existsSync(join(data, 'postgres/postmaster.pid'))).toBe(false);
      expect(systemd.systemctl('show', '--property=Result', '--value', 'energy-usage').trim()).toBe('success');
    } finally {
      await systemd.kill();
    }
  });
});
