import type { FastifyReply } from 'fastify';

/** Names the next page of a list (RFC 8288): the same request, after the last of this page. */
export function linkNext(reply: FastifyReply, url: string, cursor: string): void {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('cursor', cursor);
  reply.header('Link', `<${path}?${parameters}>; rel="next"`);
}
