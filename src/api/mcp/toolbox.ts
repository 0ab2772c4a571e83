import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import type { ApiContext } from '#src/api/context.ts';
import { createErrorBody } from '#src/api/plugins/errors.ts';
import { AppError } from '#src/core/errors.ts';
import { createToolRunner, type ToolRequest } from './run-tool.ts';
import type { Toolbox, ToolDescription } from './server.ts';
import { listToolsOfCaller, TOOLS, type Tool } from './tools.ts';

/**
 * Creates the function that returns the tools for a request. `mayWrite`: whether the client has allowed tools that change data.
 */
export function createToolboxFactory(context: ApiContext, publicUrl: () => string, log: FastifyBaseLogger) {
  const run = createToolRunner(context, publicUrl, log);
  const refusal = (error: AppError) => failed({ ...createErrorBody(error.is, publicUrl()), details: error.details });
  return (by: ToolRequest, mayWrite: boolean): Toolbox => ({
    list: async () => listToolsOfCaller(by.caller, { mayWrite }).map(describe),
    async call(name, values) {
      const tool = TOOLS.get(name);
      if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool with this name');
      if (tool.isWriting && !mayWrite) return refusal(new AppError('writeNotAllowed'));
      try {
        const { status, text, cursor } = await run(tool, values, by);
        const answer = JSON.parse(text);
        if (status >= 400) return failed(answer);
        return succeeded(Array.isArray(answer) ? { data: answer, next_cursor: cursor } : answer);
      } catch (error) {
        if (error instanceof AppError) return refusal(error);
        throw error;
      }
    },
  });
}

/** Returns the description of a tool in the protocol's format. */
const describe = ({ name, title, description, inputSchema, outputSchema, isWriting, runs }: Tool): ToolDescription => ({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations: { readOnlyHint: !isWriting, destructiveHint: isWriting && runs.method !== 'POST', openWorldHint: false },
});

/**
 * Converts the response of an operation to a tool's result: as structured data, and as JSON in a text for clients that support
 * only text.
 */
const succeeded = (answer: Record<string, unknown>): CallToolResult => ({
  structuredContent: answer,
  content: [{ type: 'text', text: JSON.stringify(answer) }],
});

/** Converts an error to a tool's result, so that the assistant can correct its call. */
const failed = (body: object): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify(body) }],
});
