import { text } from 'node:stream/consumers';
import type * as Client from '#clients/typescript/index.ts';
import type { RunnerInput } from './run.ts';

/** Runs the steps of cases.ts with the installed TypeScript client, whose folder is the first argument. */
const { EnergyClient, verifyWebhook } = (await import(process.argv[2] ?? '')) as typeof Client;
const input = JSON.parse(await text(process.stdin)) as RunnerInput;
const variables = { ...input.variables };

const fill = <T>(value: T): T =>
  JSON.parse(JSON.stringify(value).replaceAll(/\$(\w+)/g, (whole, name: string) => variables[name] ?? whole));

/** Returns the number of parameters that a method declares. */
const declared = (method: unknown): number => (/\(([^)]*)\)/.exec(String(method))?.[1] ?? '').split(',').length;

/** Converts a result to a form that is the same in both languages. */
function comparable(value: unknown): unknown {
  if (typeof value === 'string') return { text: value };
  if (value instanceof Uint8Array) return { begins: Buffer.from(value.subarray(0, 2)).toString('hex') };
  return value;
}

const came: unknown[] = [];
for (const { as, call, path = [], body, query, options = {}, take, save = {} } of input.steps) {
  const client = new EnergyClient({ key: input.keys[as] ?? '', baseUrl: input.baseUrl });
  const { timeoutSeconds, ...more } = fill(options);
  const args: unknown[] = [...path, ...(body === undefined ? [] : [body]), ...(query ? [query] : [])].map(fill);
  // biome-ignore lint/suspicious/noExplicitAny: the test calls methods of the client by name
  const methods = client as any;
  // The last argument of a method is its options object.
  args[Math.max(args.length, declared(methods[call]) - 1)] = {
    ...more,
    ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * 1_000 }),
  };
  try {
    // This step calls verifyWebhook, and sends no request.
    const {
      text: sent,
      headers,
      secret,
      now,
    } = fill(body ?? {}) as { text: string; headers: Record<string, string>; secret: string; now: number };
    const answer =
      call === 'verifyWebhook'
        ? verifyWebhook(sent, headers, secret, { now: new Date(now * 1_000) })
        : methods[call](...args);
    const value = comparable(await ('first' in answer ? (take === 'all' ? answer.all() : answer.first()) : answer));
    for (const [name, member] of Object.entries(save))
      variables[name] = (value as Record<string, string>)[member] ?? '';
    came.push({ call, value });
  } catch (error) {
    const { name, status = null, code = null, details = null, retryAfterSeconds = null } = error as Client.ServiceError;
    came.push({ call, error: { type: name, status, code, details, retryAfterSeconds } });
  }
}
process.stdout.write(JSON.stringify(came));
