import { createHash } from 'node:crypto';
import { createUnprocessableError } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';

/** Request for a page of a list: at most `limit` items after `cursor`. */
export interface ListPageRequest {
  limit: number;
  cursor?: string;
}

/** Member that identifies an item of a list, or a function that returns the identifier. */
export type ItemIdentifier<Item> = keyof Item | ((item: Item) => string);

interface Linked {
  header(name: string, value: string): unknown;
}

/** Adds the link to the next page of a list (RFC 8288). */
function linkNext(reply: Linked, url: string, cursor: string): void {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  reply.header('Link', `<${path}?${parameters}>; rel="next"`);
}

/**
 * Returns a cursor for a list: an identifier and a checksum. The checksum shows that the cursor belongs to this list; it is not
 * secret.
 */
const cursorOf = (path: string, id: string): string =>
  `${Buffer.from(id).toString('base64url')}.${createHash('sha256').update(`${path} ${id}`).digest('base64url').slice(0, 8)}`;

/** Returns the identifier that a cursor contains. Throws 422 if the cursor does not belong to this list. */
function idIn(path: string, cursor: string): string {
  const id = Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString();
  if (cursorOf(path, id) !== cursor)
    throw createUnprocessableError({ field: 'cursor', message: 'must come from a Link of this list' });
  return id;
}

/**
 * Returns a page of a list. `find` is called for one item more than requested, to find out whether there is a next page. Throws
 * 422 if the cursor does not belong to this list.
 */
export async function fetchListPage<T extends object>(
  reply: Linked,
  url: string,
  asked: ListPageRequest,
  id: ItemIdentifier<T>,
  find: (page: ListPageRequest) => Promise<T[]>,
): Promise<T[]> {
  const { limit } = asked;
  const [path = ''] = url.split('?', 1);
  const cursor = asked.cursor === undefined ? undefined : idIn(path, asked.cursor);
  const found = await find(omitUndefined({ limit: limit + 1, cursor }));
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  if (found.length > limit && last !== undefined)
    linkNext(reply, url, cursorOf(path, typeof id === 'function' ? id(last) : String(last[id])));
  return shown;
}
