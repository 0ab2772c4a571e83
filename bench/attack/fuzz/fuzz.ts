import { type HttpResponse, sendRequest } from '../client.ts';
import type { AttackedInstallation, Person } from '../world.ts';
import { type OpenApiDocument, parseOpenApiDocument } from './document.ts';
import { type FuzzedRequest, generateRequests } from './requests.ts';
import { ID_PLACEHOLDER_PATTERN } from './values.ts';

/** A fault that the fuzzer found: a response that the API must not give. */
interface Fault {
  operation: string;
  by: string;
  request: string;
  why: string;
}

/** Result of a fuzzing run. */
interface FuzzResult {
  seed: number;
  requests: number;
  /** Number of responses, by operation and status. */
  statuses: Record<string, Record<number, number>>;
  faults: Fault[];
  slowestMs: number;
}

/** A caller of the API. The fuzzer has a caller for each role in the document, one whose key has few scopes, and one without a key. */
interface Caller {
  name: string;
  userId: string;
  key: string | undefined;
}

/** Ids of created resources, by the name of the JSON member that contains the id. Each id has the caller who created the resource. */
type Ids = Map<string, { id: string; by: Caller }[]>;

const AT_ONCE = 6;
const MAX_FAULTS = 50;
const MAX_IDS = 40;
/** Number of requests after which new resources are created, because fuzzed requests delete resources. */
const REQUESTS_PER_REFILL = 250;
/** Maximum time in ms for any response. It is long enough for a busy machine. */
const MAX_ANSWER_MS = 15_000;
const LEAK = /\bSELECT\b|node_modules|\bat \w+ \(|\/src\/|ECONN|pg_|violates/;

/**
 * Sends random requests to every operation of the OpenAPI document, as every role. Reports each 5xx and each response that the document
 * does not describe. `feed` stores some readings first. `only` limits the operations by name.
 */
export async function runFuzzer(
  world: AttackedInstallation,
  {
    seed,
    requests: count,
    feed,
    only,
  }: { seed: number; requests: number; feed?: (userId: string) => Promise<unknown>; only?: readonly string[] },
): Promise<FuzzResult> {
  const document = parseOpenApiDocument((await world.must('GET', '/v1/openapi.json')).json);
  const askers = await createCallers(world, document);
  const ids: Ids = new Map();
  await fillIds(world, ids, askers);
  for (const userId of new Set(askers.map((one) => one.userId))) await feed?.(userId);
  const result: FuzzResult = { seed, requests: 0, statuses: {}, faults: [], slowestMs: 0 };
  const operations = document.operations.filter(({ name }) => only === undefined || only.includes(name));
  const waiting = generateRequests({ ...document, operations }, { seed, count, askers: askers.length });

  const send = async (fuzzed: FuzzedRequest) => {
    const { operation } = fuzzed;
    const asker = askers[fuzzed.by] as Caller;
    const filled = (text: string) =>
      text.replaceAll(ID_PLACEHOLDER_PATTERN, (_, name: string, index: string) =>
        idFor(name, Number(index), fuzzed, asker, ids),
      );
    const [target, raw] = [filled(fuzzed.target), fuzzed.raw === undefined ? undefined : filled(fuzzed.raw)];
    const fault = (why: string) => {
      const request = `${operation.method} ${target.slice(0, 300)} ${JSON.stringify(fuzzed.headers)} ${raw?.slice(0, 500) ?? ''}`;
      if (result.faults.length < MAX_FAULTS)
        result.faults.push({ operation: operation.name, by: asker.name, request, why });
    };
    const fromMs = performance.now();
    let answer: HttpResponse;
    try {
      const sent = { key: asker.key, headers: fuzzed.headers, ...(raw === undefined ? {} : { raw }) };
      answer = await sendRequest(world.target.api, operation.method, target, sent);
    } catch (error) {
      return fault(`no answer: ${(error as Error).message}`);
    }
    const ms = performance.now() - fromMs;
    result.requests++;
    result.slowestMs = Math.max(result.slowestMs, Math.round(ms));
    const counts = result.statuses[operation.name] ?? {};
    result.statuses[operation.name] = { ...counts, [answer.status]: (counts[answer.status] ?? 0) + 1 };
    const faultText = faultOf(document, fuzzed, asker, answer);
    if (faultText !== null) fault(faultText);
    // `exportUser` may take longer, because the size of an account's archive is not bounded.
    if (ms > MAX_ANSWER_MS && operation.name !== 'exportUser') fault(`it took ${Math.round(ms)} ms`);
    storeIds(ids, asker, answer);
    if (operation.method === 'DELETE' && answer.status === 200) removeIds(ids, target);
  };
  const work = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      if (waiting.length % REQUESTS_PER_REFILL === 0) await fillIds(world, ids, askers);
      await send(one);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return result;
}

function faultOf(
  document: OpenApiDocument,
  { operation }: FuzzedRequest,
  { key }: Caller,
  answer: HttpResponse,
): string | null {
  if (answer.status >= 500) return `${answer.status}: ${answer.text.slice(0, 200)}`;
  if (key === undefined && answer.status !== 401) return `${answer.status} without a key`;
  if (answer.status >= 400 && LEAK.test(answer.text)) return `it tells of the inside: ${answer.text.slice(0, 200)}`;
  return document.findDeviation(operation, answer);
}

async function createCallers(world: AttackedInstallation, document: OpenApiDocument): Promise<Caller[]> {
  const create = document.operations.find(({ name }) => name === 'createUser');
  const roles = document.resolve(create?.body).properties.role.enum as ('homeowner' | 'utility' | 'admin')[];
  const people: [string, Person][] = [];
  for (const role of roles) people.push([role, await world.person(role)]);
  const narrow = await world.person('homeowner', { scopes: ['devices:read'] });
  return [
    ...[...people, ['narrow', narrow] as const].map(([name, { userId, key }]) => ({ name, userId, key })),
    { name: 'nobody', userId: narrow.userId, key: undefined },
  ];
}

/** Creates one resource of each kind for every caller, so that requests can refer to existing resources. */
async function fillIds(world: AttackedInstallation, ids: Ids, askers: readonly Caller[]): Promise<void> {
  for (const asker of askers) {
    const { key, userId } = asker;
    if (key === undefined) continue;
    const make = async (path: string, body: object) =>
      storeIds(ids, asker, await sendRequest(world.target.api, 'POST', path, { key, body }));
    await make('/v1/devices', { type: 'smart_meter', location: 'x' });
    await make('/v1/gateways', { name: 'x' });
    await make('/v1/webhooks', {
      event: 'alert.triggered',
      url: 'https://127.0.0.1:9/x',
      auth_token: 'a secret that is long enough',
    });
    await make('/v1/alerts', { user_id: userId, type: 'daily_usage', threshold_kwh: 1, delivery: 'email' });
    await make('/v1/price-series', { name: 'x', currency: 'EUR', resolution_minutes: 15 });
    const rates = { periods: [{ per_kwh: '0.3', from: '07:00', to: '22:00' }, { per_kwh: 0.2 }] };
    await make('/v1/tariffs', { name: 'x', valid_from: '2025-01-01', currency: 'EUR', import: rates });
    await make('/v1/keys', { scopes: ['devices:read'] });
    await make('/v1/users', { email: `fuzzed-${userId}@attack.example.com`, role: 'homeowner' });
  }
}

/**
 * Returns an id for a placeholder: that of a created resource, or occasionally one that does not exist. Half of the user ids are the
 * caller's own, unless the request could change the account.
 */
function idFor(name: string, index: number, { operation }: FuzzedRequest, asker: Caller, ids: Ids): string {
  const isSafe = operation.method === 'GET' || !operation.path.startsWith('/v1/users');
  if (name === 'user_id' && isSafe && index % 2 === 0) return asker.userId;
  const known = ids.get(name) ?? [];
  const own = known.filter(({ by }) => by === asker);
  // The request usually gets a resource of its caller, sometimes a resource of another caller, and sometimes an id that does not exist.
  const among = index % 4 === 3 || own.length === 0 ? known : own;
  return index % 20 === 19 ? `${name.slice(0, 3)}_none` : (among[index % Math.max(1, among.length)]?.id ?? 'none');
}

/** Stores the cursors and resource ids of a response. Of each kind, only the latest cursors and ids are retained. */
function storeIds(ids: Ids, asker: Caller, { status, json, headers }: HttpResponse): void {
  const keep = (name: string, id: string) =>
    ids.set(name, [...(ids.get(name) ?? []), { id, by: asker }].slice(-MAX_IDS));
  const cursor = /[?&]cursor=([^&>]+)/.exec(String(headers.link ?? ''))?.[1];
  if (cursor !== undefined) keep('cursor', cursor);
  if ((status !== 201 && status !== 202) || json === null) return;
  // The first id in the response to a creation is that of the new resource. The id of the resource's owner follows, and is not stored.
  const [name, id] =
    Object.entries(json).find(([member, value]) => /_id$/.test(member) && typeof value === 'string') ?? [];
  if (name !== undefined) keep(name, id as string);
}

/** Removes the ids that a request's path contains from the stored ids. */
function removeIds(ids: Ids, target: string): void {
  for (const [name, known] of ids)
    ids.set(
      name,
      known.filter(({ id }) => !target.includes(id)),
    );
}
