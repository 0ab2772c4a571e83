import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Toolbox, ToolDescription } from './server.ts';

/** Maximum duration of a request in ms, longer than every time limit of the service. */
const TIMEOUT_MS = 120_000;
/** Latest revision of the Model Context Protocol in which a request needs no member `_meta`. */
const REVISION = '2025-11-25';

/** A response of JSON-RPC. */
const response = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
]);
/** The members of the service's error responses that this file reads. */
const refusal = z.object({ error: z.string(), status: z.number() });

/**
 * Returns the tools of a running service. Each tool call becomes one HTTPS request with the key. `url`: base address of the
 * service.
 */
export function createRemoteToolbox({ url, key, mayWrite }: { url: URL; key: string; mayWrite: boolean }): Toolbox {
  const endpoint = new URL(`${url.pathname.replace(/\/+$/, '')}/mcp`, url);
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': REVISION,
    ...(mayWrite ? { 'energy-allow-write': '1' } : {}),
  };
  async function request(method: string, params: object): Promise<{ body: unknown; isRefused: boolean }> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const options = {
      method: 'POST',
      headers,
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as const;
    const answer = await fetch(endpoint, options).catch((error: Error) => {
      const { message = error.message } = (error.cause ?? {}) as { message?: string };
      throw new ProtocolError(ProtocolErrorCode.InternalError, `${endpoint.origin} does not respond: ${message}`);
    });
    return { body: await answer.json().catch(() => null), isRefused: !answer.ok };
  }
  return {
    async list() {
      const { body, isRefused } = await request('tools/list', {});
      const { tools } = isRefused ? refuse(body) : resultIn(body);
      return tools as ToolDescription[];
    },
    async call(name, values) {
      const { body, isRefused } = await request('tools/call', { name, arguments: values });
      // If the service refuses a request, the tool's result contains the reason, so that the assistant can read it.
      if (isRefused && refusal.safeParse(body).success)
        return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }] };
      return resultIn(body) as CallToolResult;
    },
  };
}

function refuse(body: unknown): never {
  const { data } = refusal.safeParse(body);
  throw new ProtocolError(ProtocolErrorCode.InternalError, data ? `${data.status}: ${data.error}` : NO_SERVICE);
}

/** Returns the result in a JSON-RPC response. Throws the error that the response contains. */
function resultIn(body: unknown): Record<string, unknown> {
  const { data } = response.safeParse(body);
  if (!data) throw new ProtocolError(ProtocolErrorCode.InternalError, NO_SERVICE);
  if ('error' in data) throw new ProtocolError(data.error.code, data.error.message);
  return data.result;
}

const NO_SERVICE = 'There is no energy usage service of this version or later at this address.';
