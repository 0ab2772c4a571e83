import { describe, expect, test } from 'vitest';
import { TOOLS } from '#src/api/mcp/tools.ts';
import type { Scope } from '#src/auth/scopes.ts';
import { connectMcpClient, type ToolClient } from '#test/support/mcp.ts';
import {
  admin,
  anna,
  api,
  bob,
  carl,
  carlsMeter,
  createKeyFor,
  dora,
  dorasMeter,
  foreignMeter,
  hall,
  MAY_ARGUMENTS,
  ofAnna,
  ofGroup,
  ofMember,
  ofMeter,
  ofUtility,
  PROMPT_INJECTION_TEXT,
  plug,
  sendWithKey,
  setUpMcpHomes,
  utility,
} from '#test/support/mcp-homes.ts';

/** Tools for AI assistants return and change nothing that the key may not access. */
setUpMcpHomes();

/** Clients, with the kind of each client's key. */
const KINDS = () =>
  new Map([
    [ofAnna, 'homeowner'],
    [ofUtility, 'utility'],
    [ofMember, 'member'],
    [ofGroup, 'group'],
    [ofMeter, 'device'],
  ]);

describe('MCP tools return nothing beyond a key’s reach', () => {
  test('about homes and devices of other accounts, for any kind of key', async () => {
    const foreign = { user_id: bob.userId };
    const day = { unit: 'day', date: '2026-06-01' };
    const asked: [ToolClient, string, Record<string, unknown>, number][] = [
      [ofAnna, 'energy_insights', foreign, 403],
      [ofAnna, 'energy_costs', { ...MAY_ARGUMENTS, ...foreign }, 403],
      [ofAnna, 'compare_period', { ...day, ...foreign }, 403],
      [ofAnna, 'compare_costs', { ...day, ...foreign }, 403],
      [ofAnna, 'explain_figure', { ...MAY_ARGUMENTS, ...foreign }, 403],
      [ofAnna, 'list_remarks', foreign, 403],
      [ofAnna, 'list_devices', foreign, 403],
      [ofAnna, 'list_alerts', foreign, 403],
      [ofAnna, 'get_device', { device_id: foreignMeter }, 404],
      [ofAnna, 'device_usage', { device_id: foreignMeter }, 404],
      [ofAnna, 'device_quality', { device_id: foreignMeter }, 404],
      [ofAnna, 'compare_period', { ...day, device_id: foreignMeter }, 404],
      [ofAnna, 'list_rejected_messages', {}, 403],
      [ofUtility, 'energy_insights', foreign, 404],
      [ofUtility, 'explain_figure', { ...MAY_ARGUMENTS, ...foreign }, 404],
      [ofUtility, 'get_device', { device_id: foreignMeter }, 404],
      [ofUtility, 'energy_costs', { ...MAY_ARGUMENTS, ...foreign }, 404],
      [ofUtility, 'list_devices', foreign, 404],
      [ofUtility, 'device_usage', { device_id: foreignMeter }, 404],
      [ofUtility, 'list_rejected_messages', {}, 403],
      // A member's key for another home gives no access to the member's own home.
      [ofMember, 'energy_insights', foreign, 403],
      [ofMember, 'energy_insights', { user_id: carl.userId }, 403],
      [ofMember, 'energy_costs', { ...MAY_ARGUMENTS, user_id: carl.userId }, 403],
      [ofMember, 'list_devices', { user_id: carl.userId }, 403],
      [ofMember, 'get_device', { device_id: carlsMeter }, 404],
      [ofMember, 'compare_period', { ...day, device_id: foreignMeter }, 404],
      [ofMember, 'list_rejected_messages', {}, 403],
      // A key that is limited to a group gives no access to the utility's other homes, or to the utility itself.
      [ofGroup, 'energy_insights', { user_id: dora.userId }, 404],
      [ofGroup, 'energy_insights', { user_id: utility.userId }, 404],
      [ofGroup, 'energy_insights', {}, 404],
      [ofGroup, 'compare_costs', { ...day, user_id: dora.userId }, 404],
      [ofGroup, 'explain_figure', { ...MAY_ARGUMENTS, user_id: dora.userId }, 404],
      [ofGroup, 'get_device', { device_id: dorasMeter }, 404],
      [ofGroup, 'device_quality', { device_id: foreignMeter }, 404],
      // A key that can only write a device's readings cannot read anything, not even about this device.
      [ofMeter, 'get_device', { device_id: hall }, 403],
      [ofMeter, 'device_usage', { device_id: hall }, 403],
      [ofMeter, 'energy_insights', { user_id: anna.userId }, 403],
      [ofMeter, 'list_homes', {}, 403],
      [ofMeter, 'list_alerts', {}, 403],
      // Path segments that a URL parser would resolve, and ids that must be percent-encoded in a path.
      [ofAnna, 'get_device', { device_id: '..' }, 404],
      [ofAnna, 'device_usage', { device_id: '' }, 404],
      [ofAnna, 'get_device', { device_id: `${hall}/usage` }, 404],
      [ofAnna, 'get_device', { device_id: `../users/${bob.userId}` }, 404],
      [ofAnna, 'get_device', { device_id: 'dev_\0\ud800?x=1#y' }, 404],
    ];
    const different = [];
    for (const [who, tool, values, status] of asked) {
      const refused = await who.refusalOf(tool, values);
      if (refused !== status) different.push({ key: KINDS().get(who), tool, values, status, refused });
    }
    expect(different).toEqual([]);
    expect((await ofMeter.client.listTools()).tools).toEqual([]);
    const { data } = await ofAnna.ask('list_devices', { text: 'Cellar' });
    expect(data).toEqual([]);
  });

  test('in the list of tools: only tools of the key’s scopes are listed', async () => {
    const names = async (key: string, headers = {}) => {
      const { client } = await connectMcpClient(api, key, { headers });
      return (await client.listTools()).tools.map(({ name }) => name);
    };
    const limited = await createKeyFor(anna, { scopes: ['devices:read'] satisfies Scope[] });
    expect(await names(limited)).toEqual(['list_devices', 'get_device']);
    const scoped = await connectMcpClient(api, limited);
    for (const tool of ['energy_insights', 'energy_costs', 'list_homes', 'list_alerts'])
      expect(await scoped.refusalOf(tool, { user_id: anna.userId })).toSatisfy(
        (status) => status === 403 || status === 422,
      );
    expect(await scoped.refusalOf('device_usage', { device_id: hall })).toBe(403);

    const all = [...TOOLS.keys()];
    const reading = all.filter((name) => !['list_rejected_messages', 'create_alert', 'move_device'].includes(name));
    expect(await names(anna.key)).toEqual(reading);
    expect(await names(anna.key, { 'energy-allow-write': '1' })).toEqual([...reading, 'create_alert', 'move_device']);
    expect(await names(admin.key)).toEqual([...reading.slice(0, -1), 'list_alerts', 'list_rejected_messages']);
  });

  test('about homes outside the group of a limited key; a revoked key gets nothing', async () => {
    const { json } = await sendWithKey('/v1/groups', utility.key, { name: 'Street' });
    const groupKey = await createKeyFor(utility, { group_id: json.group_id });
    const ofStreet = await connectMcpClient(api, groupKey);
    expect(await ofStreet.refusalOf('energy_insights', { user_id: anna.userId })).toBe(404);
    expect(await ofStreet.refusalOf('get_device', { device_id: hall })).toBe(404);
    expect((await ofStreet.ask('list_homes')).data).toEqual([]);
    await sendWithKey(`/v1/groups/${json.group_id}/users`, utility.key, { add: [anna.userId] });
    expect(
      (await ofStreet.ask('energy_insights', { ...MAY_ARGUMENTS, group_by: 'month', user_id: anna.userId })).data[0]
        .kwh_used,
    ).toBe(744);

    const { json: made } = await sendWithKey('/v1/keys', anna.key, { scopes: ['insights:read'] });
    await sendWithKey(`/v1/keys/${made.key_id}`, anna.key, undefined, 'DELETE');
    await expect(connectMcpClient(api, made.key)).rejects.toThrow();
    await expect(connectMcpClient(api, 'eus_live_unknown')).rejects.toThrow();
  });
});

describe('changes by MCP tools', () => {
  test('need the header, and are recorded in the audit log as made through MCP', async () => {
    const change = { device_id: plug, location: `${PROMPT_INJECTION_TEXT}!` };
    expect(await ofAnna.refusalOf('move_device', change)).toBe(403);
    const writing = await connectMcpClient(api, anna.key, { headers: { 'energy-allow-write': '1' } });
    expect((await writing.ask('move_device', change)).location).toBe(change.location);
    expect(await writing.refusalOf('move_device', { ...change, device_id: foreignMeter })).toBe(404);
    // `limit_kw` is a member that the API's operation accepts, but not the tool.
    expect(await writing.refusalOf('move_device', { ...change, limit_kw: 1 })).toBe(422);
    const { alert_id } = await writing.ask('create_alert', { type: 'daily_cost', threshold: '9.5', delivery: 'email' });
    const { rows } = await api.database.pool.query(
      `SELECT action, target, actor_user_id, details FROM audit_log WHERE target = ANY ($1) AND details ? 'via' ORDER BY audit_id`,
      [[plug, alert_id]],
    );
    expect(rows).toEqual([
      {
        action: 'device.changed',
        target: plug,
        actor_user_id: anna.userId,
        details: { members: ['location'], via: 'mcp' },
      },
      expect.objectContaining({ action: 'alert.created', target: alert_id, actor_user_id: anna.userId }),
    ]);
    const reading = await createKeyFor(anna, { scopes: ['devices:read'] });
    const unable = await connectMcpClient(api, reading, { headers: { 'energy-allow-write': '1' } });
    expect(await unable.refusalOf('move_device', change)).toBe(403);
    await writing.ask('move_device', { device_id: plug, location: PROMPT_INJECTION_TEXT });
  });

  test('return texts of owners only as data members', async () => {
    const { data } = await ofAnna.ask('list_devices');
    expect(data.find((one: { device_id: string }) => one.device_id === plug).location).toBe(PROMPT_INJECTION_TEXT);
    const { tools } = await ofAnna.client.listTools();
    expect(JSON.stringify([tools, ofAnna.client.getInstructions()])).not.toContain('ignore all');
    // Text that a user entered appears only as the complete value of a JSON member.
    for (const [tool, values] of [
      ['get_device', { device_id: plug }],
      ['explain_figure', { start: '2026-06-01', end: '2026-06-02' }],
      ['compare_period', { unit: 'day', date: '2026-06-15' }],
    ] as const) {
      const text = JSON.stringify(await ofAnna.ask(tool, values));
      expect(text.split('ignore all').length).toBe(text.split(`"location":"${PROMPT_INJECTION_TEXT}"`).length);
    }
  });
});
