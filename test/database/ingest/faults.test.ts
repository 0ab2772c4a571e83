import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Pipeline } from '#ingest/pipeline.ts';
import { createReadingBatchWriter, type ReadingBatchWriter } from '#ingest/write/writer.ts';
import { classifyWriteError } from '#ingest/write-errors.ts';
import type { Logger } from '#src/core/log.ts';
import { createDatabase, createPool, type Pool } from '#src/database/connect.ts';
import { startEmbeddedPostgres } from '#src/database/embedded-postgres.ts';
import { migrate } from '#src/database/migrate.ts';
import { runInTransaction } from '#src/database/transaction.ts';
import { createGateway } from '#src/devices/gateways.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/database.ts';
import { createTestMeter } from '#test/support/meters.ts';

const BASE_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 5 * 3_600_000;

/** Returns a logger that collects its warnings and errors. */
function listeningLog() {
  const errors: { level: 'warn' | 'error'; err: Error }[] = [];
  const note = (level: 'warn' | 'error') => (given: { err?: Error }) => {
    if (given.err) errors.push({ level, err: given.err });
  };
  return { errors, log: { warn: note('warn'), error: note('error') } as unknown as Logger };
}

/**
 * Returns functions that send messages to this writer through a pipeline. Each returns a promise that resolves when the message is
 * acknowledged.
 */
function pipelineOn(writer: ReadingBatchWriter) {
  const { errors, log } = listeningLog();
  const pipeline = new Pipeline({ writer, log, onRoom: () => {} });
  const send = (topic: string, payload: unknown) =>
    new Promise<void>((done) => {
      const bytes = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
      pipeline.receive({ topic, payload: bytes, receivedAtMs: Date.now(), replayed: false }, { done });
    });
  const read = (deviceId: string, minutes: number) =>
    send(`energy/v1/${deviceId}/readings`, {
      ts: new Date(BASE_MS + minutes * 60_000).toISOString(),
      energy_total_kwh: 100 + minutes,
    });
  return { errors, pipeline, send, read };
}

async function storedOf(pool: Pool, deviceId: string): Promise<{ stored: number; rejected: string[] }> {
  const { rows } = await pool.query(
    'SELECT count(*)::int AS stored FROM readings JOIN series USING (series_id) WHERE device_id = $1',
    [deviceId],
  );
  const rejected = await pool.query('SELECT reason FROM rejected_messages ORDER BY rejected_id');
  return { stored: rows[0].stored, rejected: rejected.rows.map(({ reason }) => reason) };
}

describe('an unavailable database', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'energy-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('delays messages: they are stored and acknowledged when it is available again, and none is refused', async () => {
    let server = await startEmbeddedPostgres({ dataDir: folder, sharedBuffersMb: 128 });
    const pool = createPool(server.url, { max: 4 });
    await migrate(pool);
    const { deviceId } = await createTestMeter({ pool } as TestDatabase);
    const { errors, pipeline, read } = pipelineOn(createReadingBatchWriter(pool));
    const sent: Promise<void>[] = [];
    let minutes = 0;
    // Timestamps are 1.2 s apart, so that no timestamp is in the future, however many messages are sent.
    const timer = setInterval(() => sent.push(read(deviceId, minutes++ / 50)), 2);
    for (let stop = 0; stop < 3; stop++) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await server.stop();
      await new Promise((resolve) => setTimeout(resolve, 700));
      server = await startEmbeddedPostgres({ dataDir: folder, sharedBuffersMb: 128 });
    }
    clearInterval(timer);
    await Promise.all(sent);
    expect(await storedOf(pool, deviceId)).toEqual({ stored: sent.length, rejected: [] });
    expect(errors.filter(({ level }) => level === 'error')).toEqual([]);
    expect(errors.length).toBeGreaterThan(3);
    await pipeline.drain(1_000);
    await pool.end();
    await server.stop();
  });
});

describe('a failure of the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const failureOf = async (work: Promise<unknown>): Promise<Error & { code?: string }> =>
    work.then(
      () => {
        throw new Error('did not fail');
      },
      (error) => error,
    );
  const query = (url: string, text: string, settings: string[] = []) => {
    const pool = createPool(url, { max: 1, settings });
    return failureOf(pool.query(text)).finally(() => pool.end());
  };

  test.each([
    ['it is read-only', '25006', 'CREATE TABLE t ()', ['default_transaction_read_only=on']],
    ['a relation is not there yet', '42P01', 'SELECT FROM not_there', []],
    ['a column is not there yet', '42703', 'SELECT not_there FROM users', []],
    ['a statement took too long', '57014', 'SELECT pg_sleep(5)', ['statement_timeout=50']],
    ['its session is ended', '57P01', 'SELECT pg_terminate_backend(pg_backend_pid())', []],
    ['it forbids something', '42501', 'SET ROLE pg_read_all_stats; SELECT * FROM users', []],
  ])('%s (%s): a batch is retried', async (_what, code, text, settings) => {
    const error = await query(database.url, text, settings);
    expect(error.code).toBe(code);
    expect(classifyWriteError(error)).toBe('database');
  });

  test('a missing database (3D000) or no listener: a batch is retried', async () => {
    const gone = await query(database.url.replace(/test_[0-9a-f]+/, 'test_of_nobody'), 'SELECT 1');
    expect([gone.code, classifyWriteError(gone)]).toEqual(['3D000', 'database']);
    for (const url of ['postgresql://postgres@127.0.0.1:1/x', 'postgresql://postgres@localhost:1/x']) {
      const refused = await query(url, 'SELECT 1');
      expect([refused.code, classifyWriteError(refused)]).toEqual(['ECONNREFUSED', 'database']);
    }
    const noName = await query('postgresql://postgres@no-host.invalid/x', 'SELECT 1');
    expect(classifyWriteError(noName)).toBe('database');
  });

  test('a closed, silent or non-PostgreSQL connection: errors without a code, and a batch is retried', async () => {
    const talks: ((socket: Socket) => void)[] = [
      (socket) => socket.once('data', () => socket.destroy()),
      (socket) => socket.resetAndDestroy(),
      () => {},
      (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    ];
    for (const talk of talks) {
      const sockets: Socket[] = [];
      const server: Server = createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => {});
        talk(socket);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as { port: number };
      const error = await query(`postgresql://postgres@127.0.0.1:${port}/x`, 'SELECT 1');
      expect([error.message, classifyWriteError(error)]).toEqual([expect.any(String), 'database']);
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });

  test('a session that ends during a transaction, a full or closed pool: a batch is retried', async () => {
    const pool = createPool(database.url, { max: 1 });
    const ended = await failureOf(
      runInTransaction(pool, async (client) => {
        const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
        await database.pool.query('SELECT pg_terminate_backend($1, 30000)', [rows[0].pid]);
        return client.query('SELECT 1');
      }),
    );
    expect([ended.message, classifyWriteError(ended)]).toEqual([expect.any(String), 'database']);
    const held = await pool.connect();
    const full = await failureOf(pool.query('SELECT 1'));
    expect([full.message, classifyWriteError(full)]).toEqual([expect.stringContaining('timeout'), 'database']);
    held.release();
    await pool.end();
    const closed = await failureOf(pool.query('SELECT 1'));
    expect(classifyWriteError(closed)).toBe('database');
  });

  test.each([
    ['a value of the wrong form', '22P02', 'SELECT $1::int', ['x']],
    ['a text with a NUL', '22021', 'SELECT $1::text', ['\0']],
    ['a value that a check forbids', '23514', 'UPDATE devices SET limit_kw = $1', [-1]],
    [
      'a row too long for its index',
      '54000',
      `INSERT INTO users (user_id, email, role)
       SELECT string_agg(md5(i::text), ''), 'a@example.com', 'homeowner' FROM generate_series(1, $1::int) i`,
      [500],
    ],
  ])('the error %s (%s) is caused by the data', async (_what, code, text, values) => {
    await createTestMeter(database);
    const error = await failureOf(database.pool.query(text, [...values]));
    expect([error.code, classifyWriteError(error)]).toEqual([code, 'data']);
  });
});

describe('a message that cannot be written', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test('because the database rejects it is stored with the reason, and the other messages of its batch are stored', async () => {
    const db = createDatabase(database.pool);
    const { deviceId, userId } = await createTestMeter(database);
    const { gateway } = await createGateway(db, { userId, name: 'home' });
    const { errors, read, send } = pipelineOn(createReadingBatchWriter(database.pool));
    // NUL is the only character that PostgreSQL's type text does not accept.
    const poison = send(`gw/${gateway.gateway_id}/homeassistant/sensor/a\0b/config`, '{"state_topic":"m"}');
    await Promise.all([...Array.from({ length: 20 }, (_, index) => read(deviceId, index)), poison, read(deviceId, 20)]);
    const { stored, rejected } = await storedOf(database.pool, deviceId);
    expect(stored).toBe(21);
    expect(rejected).toEqual([expect.stringContaining('cannot be written: invalid byte sequence')]);
    expect(errors.map(({ level }) => level)).toEqual(['error']);
  });

  test('because the service’s code fails is also stored, but only while the database responds', async () => {
    await database.pool.query('DELETE FROM rejected_messages');
    const { deviceId } = await createTestMeter(database);
    const real = createReadingBatchWriter(database.pool);
    let isAway = false;
    const writer: ReadingBatchWriter = {
      async write(batch) {
        if (isAway) throw new TypeError("Cannot read properties of undefined (reading 'write')");
        if (batch.some(({ decoded }) => decoded.readings[0]?.value === 130_500_000))
          throw new RangeError('Invalid array length');
        return real.write(batch);
      },
    };
    const { errors, read } = pipelineOn(writer);
    isAway = true;
    const sent = [...Array.from({ length: 20 }, (_, index) => read(deviceId, index)), read(deviceId, 30.5)];
    await expect.poll(() => errors.length).toBeGreaterThan(1);
    expect(new Set(errors.map(({ level }) => level))).toEqual(new Set(['warn']));
    isAway = false;
    await Promise.all(sent);
    const { stored, rejected } = await storedOf(database.pool, deviceId);
    expect(stored).toBe(20);
    expect(rejected).toEqual(['cannot be written: Invalid array length']);
    expect(errors.at(-1)).toMatchObject({ level: 'error', err: { stack: expect.stringContaining('RangeError') } });
  });
});
