import { describe, expect, test } from 'vitest';
import { type Person, setUpDashboardApi } from '#test/support/dashboard-api.ts';
import { createTestMeter } from '#test/support/meters.ts';

const own = setUpDashboardApi();
const { ask, statuses, sql } = own;
const { admin, utility, stranger, home } = own.people;

describe('a table of devices to import', () => {
  const check = (raw: string, caller: Person = utility, query = '') =>
    own.api.send(`/own/v1/import-check${query}`, {
      method: 'POST',
      key: caller.key,
      raw,
      headers: { 'content-type': 'text/csv' },
    });
  const counts = async () =>
    (await sql('SELECT (SELECT count(*) FROM devices)::int AS devices, (SELECT count(*) FROM users)::int AS users'))
      .rows[0];

  test('is checked with a report of all errors, within rows and between them, and nothing is stored', async () => {
    const before = await counts();
    const head = 'user_id,email,type,location,limit_kw,external_id';
    const table = [
      head,
      `${home.userId},,meter,a,,E1`,
      `${home.userId},,,b,fast,`,
      'usr_nobody,,meter,c,,',
      `${home.userId},,meter,d,,E1`,
      `${home.userId},new@example.com,meter,e,,`,
    ];
    const { status, json } = await check(`${table.join('\n')}\n`);
    expect(status).toBe(200);
    expect(json.mistakes).toEqual([
      { field: 'line 3.type', message: 'is required' },
      { field: 'line 3.limit_kw', message: 'must be a number' },
      { field: 'line 6.email', message: 'give user_id or email, not both' },
      { field: 'line 4.user_id', message: 'there is no such user' },
      { field: 'line 5.external_id', message: 'is the same device as line 2' },
    ]);
    const fresh = `${head}\n${home.userId},,meter,a,,E1\n,NEW@example.com,meter,b,,\n,new@example.com,meter,c,,\n`;
    const right = await check(fresh, utility, '?create_users=true');
    const foreseen = { rows: 3, created: 3, existing: 0, users_created: 1, differing: [], mistakes: [] };
    expect([right.status, right.json]).toEqual([200, foreseen]);
    expect(await counts()).toEqual(before);
    // The import creates as many devices and accounts as the check of the same file reported.
    const send = { method: 'POST', key: utility.key, raw: fresh, headers: { 'content-type': 'text/csv' } };
    expect((await own.api.send('/v1/imports?create_users=true', send)).json).toMatchObject({
      created: 3,
      users_created: 1,
    });
    const again = await check(fresh.replace(',meter,c,,', ',meter,c,20,'));
    expect(again.json).toMatchObject({ created: 0, existing: 3, users_created: 0, mistakes: [] });
    expect(again.json.differing).toEqual([{ row: 'line 4', device_id: expect.any(String), members: ['limit_kw'] }]);
  });

  test('is stored with its importer while its devices’ passwords can be fetched', async () => {
    const by = await own.api.user('utility');
    const send = {
      method: 'POST',
      key: by.key,
      raw: 'type,location\nmeter,a\n',
      headers: { 'content-type': 'text/csv' },
    };
    const { import_id } = (await own.api.send('/v1/imports', send)).json;
    const waiting = async (caller: Person) =>
      (await ask('/v1/waiting-imports', caller)).json.map((one: { import_id: string }) => one.import_id);
    expect(await Promise.all([by, stranger, admin].map(waiting))).toEqual([[import_id], [], []]);
    await own.api.send(`/v1/imports/${import_id}/credentials`, { method: 'POST', key: by.key });
    expect(await waiting(by)).toEqual([]);
  });

  test('that is malformed, or contains foreign devices, is refused with the same error as its import', async () => {
    const refused = async (...given: Parameters<typeof check>) => {
      const { status, json } = await check(...given);
      return [status, json.details?.[0]?.field];
    };
    expect(await refused('type,location,colour\nmeter,a,red\n')).toEqual([422, 'line 1']);
    expect(await refused('type,location\n')).toEqual([422, 'body']);
    const ofHome = `user_id,type,location\n${home.userId},meter,z\n`;
    expect((await check(ofHome, stranger)).json.mistakes).toEqual([
      { field: 'line 2.user_id', message: 'there is no such user' },
    ]);
    expect((await check(ofHome, home)).json.mistakes).toEqual([]);
    expect((await refused(`user_id,type,location\n${stranger.userId},meter,z\n`, home))[0]).toBe(403);
    expect((await refused(ofHome, home, '?create_users=true'))[0]).toBe(403);
  });
});

describe('a held reading', () => {
  test('is shown until the next readings confirm or reject it', async () => {
    const it = await createTestMeter(own.api.database);
    const owner = { key: (await own.api.user('admin')).key };
    const at = (minutes: number) => new Date(own.api.now.getTime() - (60 - minutes) * 60_000);
    const held = async () => (await ask(`/v1/devices/${it.deviceId}/held`, owner)).json;
    const { now } = own.api;
    const first: [Date, number][] = [
      [at(0), 100],
      [at(15), 100.2],
    ];
    await it.read(first, now);
    expect(await held()).toEqual([]);
    await it.read([[at(30), 9_000_000_000]], now);
    expect(await held()).toEqual([{ native_name: 'import energy_total_kwh', at: at(30).toISOString() }]);
    await it.read([[at(45), 100.4]], now);
    expect(await held()).toEqual([]);
    expect(await statuses(`/v1/devices/${it.deviceId}/held`, { home, stranger, admin })).toEqual({
      ...{ home: 404, stranger: 404, admin: 200 },
    });
  });
});
