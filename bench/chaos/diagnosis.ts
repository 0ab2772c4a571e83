import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from '#src/database/connect.ts';

/** Lines of a log that are shown. */
const LAST_LINES = 30;

/** What stands where acknowledged messages are missing: was something refused, does somebody wait, what did the processes log. */
const QUESTIONS = {
  stored: `SELECT device_id, count(*)::int AS readings, min(read_at), max(read_at) FROM readings JOIN series USING (series_id) GROUP BY 1 ORDER BY 1`,
  rejected: 'SELECT device_id, reason, count(*)::int FROM rejected_messages GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10',
  slots: 'SELECT * FROM ingest_slots ORDER BY number',
  sessions: `SELECT pid, state, wait_event_type, wait_event, (now() - xact_start)::text AS transaction, left(query, 100) AS query
    FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY xact_start`,
  waiting:
    'SELECT pid, locktype, relation::regclass::text, mode, pg_blocking_pids(pid) AS blocked_by FROM pg_locks WHERE NOT granted',
};

/** Answers it as text; a question that cannot be answered says why. */
export async function diagnosis(pool: Pool, logs: string): Promise<string> {
  const found: string[] = [];
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const rows = await pool.query(question).then(
      (result) => result.rows.map((row) => JSON.stringify(row)),
      (error: Error) => [error.message],
    );
    found.push(`${name}:`, ...rows.map((row) => `  ${row}`));
  }
  for (const log of ['service.log', 'mosquitto.log']) {
    const text = await readFile(join(logs, log), 'utf8').catch(() => '');
    found.push(`${log}:`, ...text.trimEnd().split('\n').slice(-LAST_LINES));
  }
  return found.join('\n');
}
