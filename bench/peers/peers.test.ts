import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { isGoalMet } from '../answer.ts';
import {
  COMPARISON_FIGURE_LABELS,
  type ComparedProgramResult,
  type ComparisonRoundResult,
  evaluateKillTrial,
  formatComparisonTable,
  getComparisonGoals,
  summariseComparisonRounds,
} from './figures.ts';
import {
  COMPARISON_READINGS_TABLE,
  CREATE_COMPARISON_READINGS_TABLE,
  createNodeRedCommand,
  createPythonBridgeCommand,
  createTelegrafCommand,
} from './programs.ts';

const place = { brokerPort: 4_711, databaseUrl: 'postgresql://energy@localhost/energy?host=%2Fx', folder: '/peer' };

const round = (perSecond: number, lost = 0, doubled = 0): ComparisonRoundResult => ({
  perSecond,
  cpuUs: { worker: perSecond / 100, broker: 2, postgres: 3.14 },
  trial: { acknowledged: 1_000, lost, doubled, kills: 2 },
});

describe('the configuration of', () => {
  test('Node-RED subscribes with QoS 1 in a persistent session, and its function inserts the collected rows', async () => {
    const program = createNodeRedCommand(place, { installation: '/red', driver: '/driver.js' });
    expect(program.args).toEqual([
      '/red/node_modules/node-red/red.js',
      '--settings',
      '/peer/settings.js',
      '--userDir',
      '/peer',
      '/peer/flows.json',
    ]);
    const nodes: Record<string, unknown>[] = JSON.parse(program.files['flows.json'] ?? '');
    const node = (type: string) => nodes.find((one) => one.type === type);
    expect(node('mqtt-broker')).toMatchObject({ port: '4711', cleansession: false, clientid: expect.any(String) });
    expect(node('mqtt in')).toMatchObject({ qos: '1', topic: 'energy/v1/+/readings', broker: 'broker' });

    const { initialize, func } = node('function') as { initialize: string; func: string };
    const context = new Map<string, unknown>();
    const queries: unknown[][] = [];
    let failures = 1;
    let flush = async () => {};
    class Pool {
      async query(...query: unknown[]) {
        if (failures-- > 0) throw new Error('the database is away');
        queries.push(query);
      }
    }
    const scope = {
      context,
      global: new Map<string, unknown>([['pg', { Pool }]]),
      node: { error: () => {} },
      msg: { topic: 'energy/v1/dev_1/readings', payload: { ts: '2026-11-27T00:00:00Z', energy_total_kwh: 1.5 } },
      setInterval: (run: () => Promise<void>) => {
        flush = run;
      },
    };
    const run = (code: string) => new Script(`(() => {${code}})()`).runInNewContext(scope);
    run(initialize);
    expect(run(func)).toBeNull();
    // Rows of a batch that could not be inserted are inserted together with the next batch.
    await flush();
    await flush();
    await flush();
    expect(queries).toEqual([
      [expect.stringContaining(COMPARISON_READINGS_TABLE), [['dev_1'], ['2026-11-27T00:00:00Z'], [1.5]]],
    ]);
  });

  test('Node-RED opens no port and installs nothing', () => {
    const { files } = createNodeRedCommand(place, { installation: '/red', driver: '/driver.js' });
    const module: { exports: Record<string, unknown> } = { exports: {} };
    new Script(files['settings.js'] ?? '').runInNewContext({ module, require: (path: string) => path });
    expect(module.exports).toMatchObject({
      httpAdminRoot: false,
      httpNodeRoot: false,
      externalModules: { autoInstall: false },
      functionGlobalContext: { pg: '/driver.js', databaseUrl: place.databaseUrl },
    });
  });

  test('Telegraf takes a full batch of unacknowledged messages, in a persistent session', () => {
    const text = createTelegrafCommand(place).files['telegraf.conf'] ?? '';
    const setting = (name: string) => new RegExp(`^ *${name} = (.+)$`, 'm').exec(text)?.[1];
    expect(['qos', 'persistent_session', 'client_id', 'name_override', 'connection'].map(setting)).toEqual([
      '1',
      'true',
      '"telegraf"',
      `"${COMPARISON_READINGS_TABLE}"`,
      `"${place.databaseUrl}"`,
    ]);
    expect(Number(setting('max_undelivered_messages'))).toBeGreaterThanOrEqual(Number(setting('metric_batch_size')));
    // Like the other programs, the Node-RED flow inserts into these columns of the table.
    for (const column of ['device', 'time', 'energy_total_kwh'])
      expect(CREATE_COMPARISON_READINGS_TABLE).toContain(`${column} `);
  });

  test('the Python bridge names the broker, the database, the table and its mode', () => {
    expect(createPythonBridgeCommand(place, 'each').args.slice(1)).toEqual([
      '4711',
      place.databaseUrl,
      COMPARISON_READINGS_TABLE,
      'each',
    ]);
    const file = join(import.meta.dirname, 'bridge.py');
    const { status, error } = spawnSync('python3', [
      '-c',
      'import ast, sys; ast.parse(open(sys.argv[1]).read())',
      file,
    ]);
    // On a machine without Python the check is skipped.
    expect(error === undefined ? status : 0).toBe(0);
  });
});

test.each([
  [10, { stored: 8, double: 0 }, { lost: 2, doubled: 0 }],
  [10, { stored: 10, double: 3 }, { lost: 0, doubled: 3 }],
  // A reading whose PUBACK the device did not receive may be stored nevertheless.
  [10, { stored: 11, double: 0 }, { lost: 0, doubled: 0 }],
])(
  'for %i acknowledged readings and the stored rows %j, the result of a trial is %j',
  (acknowledged, stored, expected) => {
    expect(evaluateKillTrial(acknowledged, stored, 2)).toEqual({ acknowledged, kills: 2, ...expected });
  },
);

test("reports the median of a program's rates and the sum of its trials' counts", () => {
  expect(summariseComparisonRounds([round(900, 1), round(100, 0, 2), round(500, 4)])).toEqual({
    perSecond: 500,
    cpuUs: { worker: 5, broker: 2, postgres: 3.1 },
    acknowledged: 3_000,
    lost: 5,
    doubled: 2,
    kills: 6,
  });
  expect(summariseComparisonRounds([])).toBeNull();
});

const results = (own: ComparisonRoundResult, embedded = own): ComparedProgramResult[] => [
  { name: COMPARISON_FIGURE_LABELS.service, rounds: [own] },
  { name: COMPARISON_FIGURE_LABELS.embedded, hasBrokerInside: true, rounds: [embedded] },
  { name: COMPARISON_FIGURE_LABELS.script, rounds: [round(2_000, 40)] },
  { name: 'Telegraf', rounds: [], reason: 'not run: no package' },
];

test('prints a table row for each program, including one that did not run', () => {
  expect(formatComparisonTable(results(round(1_000)))).toEqual([
    '| program | readings/s | CPU µs: program | broker | PostgreSQL | lost | doubled | acknowledged |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
    '| this service, mosquitto | 1,000 | 10.0 | 2.0 | 3.1 | 0 | 0 | 1,000 |',
    '| this service, embedded broker | 1,000 | 10.0 | in the program | 3.1 | 0 | 0 | 1,000 |',
    '| naive script, mosquitto | 2,000 | 20.0 | 2.0 | 3.1 | 40 | 0 | 1,000 |',
    '| Telegraf | not run: no package |  |  |  |  |  |  |',
  ]);
});

test('fails a goal if this service loses or doubles a reading, but not if another program does', () => {
  const met = (all: ComparedProgramResult[]) => getComparisonGoals(all).map(isGoalMet);
  expect(met(results(round(1_000)))).toEqual([true, true, null, null]);
  expect(met(results(round(1_000, 1)))).toEqual([false, false, null, null]);
  expect(met(results(round(1_000), round(1_000, 0, 1)))).toEqual([true, false, null, null]);
  expect(getComparisonGoals(results(round(1_000))).map(({ measured }) => measured)).toEqual([0, 0, 0.5, 0.5]);
});

test('compares nothing if the script is missing, and sets no goal for this service if it did not run', () => {
  expect(getComparisonGoals(results(round(1_000)).slice(0, 2))).toHaveLength(2);
  expect(getComparisonGoals([{ name: COMPARISON_FIGURE_LABELS.service, rounds: [], reason: 'failed: x' }])).toEqual([]);
});
