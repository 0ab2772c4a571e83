import { assertProbeCondition, defineProbe, type Probe } from '../probe.ts';
import type { AttackedInstallation } from '../world.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is traversed as untyped JSON
type Json = any;

const documentOf = (world: AttackedInstallation): Promise<Json> =>
  world.once('document', async () => (await world.ask('GET', '/v1/openapi.json')).json);

/** Yields every value of the members with this name, and its path. Examples are skipped, because they are no part of a schema. */
function* under(name: string, value: Json, path = ''): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [member, one] of Object.entries(value)) {
    if (member === 'example' || member === 'examples') continue;
    if (member === name) yield [`${path}/${member}`, one];
    yield* under(name, one, `${path}/${member}`);
  }
}

const operationsOf = (document: Json): [string, Json][] =>
  Object.entries(document.paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as [string, Json]),
  );
const headersOf = (document: Json, response: Json): string[] => {
  const name = response?.$ref?.split('/').at(-1);
  return Object.keys((name ? document.components.responses[name] : response)?.headers ?? {});
};

export const OPENAPI_DOCUMENT_PROBES: readonly Probe[] = [
  defineProbe('the document describes every property', async (world) => {
    const all = [...under('properties', await documentOf(world))].flatMap(([path, members]) =>
      Object.entries(members as Json).map(([name, one]) => [`${path}/${name}`, one] as [string, Json]),
    );
    const silent = all.filter(([, one]) => typeof one.description !== 'string' && one.$ref === undefined);
    assertProbeCondition(all.length > 100, `it has ${all.length} properties`);
    assertProbeCondition(silent.length === 0, `${silent.length} of ${all.length} are not described: ${silent[0]?.[0]}`);
  }),
  defineProbe('the document describes every parameter', async (world) => {
    const all = [...under('parameters', await documentOf(world))].flatMap(([path, list]) =>
      (list as Json[]).map((one) => [`${path}/${one.name}`, one] as [string, Json]),
    );
    const silent = all.filter(([, one]) => typeof one.description !== 'string');
    assertProbeCondition(silent.length === 0, `${silent.length} of ${all.length} are not described: ${silent[0]?.[0]}`);
  }),
  defineProbe('the document gives times and dates their formats', async (world) => {
    const all = [...under('properties', await documentOf(world))].flatMap(([path, members]) =>
      Object.entries(members as Json)
        // The member `starts_at` of a price source is no time: it is the path at which the provider's response contains the times.
        .filter(([name]) => /_at$|^date$/.test(name) && !/SeriesSource\//.test(`${path}/`))
        .map(([name, one]) => [`${path}/${name}`, one] as [string, Json]),
    );
    const without = all.filter(([, one]) => !/"format":"date(-time)?"/.test(JSON.stringify(one)));
    assertProbeCondition(all.length > 10, `it has ${all.length} times`);
    assertProbeCondition(without.length === 0, `${without.length} of ${all.length} have none: ${without[0]?.[0]}`);
  }),
  defineProbe('the document has the headers: RateLimit, Link, Retry-After, Idempotency-Key', async (world) => {
    const document = await documentOf(world);
    for (const [name, { responses, parameters = [] }] of operationsOf(document)) {
      const done = Object.keys(responses).find((status) => status.startsWith('2')) ?? '';
      assertProbeCondition(headersOf(document, responses[done]).includes('RateLimit'), `${name} has no RateLimit`);
      assertProbeCondition(
        headersOf(document, responses['429']).includes('Retry-After'),
        `${name} has no Retry-After on 429`,
      );
      const names = parameters.map((one: Json) => one.name);
      const isList = names.includes('cursor');
      assertProbeCondition(!isList || headersOf(document, responses[done]).includes('Link'), `${name} has no Link`);
      assertProbeCondition(
        !name.startsWith('POST') || names.includes('Idempotency-Key'),
        `${name} has no Idempotency-Key`,
      );
    }
  }),
  defineProbe('the document has text/csv where that is answered', async (world) => {
    const { content } = (await documentOf(world)).paths['/v1/energy-insights'].get.responses['200'];
    assertProbeCondition('text/csv' in content, 'GET /v1/energy-insights has JSON alone');
  }),
  defineProbe('the document has the bodies of events as webhooks', async (world) => {
    const { webhooks = {} } = await documentOf(world);
    for (const event of ['usage.updated', 'alert.triggered', 'device.connected', 'user.created'])
      assertProbeCondition(webhooks[event]?.post?.requestBody !== undefined, `${event} is not there`);
  }),
];
