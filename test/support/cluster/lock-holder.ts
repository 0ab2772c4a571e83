import { setTimeout } from 'node:timers/promises';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createPool } from '#src/database/connect.ts';
import { withExclusiveLock } from '#src/database/exclusive-lock.ts';

/**
 * Child process that does a duty while no other process does it, and records each step. Arguments: the database's URL,
 * its name, and the SQL statement of a step. hung.test.ts stops and kills such processes.
 */
const [, , url = '', name = '', statement = ''] = process.argv;
const pool = createPool(url, { max: 2 });
// The process must not outlive the test.
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
