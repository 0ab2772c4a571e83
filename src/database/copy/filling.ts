import { closeForWriting, FILLED_FROM, isClosedForWriting, mayClose, openForWriting, whyClosed } from '../closing.ts';
import type { Pool } from '../connect.ts';
import { inTransaction } from '../transaction.ts';

// Raw SQL: on a schema that another version of the service may have made.
interface Pools {
  source: Pool;
  target: Pool;
}

/**
 * Marks the target as being filled from the source, or finds it so: closed for writing to everybody but a move, and with
 * an `installation_id` that names the source. So no service starts on half of an installation, and only a move that is
 * not finished may go on and overwrite what is there. Throws, with what to do, where the two do not go together.
 */
export async function beginFilling({ source, target }: Pools): Promise<void> {
  const [from, to] = await Promise.all([stateOf(source), stateOf(target)]);
  if (from.id.startsWith(FILLED_FROM)) throw new Error(await whyClosed(source));
  if (to.isClosed && to.id === FILLED_FROM + from.id) return;
  if (from.isClosed) throw new Error(await whyClosed(source));
  if (to.hasUsers || to.isClosed)
    throw new Error(
      `The database of --to ${to.isClosed ? 'is closed for writing: another move left it so' : 'has users of its own'}. ` +
        'Name an empty one: nothing was copied.',
    );
  for (const pool of [source, target]) {
    if (!(await mayClose(pool)))
      throw new Error(
        'The role must own both databases, so that it can close them for writing. As a superuser: ALTER DATABASE … OWNER ' +
          `TO …, for the ${pool === source ? 'old' : 'new'} one. Nothing was copied.`,
      );
  }
  await inTransaction(target, async (client) => {
    await client.query('UPDATE installation SET installation_id = $1', [FILLED_FROM + from.id]);
    await closeForWriting(client);
  });
}

/** Makes the target the installation that the source was, open for writing. */
export async function endFilling({ source, target }: Pools): Promise<void> {
  const { id, shards } = await stateOf(source);
  await inTransaction(target, async (client) => {
    await client.query('UPDATE installation SET installation_id = $1, shards = $2', [id, shards]);
    await openForWriting(client);
  });
}

/** Whether the target has been made that installation, by a move that was then broken off before it told anybody. */
export async function isFilled({ source, target }: Pools): Promise<boolean> {
  const [from, to] = await Promise.all([stateOf(source), stateOf(target)]);
  return from.isClosed && !to.isClosed && to.id === from.id;
}

async function stateOf(
  pool: Pool,
): Promise<{ id: string; shards: number | null; hasUsers: boolean; isClosed: boolean }> {
  const { rows } = await pool.query(
    // A source of an earlier version has no such column.
    `SELECT installation_id AS id, (to_jsonb(installation) ->> 'shards')::smallint AS shards,
       EXISTS (SELECT FROM users) AS "hasUsers" FROM installation`,
  );
  return { ...rows[0], isClosed: await isClosedForWriting(pool) };
}
