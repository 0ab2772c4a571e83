import { Readable } from 'node:stream';
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify';
import type { ApiContext } from '#src/api/context.ts';
import { addOperation, listPathParameters } from '#src/api/operation.ts';
import { addErrorHandler, createErrorBody } from '#src/api/plugins/errors.ts';
import type { Caller } from '#src/auth/authenticate.ts';
import { createUnprocessableError } from '#src/core/errors.ts';
import { listSchemaMembers, TOOLS, type Tool } from './tools.ts';

/** Maximum size of a tool's result in bytes, because an assistant reads the whole result. */
const MAX_RESULT_BYTES = 262_144;
const TOO_LONG = `must be at most ${MAX_RESULT_BYTES / 1_024} KiB long: request a shorter range, larger rows or a lower limit`;

/** The request of a client that runs a tool. */
export interface ToolRequest {
  /** Id of the HTTP request that called the tool, as in the service's log. */
  id: string;
  caller: Caller;
  address: string;
}

/** Response of an operation. `cursor`: position of the next page of a list; null on the last page. */
interface OperationResponse {
  status: number;
  text: string;
  cursor: string | null;
}

/** Type of the function that runs a tool's operation for a caller. The operation validates the arguments. */
type ToolRunner = (tool: Tool, values: Record<string, unknown>, by: ToolRequest) => Promise<OperationResponse>;

/**
 * Header with the id of the request that called the tool. It can be trusted, because only this process can send requests to these
 * routes.
 */
const REQUEST_HEADER = 'request-id';

/**
 * Creates the function that runs tools. A tool call is a request to an internal copy of the API that listens on no port, so that
 * it passes the same checks as any request. The audit log records `mcp` as the interface.
 */
export function createToolRunner(context: ApiContext, publicUrl: () => string, log: FastifyBaseLogger): ToolRunner {
  const callers = new Map<string, Caller>();
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: ({ headers }) => String(headers[REQUEST_HEADER]),
    requestIdHeader: false,
    routerOptions: { maxParamLength: 1_048_576 },
  });
  app.decorateRequest('caller', null);
  app.addHook('onRequest', async (request) => {
    request.caller = callers.get(request.id) ?? null;
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    if (reply.statusCode >= 400) return payload;
    const text = payload instanceof Readable ? await readBounded(payload) : String(payload);
    if (Buffer.byteLength(text) > MAX_RESULT_BYTES) throw tooLong();
    return text;
  });
  addErrorHandler(app, publicUrl);
  app.setNotFoundHandler((_request, reply) => reply.status(404).send(createErrorBody('notFound', publicUrl())));
  for (const runs of new Set([...TOOLS.values()].map((tool) => tool.runs)))
    addOperation(app, context, runs.audit ? { ...runs, audit: { ...runs.audit, via: 'mcp' } } : runs);

  return async (tool, values, { id, caller, address }) => {
    const request = requestOf(tool, values);
    if (!request) return { status: 404, text: JSON.stringify(createErrorBody('notFound', publicUrl())), cursor: null };
    callers.set(id, caller);
    try {
      const { body, ...rest } = request;
      const { statusCode, headers, payload } = await app.inject({
        ...rest,
        ...(body === undefined ? {} : { payload: body }),
        headers: { [REQUEST_HEADER]: id },
        remoteAddress: address,
      });
      return { status: statusCode, text: payload, cursor: cursorIn(headers.link) };
    } finally {
      callers.delete(id);
    }
  };
}

/**
 * Returns the request to the operation of a tool. Null if an identifier would change the path (empty, `.` or `..`). Throws 422
 * for an unknown argument, or for an argument of a wrong type.
 */
function requestOf({ runs, preset = {}, inputSchema }: Tool, values: Record<string, unknown>) {
  const known = inputSchema.properties as object;
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(known, name));
  if (unknown.length > 0)
    throw createUnprocessableError(...unknown.map((field) => ({ field, message: 'is not an argument' })));
  const isIn = (part: object) => (name: string) => Object.hasOwn(part, name);
  const members = Object.entries({ ...values, ...preset }).filter(([, value]) => value !== undefined);
  const inBody = isIn(listSchemaMembers(runs.body));
  const body = Object.fromEntries(members.filter(([name]) => inBody(name)));
  const texts = new Map(members.filter(([name]) => !inBody(name)).map(([name, value]) => [name, textOf(name, value)]));
  let path = runs.path;
  for (const name of listPathParameters(runs.path)) {
    const id = texts.get(name);
    if (id === undefined) throw createUnprocessableError({ field: name, message: 'is required' });
    if (/^\.{0,2}$/.test(id)) return null;
    path = path.replace(`{${name}}`, () => encodeURIComponent(id.toWellFormed()));
    texts.delete(name);
  }
  const query = new URLSearchParams([...texts]).toString();
  return {
    method: runs.method,
    url: query === '' ? path : `${path}?${query}`,
    ...(runs.body ? { body } : {}),
  };
}

function textOf(field: string, value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw createUnprocessableError({ field, message: 'must be a text or a number' });
}

const tooLong = () => createUnprocessableError({ field: 'result', message: TOO_LONG });

/** Reads a streamed response completely and returns its text. Throws 422 if the response is too long. */
async function readBounded(pieces: Readable): Promise<string> {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > MAX_RESULT_BYTES) throw tooLong();
  }
  return text;
}

/** Returns the cursor of a list's next page, from the Link header. Null if there is no next page. */
function cursorIn(link: unknown): string | null {
  const [, path] = /^<([^>]*)>; rel="next"/.exec(String(link ?? '')) ?? [];
  return path === undefined ? null : new URL(path, 'https://localhost').searchParams.get('cursor');
}
