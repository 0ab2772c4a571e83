import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createPool } from '#src/database/connect.ts';
import { isEmbeddedPostgresRunning, startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { createPoolForMove, moveInstallation } from '#src/start/move.ts';
import { fillInstallation } from '#test/support/full-installation.ts';
import { createTestMeter } from '#test/support/meters.ts';
import { TESTED_PROGRAM } from '#test/support/program.ts';
import { createTemporaryFolder } from '#test/support/service.ts';
import {
  countRows,
  DEFAULT_MOVE_OPTIONS,
  findDifferingRelations,
  NO_OP_CALLBACKS,
  setUpTwoDatabases,
} from '#test/support/two-databases.ts';

/**
 * Tests of database moves that do not depend on the tier (kind of database server). All other tests of moves are in
 * test/tiers/move.test.ts.
 */
const two = setUpTwoDatabases();

test('sequences continue from their last value, not from the highest remaining row', async () => {
  const { source, target } = two;
  const { webhookId } = await fillInstallation(source);
  await source.pool.query('UPDATE webhooks SET catching_up_to = (SELECT max(place) FROM deliveries)');
  await source.pool.query('DELETE FROM deliveries');
  await moveInstallation(source.url, target.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS);
  const { rows } = await target.pool.query(
    `SELECT nextval(pg_get_serial_sequence('deliveries', 'place')) > catching_up_to AS follows FROM webhooks WHERE webhook_id = $1`,
    [webhookId],
  );
  expect(rows).toEqual([{ follows: true }]);
});

test.each(['old', 'new'] as const)('a full disk is reported with the name of its database (%s)', async (side) => {
  const pool = createPoolForMove(two.source.url, { side, max: 1 });
  const raise = (code: string) =>
    pool.query(`DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '${code}'; END $$`);
  await expect(raise('53100')).rejects.toThrow(`The disk of the ${side} database is full (could not extend file)`);
  await expect(raise('53200')).rejects.toThrow(/^could not extend file$/);
  await pool.end();
});

test('a deadlock between a writer and the move ends neither of them permanently', async () => {
  const { source, target } = two;
  await fillInstallation(source);
  const writer = await source.pool.connect();
  await writer.query('BEGIN');
  await writer.query('UPDATE deliveries SET tries = tries');
  let crossing: Promise<unknown> = Promise.resolve();
  const cross = async () => {
    for (;;) {
      const { rows } = await writer.query(
        `SELECT FROM pg_locks JOIN pg_database d ON d.oid = database WHERE NOT granted AND relation = 'deliveries'::regclass AND datname = current_database()`,
      );
      if (rows.length > 0) break;
    }
    // The writer's statement and the move wait for each other. PostgreSQL ends the move, because the move has waited for longer.
    await writer.query('UPDATE users SET phone = phone');
    await writer.query('COMMIT');
  };
  const step = (text: string) => {
    if (text.startsWith('Blocking')) crossing = cross().catch(() => writer.query('ROLLBACK'));
  };
  await moveInstallation(source.url, target.url, DEFAULT_MOVE_OPTIONS, { ...NO_OP_CALLBACKS, step });
  await crossing;
  writer.release(true);
  expect(await findDifferingRelations(source.pool, target.pool)).toEqual([]);
});

test('a move into the same database is refused, and changes nothing', async () => {
  const { source } = two;
  const home = await createTestMeter(source);
  await expect(moveInstallation(source.url, source.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS)).rejects.toThrow(
    /already uses/,
  );
  await home.read([[new Date(), 501]]);
});

test('a database that already has users is refused, and nothing is copied', async () => {
  const { source, target } = two;
  const home = await createTestMeter(source);
  await createTestMeter(target);
  await expect(moveInstallation(source.url, target.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS)).rejects.toThrow(
    /users of its own/,
  );
  expect(await countRows(target.pool, 'users')).toBe(1);
  await home.read([[new Date(), 501]]);
});

test('a database that another installation is moving into is refused', async () => {
  const { source, target, embeddedDatabase } = two;
  const stranger = await embeddedDatabase();
  await createTestMeter(stranger);
  const broken = new Error('broken off');
  const step = (text: string) => {
    if (text.startsWith('Blocking')) throw broken;
  };
  await expect(
    moveInstallation(stranger.url, target.url, DEFAULT_MOVE_OPTIONS, { ...NO_OP_CALLBACKS, step }),
  ).rejects.toBe(broken);
  const home = await createTestMeter(source);
  await expect(moveInstallation(source.url, target.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS)).rejects.toThrow(
    /by another move/,
  );
  await home.read([[new Date(), 501]]);
  expect((await moveInstallation(stranger.url, target.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS)).users).toBe(1);
  await stranger.drop();
});

test('a role that may not close a database gets an error before anything is copied', async () => {
  const { target, embeddedDatabase } = two;
  const source = await embeddedDatabase({ owned: false });
  const home = await createTestMeter(source);
  await expect(moveInstallation(source.url, target.url, DEFAULT_MOVE_OPTIONS, NO_OP_CALLBACKS)).rejects.toThrow(
    /must own both databases.*the old one/,
  );
  expect(await countRows(target.pool, 'users')).toBe(0);
  await home.read([[new Date(), 501]]);
  await source.drop();
});

test('the command moves the embedded database of a stopped service, and leaves it stopped', async () => {
  const { target } = two;
  const stopped = await createTemporaryFolder();
  const server = await startEmbeddedPostgres({ dataDir: stopped.path, sharedBuffersMb: 128 });
  const pool = createPool(server.url);
  const { tier, capabilities } = (await migrate(pool)).database;
  await createTestMeter({ ...two.source, tier, capabilities, pool, url: server.url });
  await pool.end();
  await server.stop();
  const command = promisify(execFile)(process.execPath, [TESTED_PROGRAM, 'migrate', '--to', target.url, '--json'], {
    env: { PATH: process.env.PATH, DATA_DIR: stopped.path },
  });
  expect(JSON.parse((await command).stdout)).toMatchObject({ users: 1, total_milliwatt_hours: '0' });
  expect(await isEmbeddedPostgresRunning(stopped.path)).toBe(false);
  expect(await countRows(target.pool, 'devices')).toBe(1);
  await stopped.remove();
});

test('the command refuses a URL that is not one of PostgreSQL, or where no server listens, and prints no password', async () => {
  const energy = (to: string) =>
    promisify(execFile)(process.execPath, [TESTED_PROGRAM, 'migrate', '--to', to], {
      env: { PATH: process.env.PATH, DATABASE_URL: two.source.url },
    });
  await expect(energy('nonsense')).rejects.toThrow(/--to: must be a URL that begins with postgres:/);
  await expect(energy('postgres://anna:hunter2@127.0.0.1:1/energy')).rejects.toMatchObject({
    stderr: expect.stringMatching(
      /^--to: postgres:\/\/…@127.0.0.1:1\/… cannot be reached, no program listens at this address/,
    ),
  });
});
