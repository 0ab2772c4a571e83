import { spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
beforeAll(async () => {
  [database, folder] = await Promise.all([createTestDatabase(), createTemporaryFolder()]);
});
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

test('the demo prints on a terminal two links and three working commands, and no JSON', async () => {
  const names = ['API_PORT', 'HTTP_PORT', 'MQTT_PORT', 'MQTTS_PORT', 'OPERATOR_PORT'];
  const env = {
    PATH: process.env.PATH,
    TMPDIR: process.env.TMPDIR,
    TERM: 'xterm',
    DATABASE_URL: database.url,
    DATA_DIR: folder.path,
    ...Object.fromEntries(names.map((name) => [name, '0'])),
  };
  // script(1) of bsdutils runs the demo on a terminal.
  const demo = spawn('script', ['-qec', `exec '${process.execPath}' '${TESTED_PROGRAM}' demo`, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((done) => demo.once('exit', done));
  let printed = '';
  demo.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  try {
    // Sending 13 months of history takes half a minute on an idle machine.
    await expect.poll(() => printed).toContain('Ctrl-C ends the demo.');
    const lines = stripVTControlCharacters(printed).split(/[\r\n]+/);
    const logs = lines.filter((line) => /^\d\d:\d\d:\d\d /.test(line)).map((line) => line.slice(9));
    const [, origin] = /(https:\/\/localhost:\d+)\/docs/.exec(printed) ?? [];
    expect(logs).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^supervisor database PostgreSQL /),
        `api ready ${origin}`,
        expect.stringMatching(/^ingest ready mqtts:\/\//),
        expect.stringMatching(/^worker ready /),
      ]),
    );
    expect(lines.filter((line) => /^\s*[[{]|Server listening/.test(line))).toEqual([]);
    const links = lines.filter((line) => line.includes('/dashboard/sign-in#'));
    expect(links).toEqual([
      expect.stringMatching(/^ {2}Anna’s home +https:\/\/localhost:\d+\/dashboard\/sign-in#\S+$/),
      expect.stringMatching(/^ {2}The utility \(page Fleet\) +https:\/\/localhost:\d+\/dashboard\/sign-in#\S+$/),
    ]);
    const curls = lines.flatMap((line, at) => (line.startsWith('curl ') ? [{ label: lines[at - 1], line }] : []));
    expect(curls.map(({ label }) => label)).toEqual([
      '# What Anna’s home used on each of the last seven days',
      '# Today’s usage and cost',
      '# Readings as they arrive, until Ctrl-C',
    ]);
    const answers = curls.map(({ line }) => spawnSync('sh', ['-c', `${line} --max-time 15`], { encoding: 'utf8' }));
    expect(JSON.parse(answers[0]?.stdout ?? '').data).toHaveLength(7);
    expect(JSON.parse(answers[1]?.stdout ?? '').data).toMatchObject([{ cost: { currency: 'EUR' } }]);
    expect(answers[2]?.stdout).toMatch(/^event: /m);
    // In the demo, Anna has an alert that fired and was delivered to her webhook, and a closed bill. Daan has a tariff with hourly prices.
    const seen = async () =>
      (
        await database.pool.query(`SELECT
          (SELECT count(*)::int FROM alert_firings) AS firings,
          (SELECT count(*)::int FROM deliveries WHERE status = 'succeeded' AND webhook_id IS NOT NULL) AS delivered,
          (SELECT count(*)::int FROM bill_periods WHERE closed_at IS NOT NULL) AS bills,
          (SELECT count(*)::int FROM tariffs WHERE terms -> 'import' ? 'series_id') AS dynamic,
          (SELECT max(day) > now() FROM prices) AS tomorrow`)
      ).rows[0];
    await expect.poll(seen).toMatchObject({ firings: expect.any(Number), bills: 1, dynamic: 1, tomorrow: true });
    await expect.poll(async () => (await seen()).firings).toBeGreaterThan(0);
    await expect.poll(async () => (await seen()).delivered).toBeGreaterThan(0);
  } finally {
    demo.stdin.write('\x03');
    await ended;
  }
});
