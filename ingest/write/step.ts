import type { PoolClient } from '#src/database/connect.ts';

/**
 * A statement that a batch ends in, with its values as they go over the wire. It holds nothing else of the batch: what a thousand
 * readings are planned with would be alive while the database writes, and be copied by the garbage collector again and again.
 */
export type Step = (client: PoolClient) => Promise<unknown>;

// Raw SQL: the hot path of ingest: statements over arrays, prepared where each batch has them.
/** One that asks for no answer. */
export const statement =
  (query: { name?: string; text: string; values: unknown[] }): Step =>
  (client) =>
    client.query(query);
