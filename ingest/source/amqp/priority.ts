import { createHash } from 'node:crypto';

/**
 * How much a worker wants a shard: rendezvous hashing. The broker gives a shard to the worker that wants it most, and when that one is
 * gone to the next; nobody has to agree on anything, every worker gets about as many, and one that comes or goes moves only its own.
 * A 31-bit number: priorities are signed in AMQP. Pure.
 */
export function priorityOf(workerId: string, shard: number): number {
  return createHash('sha256').update(`${workerId}/${shard}`).digest().readUInt32BE() >>> 1;
}
