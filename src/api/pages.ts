import type { FastifyReply } from 'fastify';
import { defined } from '#src/core/defined.ts';

/** Names the next page of a list (RFC 8288): the same request, after the last of this page. */
function linkNext(reply: FastifyReply, url: string, cursor: string): void {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  reply.header('Link', `<${path}?${parameters}>; rel="next"`);
}

/**
 * A page of a list: `find` is asked for one more than was wanted, which tells whether there is a next page; its cursor is
 * the identifier of the last that is shown.
 */
export async function pageOf<T>(
  reply: FastifyReply,
  url: string,
  asked: { limit: number; cursor?: string | undefined },
  find: (page: { limit: number; cursor?: string }) => Promise<T[]>,
  idOf: (item: T) => string,
): Promise<T[]> {
  const { limit, cursor } = asked;
  const found = await find(defined({ limit: limit + 1, cursor }));
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  if (found.length > limit && last !== undefined) linkNext(reply, url, idOf(last));
  return shown;
}
