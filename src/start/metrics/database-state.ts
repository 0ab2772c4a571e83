import type { Pool } from '#src/database/connect.ts';

/** How the database answers this process. */
export const DATABASE_STATE = {
  energy_database_up: '1 where the database answers this process within 2 s',
  energy_database_answer_seconds:
    'How long the database takes to answer the least question, a free connection included',
  energy_database_connections_busy: 'Connections of this process that are at work',
  energy_database_requests_waiting: 'What in this process waits for a free connection',
};

/** Less than a scrape may take. */
const ANSWER_MS = 2_000;

/** Asks the least question. A database that is away has no answer time. */
export async function databaseState(pool: Pool): Promise<Record<string, number>> {
  // Before this question needs one itself.
  const counts = {
    energy_database_connections_busy: pool.totalCount - pool.idleCount,
    energy_database_requests_waiting: pool.waitingCount,
  };
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ANSWER_MS, false);
  });
  // Raw SQL: whether it answers.
  const answered = pool.query('SELECT 1').then(
    () => true,
    () => false,
  );
  const isUp = await Promise.race([answered, late]).finally(() => clearTimeout(timer));
  if (!isUp) return { ...counts, energy_database_up: 0 };
  return { ...counts, energy_database_up: 1, energy_database_answer_seconds: (performance.now() - startedAt) / 1_000 };
}
