import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApi } from './api.ts';

/** A connected MCP client. Its tools return data or the service's error. */
export interface ToolClient {
  client: Client;
  /** Calls a tool and returns its data. Throws if the tool returns an error. */
  // biome-ignore lint/suspicious/noExplicitAny: a result can have any form; each test asserts the form
  ask(name: string, values?: Record<string, unknown>): Promise<any>;
  /** Calls a tool that must refuse the call. Returns the HTTP status of the tool's error. */
  refusalOf(name: string, values?: Record<string, unknown>): Promise<number>;
}

const CERTIFICATES = getCACertificates('default');

/** Makes this process trust the certificate of this test API and of no other, because OpenSSL finds only one certificate for a name. */
export function trustCertificateOfTestApi({ tls }: TestApi): void {
  setDefaultCACertificates([...CERTIFICATES, tls.cert]);
}

/** Connects the official MCP client over HTTPS. `isModern`: uses revision 2026-07-28 of the protocol instead of an earlier one. */
export async function connectMcpClient(
  api: TestApi,
  key: string,
  { headers = {}, isModern = false }: { headers?: Record<string, string>; isModern?: boolean } = {},
): Promise<ToolClient> {
  const client = createMcpClient(isModern);
  const requestInit = { headers: { authorization: `Bearer ${key}`, ...headers } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`https://localhost:${api.port}/mcp`), { requestInit }),
  );
  return createToolClient(client);
}

export const createMcpClient = (isModern = false): Client =>
  new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: isModern ? 'auto' : 'legacy' } });

/** Lists the tools first: the client then validates each later result against the tool's output schema. */
export async function createToolClient(client: Client): Promise<ToolClient> {
  await client.listTools();
  const call = async (name: string, values: Record<string, unknown> = {}) => {
    const { isError, structuredContent, content } = await client.callTool({ name, arguments: values });
    const [only, ...others] = content;
    if (only?.type !== 'text' || others.length > 0) throw new Error('a result is one text');
    const text = JSON.parse(only.text);
    if (!isError && JSON.stringify(structuredContent) !== only.text) throw new Error('text and data differ');
    if (isError && structuredContent !== undefined) throw new Error('an error has data');
    return { isError, text };
  };
  return {
    client,
    async ask(name, values) {
      const { isError, text } = await call(name, values);
      if (isError) throw new Error(`${name}: ${JSON.stringify(text)}`);
      return text;
    },
    async refusalOf(name, values) {
      const { isError, text } = await call(name, values);
      if (!isError) throw new Error(`${name} answered ${JSON.stringify(text)}`);
      return text.status;
    },
  };
}
