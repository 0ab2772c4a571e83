import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDatabase, type Database } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { isDeviceLoginValid } from '#src/devices/credentials.ts';
import { updateDevice } from '#src/devices/store.ts';
import { createUser } from '#src/users/store.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { ONLY_PROGRESS_PATTERN, TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';

const HEADER = 'user_id,email,type,location,external_id,register_max_kwh,channels';

let database: TestDatabase;
let db: Database;
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
let userId: string;
const path = (name: string) => join(folder.path, name);
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDatabase(database.pool);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await folder?.remove();
  folder = await createTemporaryFolder();
  userId = (await createUser(db, { email: `${Math.random()}@example.com`, role: 'homeowner' })).user_id;
});
afterAll(() => folder.remove());

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}
const environment = () => ({ ...process.env, DATABASE_URL: database.url, DATA_DIR: folder.path });
const energy = (...args: string[]): Promise<Ran> =>
  promisify(execFile)(process.execPath, [TESTED_PROGRAM, ...args], { env: environment(), maxBuffer: 1e8 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
const importText = async (text: string | Buffer, ...options: string[]) => {
  await writeFile(path('meters.csv'), text);
  return energy('devices', 'import', path('meters.csv'), ...options);
};
const devices = () => db.selectFrom('devices').selectAll().where('user_id', '=', userId).orderBy('device_id').execute();

test('imports a table as a whole; a repeated import changes nothing, whatever its owner changed since', async () => {
  const channels = '"[{""native_name"":""P"",""counts_as"":""import""}]"';
  const text = `\ufeff${HEADER}\r\n${userId},,meter,"cellar, left",S1,99999.9,${channels}\r\n\r\n${userId},,meter,attic,,,\r\n`;
  const first = await importText(text);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(ONLY_PROGRESS_PATTERN) });
  const file = path('meters.credentials.csv');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  // Sort by location, because ids created in the same millisecond have no defined order.
  const made = (await devices()).sort((one, other) => (one.location < other.location ? 1 : -1));
  expect(made).toMatchObject([
    {
      location: 'cellar, left',
      external_id: 'S1',
      register_max_kwh: 99_999.9,
      channels: { P: { counts_as: 'import' } },
    },
    { location: 'attic', external_id: null },
  ]);
  const passwords = parse(await readFile(file), { columns: true }) as Record<string, string>[];
  expect(passwords.map(({ row, external_id }) => ({ row, external_id }))).toEqual([
    { row: 'line 2', external_id: 'S1' },
    { row: 'line 4', external_id: '' },
  ]);
  for (const { username = '', password = '' } of passwords)
    expect(await isDeviceLoginValid(db, username, password)).toBe(true);
  expect(first.stdout).not.toContain(passwords[0]?.password);

  await updateDevice(db, ALL_ACCOUNTS, made[1]?.device_id ?? '', { location: 'Dachboden' });
  const again = await importText(text, '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({
    created: 0,
    existing: 2,
    differing: [{ line: 4, device_id: made[1]?.device_id, members: ['location'] }],
    credentials_file: null,
  });
  expect((await devices()).map(({ location }) => location).sort()).toEqual(['Dachboden', 'cellar, left']);
  const { rows } = await database.pool.query(
    "SELECT action, address FROM audit_log WHERE about_user_id = $1 AND action = 'device.paired'",
    [userId],
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({ address: 'cli' });

  // A later import needs a new file for passwords, because an existing file is never overwritten.
  const more = await importText(`${text}${userId},,meter,hall,,,\n`);
  expect(more).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('already exists and contains earlier passwords'),
  });
  expect(await devices()).toHaveLength(2);
  expect(await importText(`${text}${userId},,meter,hall,,,\n`, '--credentials', path('more.csv'))).toMatchObject({
    code: 0,
  });
  expect(await devices()).toHaveLength(3);
});

test('prints the passwords with --json unless a file is given', async () => {
  const { stdout } = await importText(`user_id,type,location\n${userId},meter,cellar\n`, '--json');
  const { devices: printed, credentials_file } = JSON.parse(stdout);
  expect(credentials_file).toBeNull();
  expect(await isDeviceLoginValid(db, printed[0].mqtt.username, printed[0].mqtt.password)).toBe(true);
  await expect(stat(path('meters.credentials.csv.part'))).rejects.toThrow('ENOENT');
});

test('imports nothing of a table with errors, and reports each with its line', async () => {
  const lines = [
    HEADER,
    `${userId},,meter,cellar,S1,,`,
    `${userId},,,cellar,S2,,`,
    `usr_nobody,,meter,x,S3,,`,
    `${userId},a@example.com,meter,x,S4,,`,
    `,nobody@example.com,meter,x,S5,,`,
    `${userId},,meter,x,S1,,`,
    `${userId},,meter,x,S6,0x10,`,
    `${userId},,meter,x,S7,,{}`,
    `,,meter,x,S8,,`,
    `${userId},,me\0ter,x,S9,,`,
  ];
  const refused = await importText(lines.join('\n'), '--json');
  expect(refused.code).toBe(1);
  const { imported, mistakes } = JSON.parse(refused.stdout);
  expect(imported).toBe(false);
  expect(mistakes.map(({ line, member }: { line: number; member: string }) => `${line} ${member}`)).toEqual([
    '3 type',
    '4 user_id',
    '5 email',
    '6 email',
    '7 external_id',
    '8 register_max_kwh',
    '9 channels',
    '10 user_id',
    '11 type',
  ]);
  expect(await devices()).toEqual([]);
  const inWords = await importText(lines.join('\n'));
  expect(inWords.stderr).toMatch(/^line 3: type /);
  expect(inWords.stderr).toContain('line 7: external_id is the same device as line 2');
  expect(inWords.stderr).toContain('Nothing was imported: 9 errors.');
});

test.each([
  ['an empty file', '', /line 1: must name the columns/],
  ['no header', 'usr_1,meter,cellar', /line 1: "usr_1" is not a known column/],
  ['no owner', 'type,location\nmeter,cellar', /line 2: user_id must name the owner/],
  ['a column twice', 'user_id,type,type,location\n', /line 1: type occurs twice/],
  ['a short row', 'user_id,type,location\nusr_1,meter', /line 2: has 2 columns, but the header has 3/],
  ['an open quote', 'user_id,type,location\nusr_1,"meter,cellar\n', /line \d: is not valid CSV/],
  ['a million columns', ','.repeat(1_000_000), /line 1: (has more than 64 columns|is not valid CSV)/],
  ['a million columns later', `user_id,type,location\n${','.repeat(1_000_000)}`, /line 2: (has more|is not valid CSV)/],
  ['not UTF-8', Buffer.from([0xff, 0xfe, 0x00]), /is not UTF-8/],
  ['semicolons', 'user_id;type;location\n', /"user_id;type;location" is not a known column/],
])('rejects %s with an explanation', async (_name, text, message) => {
  expect(await importText(text)).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
});

test('creates accounts for addresses if requested; they belong to the utility', async () => {
  const utility = await createUser(db, { email: `${Math.random()}@utility.example`, role: 'utility' });
  const [one, two] = [`${Math.random()}@example.com`, `${Math.random()}@example.com`];
  const text = `email,type,location\n${one},meter,a\n${one.toUpperCase()},meter,b\n${two},meter,a\n`;
  expect(await importText(text)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'line 2: email there is no such user; with --create-users an account is created for the address',
    ),
  });
  const made = await importText(text, '--create-users', '--utility', utility.user_id, '--json');
  expect(JSON.parse(made.stdout)).toMatchObject({ created: 3, users_created: 2 });
  const users = await db.selectFrom('users').selectAll().where('enrolled_by', '=', utility.user_id).execute();
  expect(users.map(({ email }) => email).sort()).toEqual([one, two].sort());
  const events = await db
    .selectFrom('events')
    .select('type')
    .where('user_id', '=', users[0]?.user_id ?? '')
    .execute();
  expect(events).toEqual([{ type: 'user.created' }]);
  // The homeowner belongs to another utility, so this utility may not use the homeowner's e-mail address.
  const { email } = await db
    .selectFrom('users')
    .select('email')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  for (const [row, message] of [
    [`user_id,type,location\n${userId},meter,a`, 'there is no such user'],
    [`email,type,location\n${email},meter,a`, 'is the address of an account that you do not manage'],
  ] as const) {
    const refused = await importText(row, '--create-users', '--utility', utility.user_id);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  }
});

test('an import that is killed at any moment has imported all or nothing, and a repeated import completes it with every password', async () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => `${userId},meter,place ${index}`);
  await writeFile(path('meters.csv'), ['user_id,type,location', ...rows].join('\n'));
  const file = path('meters.credentials.csv');
  const seen = new Set<number>();
  /** Time of the kill: soon after the start, while the passwords are being written, or at the commit. */
  for (const when of ['soon', 'part', 'part', 'committed'] as const) {
    await database.pool.query('DELETE FROM devices WHERE user_id = $1', [userId]);
    await Promise.all([file, `${file}.part`].map((one) => rm(one, { force: true })));
    const child = spawn(process.execPath, [TESTED_PROGRAM, 'devices', 'import', path('meters.csv')], {
      env: environment(),
    });
    const ended = once(child, 'exit');
    await untilSo(when, `${file}.part`, () => child.exitCode !== null);
    child.kill('SIGKILL');
    await ended;
    const after = (await devices()).length;
    expect([0, 2_000]).toContain(after);
    seen.add(after);
    // The database server may still be ending the transaction of the killed process.
    await expect.poll(() => energy('devices', 'import', path('meters.csv'))).toMatchObject({ code: 0 });
    const all = await devices();
    expect(all).toHaveLength(2_000);
    const passwords = parse(await readFile(file), { columns: true }) as Record<string, string>[];
    expect(passwords.map(({ device_id }) => device_id).sort()).toEqual(all.map(({ device_id }) => device_id));
    const { username = '', password = '' } = passwords.at(-1) ?? {};
    expect(await isDeviceLoginValid(db, username, password)).toBe(true);
    await expect(stat(`${file}.part`)).rejects.toThrow('ENOENT');
  }
  expect(seen.has(0)).toBe(true);
});

test('publishes the passwords of a killed import before it creates others', async () => {
  await database.pool.query('DELETE FROM devices WHERE user_id = $1', [userId]);
  const file = path('grown.credentials.csv');
  await writeFile(path('grown.csv'), `user_id,type,location\n${userId},meter,first\n`);
  expect(await energy('devices', 'import', path('grown.csv'))).toMatchObject({ code: 0 });
  // Simulate that the import was killed directly after its commit, and that a row was added to the table afterwards.
  await rename(file, `${file}.part`);
  await writeFile(path('grown.csv'), `user_id,type,location\n${userId},meter,first\n${userId},meter,second\n`);
  expect(await energy('devices', 'import', path('grown.csv'))).toMatchObject({ code: 1 });
  expect(await devices()).toHaveLength(1);
  const other = path('others.csv');
  expect(await energy('devices', 'import', path('grown.csv'), '--credentials', other)).toMatchObject({ code: 0 });
  const all = [];
  for (const one of [file, other])
    all.push(...(parse(await readFile(one), { columns: true }) as { device_id: string }[]));
  expect(all.map(({ device_id }) => device_id).sort()).toEqual((await devices()).map(({ device_id }) => device_id));
});

/** Waits until an import has reached the step at which the test kills it. */
async function untilSo(when: 'soon' | 'part' | 'committed', part: string, hasEnded: () => boolean): Promise<void> {
  if (when === 'soon') return void (await new Promise((done) => setTimeout(done, 900)));
  while (!hasEnded()) {
    const isWritten = await stat(part).then(
      () => true,
      () => false,
    );
    if (isWritten && (when === 'part' || (await devices()).length > 0)) return;
    await new Promise((done) => setTimeout(done, 1));
  }
}
