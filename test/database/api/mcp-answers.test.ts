import { writeFile } from 'node:fs/promises';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { connectMcpClient, createMcpClient, createToolClient } from '#test/support/mcp.ts';
import {
  anna,
  api,
  dora,
  foreignMeter,
  hall,
  MAY_ARGUMENTS,
  ofAnna,
  ofGroup,
  ofMember,
  ofUtility,
  plug,
  setUpMcpHomes,
} from '#test/support/mcp-homes.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

/** Tools for AI assistants return known answers. */
setUpMcpHomes();

/** A question, the tool call that answers it, and the known answer. */
type Question = [
  question: string,
  tool: string,
  values: () => Record<string, unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: a result can have any form
  read: (result: any) => unknown,
  /** Expected value of `read`, or a function that returns it. */
  answer: unknown,
];
const answerOf = (answer: unknown): unknown => (typeof answer === 'function' ? answer() : answer);
const idsOf = (all: { data: { user_id: string }[] }) => all.data.map(({ user_id }) => user_id).sort();

const OF_ANNA: Question[] = [
  ['Which homes do I have?', 'list_homes', () => ({}), (all) => all.data.length, 1],
  [
    'What did I use on 1 May?',
    'energy_insights',
    () => ({ start: '2026-05-01', end: '2026-05-01' }),
    (one) => one.data[0].kwh_used,
    24,
  ],
  [
    'What did I use in May?',
    'energy_insights',
    () => ({ ...MAY_ARGUMENTS, group_by: 'month' }),
    (one) => one.data[0].kwh_used,
    744,
  ],
  [
    'And by the hour on 2 June?',
    'energy_insights',
    () => ({ start: '2026-06-02', end: '2026-06-02', group_by: 'hour' }),
    (one) => one.data.map((row: { kwh_used: number }) => row.kwh_used),
    Array(24).fill(2),
  ],
  ['How many days are in May?', 'energy_insights', () => MAY_ARGUMENTS, (one) => one.data.length, 31],
  ['What did I use in the last 30 days?', 'energy_insights', () => ({}), (one) => one.kwh_used, 1_056],
  [
    'What did I take from the grid?',
    'energy_insights',
    () => ({ ...MAY_ARGUMENTS, group_by: 'month', include: 'grid_import,coverage' }),
    (one) => [one.data[0].grid_import_kwh, one.data[0].complete],
    [744, true],
  ],
  [
    'Did I use gas?',
    'energy_insights',
    () => ({ ...MAY_ARGUMENTS, group_by: 'month', commodity: 'gas' }),
    (one) => one.data,
    [],
  ],
  [
    'What did May cost?',
    'energy_costs',
    () => ({ ...MAY_ARGUMENTS, group_by: 'month' }),
    (one) => [one.data[0].cost.total, one.data[0].cost.currency],
    ['223.20', 'EUR'],
  ],
  [
    'What did 1 May cost?',
    'energy_costs',
    () => ({ start: '2026-05-01', end: '2026-05-01' }),
    (one) => one.data[0].cost.total,
    '7.20',
  ],
  ['What did the last 30 days cost?', 'energy_costs', () => ({}), (one) => one.cost.total, '316.80'],
  [
    'How does this day compare?',
    'compare_period',
    () => ({ unit: 'day', date: '2026-06-15' }),
    (one) => [one.compared.now.kwh_used, one.compared.before.kwh_used],
    [24, 24],
  ],
  [
    'How does this month compare with the last?',
    'compare_period',
    () => ({ unit: 'month', date: '2026-06-15' }),
    (one) => [one.compared.now.kwh_used, one.used.kwh_used],
    [696, 696],
  ],
  [
    'Which day of the week had most?',
    'compare_period',
    () => ({ unit: 'week', date: '2026-06-10' }),
    (one) => one.buckets.length,
    7,
  ],
  [
    'What did the hall meter use in May?',
    'compare_period',
    () => ({ unit: 'month', date: '2026-05-10', device_id: hall }),
    (one) => one.used.kwh_used,
    744,
  ],
  [
    'What did this month cost so far?',
    'compare_costs',
    () => ({ unit: 'month', date: '2026-06-15' }),
    (one) => [one.has_tariff, one.used.total],
    [true, '208.80'],
  ],
  [
    'What did a day of May cost?',
    'compare_costs',
    () => ({ unit: 'day', date: '2026-05-05' }),
    (one) => one.used.total,
    '7.20',
  ],
  [
    'What is the figure of 3 May made of?',
    'explain_figure',
    () => ({ start: '2026-05-03', end: '2026-05-03' }),
    (one) => [one.kwh_used, one.estimated_kwh, one.complete],
    [24, 0, true],
  ],
  [
    'Which device measured it?',
    'explain_figure',
    () => ({ start: '2026-05-03', end: '2026-05-03' }),
    (one) => one.devices.find((device: { device_id: string }) => device.device_id === hall)?.import_kwh,
    24,
  ],
  ['Is there anything to say?', 'list_remarks', () => ({}), (one) => one.timezone, 'UTC'],
  ['Which devices do I have?', 'list_devices', () => ({}), (all) => all.data.length, 2],
  [
    'Which are inactive?',
    'list_devices',
    () => ({ status: 'inactive', limit: 10 }),
    (all) => all.data.some((one: { device_id: string }) => one.device_id === plug),
    true,
  ],
  ['Where is the meter?', 'get_device', () => ({ device_id: hall }), (one) => one.location, 'Hall'],
  [
    'What did the meter use on 1 June?',
    'device_usage',
    () => ({ device_id: hall, start: '2026-06-01', end: '2026-06-01' }),
    (one) => one.data[0].kwh_used,
    48,
  ],
  [
    'How good are the data of May?',
    'device_quality',
    () => ({ device_id: hall, ...MAY_ARGUMENTS }),
    (one) => [one.data[0].month, one.data[0].import_kwh, one.data[0].rejected],
    ['2026-05', 744, 0],
  ],
  [
    'Which alerts do I have?',
    'list_alerts',
    () => ({ user_id: anna.userId }),
    (all) => [all.data[0].threshold_kwh, all.next_cursor],
    [50, null],
  ],
];
const OF_UTILITY: Question[] = [
  [
    'Which homes do we serve?',
    'list_homes',
    () => ({ role: 'homeowner' }),
    idsOf,
    () => [anna.userId, dora.userId].sort(),
  ],
  [
    'What did Anna use in May?',
    'energy_insights',
    () => ({ ...MAY_ARGUMENTS, group_by: 'month', user_id: anna.userId }),
    (one) => one.data[0].kwh_used,
    744,
  ],
  [
    'What did it cost her?',
    'energy_costs',
    () => ({ ...MAY_ARGUMENTS, group_by: 'month', user_id: anna.userId }),
    (one) => one.data[0].cost.total,
    '223.20',
  ],
  [
    'Which devices were not heard for a day?',
    'list_devices',
    () => ({ user_id: anna.userId, text: 'Hall' }),
    (all) => all.data.length,
    1,
  ],
];

const ofMay = () => ({ ...MAY_ARGUMENTS, group_by: 'month', user_id: anna.userId });
const OF_MEMBER: Question[] = [
  ['Which home may I see?', 'list_homes', () => ({}), idsOf, () => [anna.userId]],
  ['What did it use in May?', 'energy_insights', ofMay, (one) => one.data[0].kwh_used, 744],
  ['And without its name?', 'energy_insights', () => MAY_ARGUMENTS, (one) => one.data.length, 31],
  ['What did May cost there?', 'energy_costs', ofMay, (one) => one.data[0].cost.total, '223.20'],
  ['Which devices are there?', 'list_devices', () => ({}), (all) => all.data.length, 2],
  ['Where is the meter?', 'get_device', () => ({ device_id: hall }), (one) => one.location, 'Hall'],
  ['Which alerts are set?', 'list_alerts', () => ({ user_id: anna.userId }), (all) => all.data[0].threshold_kwh, 50],
];
const OF_GROUP: Question[] = [
  ['Which homes are in the group?', 'list_homes', () => ({}), idsOf, () => [anna.userId]],
  ['What did Anna use in May?', 'energy_insights', ofMay, (one) => one.data[0].kwh_used, 744],
  ['What did it cost her?', 'energy_costs', ofMay, (one) => one.data[0].cost.total, '223.20'],
  [
    'How does her May compare?',
    'compare_period',
    () => ({ unit: 'month', date: '2026-05-10', user_id: anna.userId }),
    (one) => one.used.kwh_used,
    744,
  ],
  ['Where is her meter?', 'get_device', () => ({ device_id: hall }), (one) => one.location, 'Hall'],
];

describe('answers of MCP tools equal known answers', () => {
  test.each(OF_ANNA)('of a key over HTTPS: %s', async (_question, tool, values, read, answer) => {
    expect(read(await ofAnna.ask(tool, values()))).toEqual(answerOf(answer));
  });

  test.each(OF_MEMBER)('of a member’s key for a home: %s', async (_question, tool, values, read, answer) => {
    expect(read(await ofMember.ask(tool, values()))).toEqual(answerOf(answer));
  });

  test.each(OF_GROUP)('of a key limited to a group: %s', async (_question, tool, values, read, answer) => {
    expect(read(await ofGroup.ask(tool, values()))).toEqual(answerOf(answer));
  });

  test.each(OF_UTILITY)(
    'of a utility, by the MCP revision of 2026-07-28: %s',
    async (_question, tool, values, read, answer) => {
      expect(read(await ofUtility.ask(tool, values()))).toEqual(answerOf(answer));
    },
  );

  test('over standard input and output, by the same tools', async () => {
    const certificate = await createTemporaryFolder();
    const ca = `${certificate.path}/ca.pem`;
    await writeFile(ca, api.tls.cert);
    const connect = async (key: string, args: string[] = []) => {
      const client = createMcpClient();
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [TESTED_PROGRAM, 'mcp', '--url', `https://localhost:${api.port}`, '--ca', ca, ...args],
        env: { PATH: process.env.PATH ?? '', ENERGY_API_KEY: key },
      });
      await client.connect(transport);
      return createToolClient(client);
    };
    const own = await connect(anna.key, ['--allow-write']);
    const [listed, overHttp] = await Promise.all([
      own.client.listTools(),
      connectMcpClient(api, anna.key, { headers: { 'energy-allow-write': '1' } }).then(({ client }) =>
        client.listTools(),
      ),
    ]);
    expect(listed.tools).toEqual(overHttp.tools);
    for (const [question, tool, values, read, answer] of OF_ANNA.slice(0, 10))
      expect({ question, answer: read(await own.ask(tool, values())) }).toEqual({ question, answer });
    expect((await own.ask('move_device', { device_id: hall, location: 'Hall' })).location).toBe('Hall');
    expect(await own.refusalOf('get_device', { device_id: foreignMeter })).toBe(404);
    await own.client.close();

    const wrong = createMcpClient();
    await wrong.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [TESTED_PROGRAM, 'mcp', '--url', `https://localhost:${api.port}`, '--ca', ca],
        env: { PATH: process.env.PATH ?? '', ENERGY_API_KEY: 'eus_live_wrong' },
      }),
    );
    await expect(wrong.listTools()).rejects.toThrow('401: Unauthorized');
    await wrong.close();
    await certificate.remove();
  });
});
