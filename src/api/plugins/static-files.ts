import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/**
 * Adds `sendFile` to replies, which sends `x.br` or `x.gz` instead of `x` if it exists and the client accepts it. Serves no path itself.
 */
export function addStaticFiles(app: FastifyInstance): void {
  const root = fileURLToPath(new URL('../docs/', import.meta.url));
  void app.register(fastifyStatic, { root, serve: false, preCompressed: true });
}
