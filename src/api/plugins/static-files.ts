import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Gives replies `sendFile`, which sends `x.br` or `x.gz` in the place of `x` where they are there and accepted. Serves nothing itself. */
export function addStaticFiles(app: FastifyInstance): void {
  const root = fileURLToPath(new URL('../docs/', import.meta.url));
  void app.register(fastifyStatic, { root, serve: false, preCompressed: true });
}
