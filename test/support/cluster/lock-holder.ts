import { setTimeout } from 'node:timers/promises';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createPool } from '#src/database/connect.ts';
import { withExclusiveLock } from '#src/database/exclusive-lock.ts';

/**
 * Child process that takes an exclusive lock, executes a step again and again, and records each execution. Arguments: URL of the database,
 * name of the process, SQL statement of the step.
 */
const [, , url = '', name = '', statement = ''] = process.argv;
const pool = createPool(url, { max: 2 });
// When the test ends, the channel to this process is closed.
process.on('disconnect', () => process.exit(1));

for (;;) {
  const held = withExclusiveLock(pool, ADVISORY_LOCKS.packing, async (session) => {
    for (;;) {
      await session.query('INSERT INTO duty_steps (name) VALUES ($1)', [name]);
      await session.query(statement);
    }
  });
  await held.catch(() => {});
  await setTimeout(200);
}
