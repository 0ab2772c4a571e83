import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { TESTED_PROGRAM } from '#test/support/program.ts';

/** Runs `energy decode` on lines, in an environment without a database or a broker. */
async function decode(
  lines: string[],
  flags = ['--json'],
): Promise<{ code: number | null; out: string[]; err: string }> {
  const child = spawn(process.execPath, [TESTED_PROGRAM, 'decode', ...flags], {
    env: { PATH: process.env.PATH, DATA_DIR: '/nonexistent' },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  child.stdin.end(lines.join('\n'));
  const code = await new Promise<number | null>((done) => child.once('close', done));
  return { code, out: out.split('\n').filter((line) => line !== ''), err };
}

const received_at = '2026-07-05T19:00:01Z';
const tasmota = {
  topic: 'tele/plug/SENSOR',
  payload: '{"Time":"2026-07-05T21:00:00","ENERGY":{"Total":301.004,"Power":12}}',
  received_at,
};

test('prints a line for each input line, with the device’s quantities, in UTC', async () => {
  const lines = [
    { n: 0, ...tasmota, tz: 'Europe/Berlin' },
    { n: 1, ...tasmota },
    { n: 2, topic: 'energy/v1/dev_1/readings', payload: '{"energy_total_kwh": 4711.235}', received_at },
    { n: 3, topic: 'somebody/else', payload: 'x', received_at },
    { n: 4, topic: 'tele/plug/SENSOR', payload_b64: Buffer.from([0xff, 0xfe]).toString('base64'), received_at },
    { n: 5, ...tasmota, replayed: true },
    { n: 6, ...tasmota, tz: 'Europe/Berlin', replayed: true },
    {
      n: 7,
      topic: 'meter/sensor/energy/state',
      payload: '12.5',
      received_at,
      prior: [
        {
          topic: 'homeassistant/sensor/meter/energy/config',
          retain: true,
          payload: JSON.stringify({
            stat_t: 'meter/sensor/energy/state',
            unit_of_meas: 'kWh',
            dev_cla: 'energy',
            stat_cla: 'total_increasing',
            uniq_id: 'e',
            dev: { ids: ['meter'] },
          }),
        },
      ],
    },
    // This line has no settings. It must not be decoded with the settings of the previous line.
    { n: 8, topic: 'meter/sensor/energy/state', payload: '12.5', received_at },
    { n: 9, topic: 'meter/sensor/button/state', payload: '12.5', received_at },
  ];
  const { code, out } = await decode(lines.map((line) => JSON.stringify(line)));
  expect(code).toBe(0);
  const answers = new Map(out.map((line) => JSON.parse(line)).map((answer) => [answer.n, answer]));
  expect([...answers.keys()].sort()).toEqual(lines.map(({ n }) => n));
  const printed = { device: 'plug', channel: 'import' };
  expect(answers.get(0)).toEqual({
    n: 0,
    readings: [
      { ...printed, kind: 'energy_total_kwh', value: 301.004, ts: '2026-07-05T19:00:00.000Z' },
      { ...printed, kind: 'power_w', value: 12, ts: '2026-07-05T19:00:00.000Z' },
    ],
    rejected: [],
  });
  expect(answers.get(1).readings.map(({ ts }: { ts: unknown }) => ts)).toEqual([null, null]);
  expect(answers.get(2).readings).toEqual([
    { device: 'dev_1', channel: 'import', kind: 'energy_total_kwh', value: 4711.235, ts: '2026-07-05T19:00:01.000Z' },
  ]);
  expect(answers.get(3)).toEqual({ n: 3, readings: [], rejected: [] });
  expect(answers.get(4)).toEqual({ n: 4, readings: [], rejected: [{ reason: expect.any(String) }] });
  expect(answers.get(5)).toEqual({ n: 5, readings: [], rejected: [] });
  expect(answers.get(6).readings).toHaveLength(2);
  expect(answers.get(7).readings).toMatchObject([{ kind: 'energy_total_kwh', value: 12.5, ts: null }]);
  expect(answers.get(8)).toMatchObject({ readings: [], rejected: [], asks: [{ native_name: 'energy', unit: null }] });
  expect(answers.get(9)).toEqual({ n: 9, readings: [], rejected: [] });
});

test('rejects individual lines that are not messages, and continues', async () => {
  const bad = [
    'rubbish',
    '[]',
    'null',
    JSON.stringify({ n: 3 }),
    JSON.stringify({ n: 4, ...tasmota, payload_b64: 'eA==' }),
    JSON.stringify({ n: 5, ...tasmota, received_at: 'yesterday' }),
    JSON.stringify({ n: 6, ...tasmota, payload: 7 }),
    // Invalid settings are ignored.
    JSON.stringify({
      n: 7,
      ...tasmota,
      tz: 'Mars/Olympus',
      config: { meter: 5, senml: { topics: 'x' }, __proto__: 1 },
    }),
  ];
  const { code, out, err } = await decode(bad);
  expect([code, err]).toEqual([0, '']);
  const answers = out.map((line) => JSON.parse(line));
  expect(answers).toHaveLength(bad.length);
  expect(answers.slice(0, 7).every(({ readings, rejected }) => readings.length === 0 && rejected.length === 1)).toBe(
    true,
  );
  expect(answers.map(({ n }) => n)).toEqual([null, null, null, 3, 4, 5, 6, 7]);
  expect(answers[7].readings).toHaveLength(2);
});

test('names the family in its text output, and devices’ texts cannot control the terminal', async () => {
  const { out } = await decode(
    [
      JSON.stringify(tasmota),
      JSON.stringify({ ...tasmota, topic: 'x', payload: '{"Button": 301.004}' }),
      JSON.stringify({ ...tasmota, topic: 'tele/\u001b[2J/SENSOR' }),
    ],
    [],
  );
  expect(out.join('\n')).toContain('plug  import  energy_total_kwh 301.004  at the time of receipt');
  expect(out.join('\n')).toContain('no device family uses this topic');
  expect(out.join('\n')).not.toContain('\u001b');
});

test('decodes one message given by options, and rejects options that do not go together', async () => {
  const one = ['--topic', 'tele/plug/SENSOR', '--payload', '{"ENERGY": {"Total": 301.004}}'];
  expect((await decode([], one)).out).toEqual([
    'Decoded by the family tasmota:',
    '  plug  import  energy_total_kwh 301.004  at the time of receipt',
  ]);
  const reading = { device: 'plug', channel: 'import', kind: 'energy_total_kwh', value: 301.004, ts: null };
  expect((await decode([], [...one, '--json'])).out.map((line) => JSON.parse(line))).toEqual([
    { n: null, readings: [reading], rejected: [] },
  ]);
  for (const flags of [one.slice(0, 2), ['--retain'], [...one, '--tz', 'Mars'], [...one, '--config', '[']]) {
    const { code, out, err } = await decode([], flags);
    expect([code === 0, out, err.length > 20]).toEqual([false, [], true]);
  }
});

test('explains how to pass a message if there are arguments without an option', async () => {
  for (const words of [['foo'], ['tele/plug/SENSOR', '{"ENERGY":{"Total":1}}'], ['--json', 'foo']]) {
    const { code, out, err } = await decode([], words);
    expect([code, out]).toEqual([1, []]);
    expect(err).toContain(`"${words.find((word) => word !== '--json')}" is not a valid argument`);
    expect(err).toMatch(/--topic TOPIC --payload TEXT, or many as JSON lines .*--json/);
  }
});

test('rejects an endless line in bounded memory, and decodes the lines around it as usual', async () => {
  const child = spawn(process.execPath, ['--max-old-space-size=64', TESTED_PROGRAM, 'decode', '--json'], {
    env: { PATH: process.env.PATH, DATA_DIR: '/nonexistent' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  const answers: { n: number | null; readings: unknown[]; rejected: { reason: string }[] }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => answers.push(JSON.parse(line)));
  const write = (data: string | Buffer) => new Promise<void>((done) => child.stdin.write(data, () => done()));
  await write(`${JSON.stringify({ n: 0, ...tasmota })}\r\n\n`);
  const mib = Buffer.alloc(1_048_576, 'x');
  // Returns the peak memory of the process in MiB, as Linux reports it.
  const residentMib = () =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;
  for (let count = 0; count < 300; count++) await write(mib);
  expect(residentMib()).toBeLessThan(250);
  // A payload of the maximum length (1 MiB) is decoded, too.
  const longest = {
    topic: 'tele/plug/SENSOR',
    payload_b64: Buffer.alloc(1_048_576, ' ').toString('base64'),
    received_at,
  };
  child.stdin.end(`\n${JSON.stringify({ n: 1, ...tasmota })}\n${JSON.stringify({ n: 2, ...longest })}`);
  expect((await ended)[0]).toBe(0);
  expect(answers.map(({ n }) => n)).toEqual([0, null, 1, 2]);
  expect(answers.map(({ readings }) => readings.length > 0)).toEqual([true, false, true, false]);
  expect(answers[1]?.rejected).toEqual([{ reason: 'Invalid line: longer than 8 MiB' }]);
});
