import { connect } from 'mqtt';
import pg from 'pg';

/**
 * Child process that runs a simple script for comparison. It acknowledges messages on receipt, and inserts them into a table without index
 * or checks. It receives `{url, databaseUrl}` from its parent, and `clientId` for a persistent session.
 */
interface Task {
  url: string;
  databaseUrl: string;
  clientId?: string;
}

process.once('message', async ({ url, databaseUrl, clientId }: Task) => {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  let rows: { device: string; ts: string; kwh: number }[] = [];
  let isWriting = false;
  const flush = async () => {
    if (isWriting || rows.length === 0) return;
    isWriting = true;
    const batch = rows;
    rows = [];
    await pool.query('INSERT INTO bench_bare SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::float8[])', [
      batch.map(({ device }) => device),
      batch.map(({ ts }) => ts),
      batch.map(({ kwh }) => kwh),
    ]);
    isWriting = false;
  };
  const client = connect(url, clientId === undefined ? {} : { clientId, clean: false });
  client.on('message', (topic, payload) => {
    const reading = JSON.parse(payload.toString());
    rows.push({ device: topic.split('/')[2] ?? '', ts: reading.ts, kwh: reading.energy_total_kwh });
  });
  client.on('connect', () => client.subscribe('energy/v1/+/readings', { qos: 1 }, () => process.send?.('ready')));
  setInterval(flush, 20);
});
