import { setTimeout } from 'node:timers/promises';
import { ADVISORY_LOCKS } from '#src/database/advisory-locks.ts';
import { createPool } from '#src/database/connect.ts';
import { withExclusiveLock } from '#src/database/exclusive-lock.ts';

/**
 * A process that does a duty whenever nobody else does, and notes each step of it: `node lock-holder.ts URL NAME STATEMENT`. The
 * statement is what a step takes; hung.test.ts stops and kills such processes.
 */
const [, , url = '', name = '', statement = ''] = process.argv;
const pool = createPool(url, { max: 2 });

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
