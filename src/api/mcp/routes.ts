import type { FastifyInstance } from 'fastify';
import { isNestedTooDeeply } from '#src/api/bodies.ts';
import type { ApiContext } from '#src/api/context.ts';
import { RESOURCE_METADATA_PATH } from '#src/api/plugins/errors.ts';
import { SCOPES } from '#src/auth/scopes.ts';
import { AppError, createUnprocessableError } from '#src/core/errors.ts';
import type { McpRequestHandler } from './server.ts';

/** Request headers that the Model Context Protocol uses. */
const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];
/** Response to methods other than POST. The server has no streams to listen to and no sessions to end. */
const NO_SESSIONS = { jsonrpc: '2.0', error: { code: -32_000, message: 'Method not allowed.' }, id: null };

/**
 * Adds the path `/mcp`, a server of the Model Context Protocol with tools for AI assistants. Keys, limits and CORS are the same
 * as below /v1. `publicUrl`: returns the URL at which clients reach the API.
 */
export function addMcpRoutes(app: FastifyInstance, context: ApiContext, publicUrl: () => string): void {
  addMetadata(app, publicUrl);
  // The tools are loaded at the first request, because most installations are not used by assistants.
  let loaded: Promise<Tools> | undefined;
  const load = () => {
    loaded ??= loadTools(app, context, publicUrl);
    return loaded;
  };
  app.post('/mcp', async (request, reply) => {
    const { caller, body } = request;
    if (!caller) throw new AppError('unauthorized');
    // An HTTP request must contain exactly one message, because it counts as one request.
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new AppError('badRequest', { details: [{ field: 'body', message: 'must be one JSON-RPC message' }] });
    if (isNestedTooDeeply(body))
      throw createUnprocessableError({ field: 'body', message: 'is nested deeper than 100 levels' });
    const headers = PROTOCOL_HEADERS.map((name) => [name, String(request.headers[name] ?? '')] as const);
    const sent = new Request(`${publicUrl()}/mcp`, {
      method: 'POST',
      headers: headers.filter(([, value]) => value !== '').map(([name, value]) => [name, value]),
    });
    const { serve, toolboxOf } = await load();
    const mayWrite = request.headers['energy-allow-write'] === '1';
    const answer = await serve(sent, body, toolboxOf({ id: request.id, caller, address: request.ip }, mayWrite));
    const type = answer.headers.get('content-type');
    if (type !== null) reply.type(type);
    return reply.status(answer.status).send(answer.body === null ? undefined : await answer.text());
  });
  app.route({
    method: ['GET', 'DELETE'],
    url: '/mcp',
    handler: (_request, reply) => reply.status(405).header('Allow', 'POST').send(NO_SESSIONS),
  });
}

interface Tools {
  serve: McpRequestHandler;
  toolboxOf: ReturnType<typeof import('./toolbox.ts').createToolboxFactory>;
}

async function loadTools(app: FastifyInstance, context: ApiContext, publicUrl: () => string): Promise<Tools> {
  const [{ createMcpRequestHandler }, { createToolboxFactory }] = await Promise.all([
    import('./server.ts'),
    import('./toolbox.ts'),
  ]);
  const report = (error: Error) => app.log.debug({ err: error }, 'a client of the tools sent something unexpected');
  return { serve: createMcpRequestHandler(report), toolboxOf: createToolboxFactory(context, publicUrl, app.log) };
}

/** Adds metadata (RFC 9728) that clients read before they have a key: how to send a key, and which scopes exist. */
function addMetadata(app: FastifyInstance, publicUrl: () => string): void {
  for (const path of ['', '/mcp'])
    app.get(`${RESOURCE_METADATA_PATH}${path}`, async () => ({
      resource: `${publicUrl()}${path}`,
      resource_name: 'Energy usage service',
      resource_documentation: `${publicUrl()}/docs`,
      bearer_methods_supported: ['header'],
      scopes_supported: SCOPES,
    }));
}
