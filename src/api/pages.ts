import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { unprocessable } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';

/** Adds the link to the next page of a list (RFC 8288): the same request, after the last item of this page. */
function linkNext(reply: FastifyReply, url: string, cursor: string): void {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  reply.header('Link', `<${path}?${parameters}>; rel="next"`);
}

/**
 * Returns a cursor of a list: an identifier, and a checksum that proves it was created here for this list. It is no secret and grants
 * nothing.
 */
const cursorOf = (path: string, id: string): string =>
  `${Buffer.from(id).toString('base64url')}.${createHash('sha256').update(`${path} ${id}`).digest('base64url').slice(0, 8)}`;

/** Returns the identifier in a cursor. */
function idIn(path: string, cursor: string): string {
  const id = Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString();
  if (cursorOf(path, id) !== cursor)
    throw unprocessable({ field: 'cursor', message: 'must come from a Link of this list' });
  return id;
}

/**
 * Returns a page of a list. `find` reads one item more than requested, which shows whether there is a next page; the
 * cursor of the next page contains the identifier of the last returned item. Error 422 if the cursor does not belong to
 * this list.
 */
export async function fetchPage<T>(
  reply: FastifyReply,
  url: string,
  asked: { limit: number; cursor?: string | undefined },
  find: (page: { limit: number; cursor?: string }) => Promise<T[]>,
  idOf: (item: T) => string,
): Promise<T[]> {
  const { limit } = asked;
  const [path = ''] = url.split('?', 1);
  const cursor = asked.cursor === undefined ? undefined : idIn(path, asked.cursor);
  const found = await find(omitUndefined({ limit: limit + 1, cursor }));
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  if (found.length > limit && last !== undefined) linkNext(reply, url, cursorOf(path, idOf(last)));
  return shown;
}
