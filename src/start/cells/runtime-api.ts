import { connect } from 'node:net';

/** Maximum response time of HAProxy, in ms. */
const ANSWER_MS = 5_000;
/** Maximum length of a request that HAProxy accepts. */
const MAX_REQUEST_BYTES = 12_000;

/**
 * Sends one request to HAProxy's runtime API and returns the whole answer. `router`: path of its socket, or host:port. Throws if the router
 * does not answer in time.
 */
async function ask(router: string, request: string): Promise<string> {
  const [, host, port] = /^\[?([^/[\]]+?)\]?:(\d+)$/.exec(router) ?? [];
  return new Promise((resolve, reject) => {
    const socket = connect(host === undefined ? { path: router } : { host, port: Number(port) });
    const chunks: Buffer[] = [];
    const fail = (why: string) => reject(new Error(`The router ${router} ${why}.`));
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('does not answer')));
    socket.on('error', ({ message }) => fail(`cannot be reached: ${message}`));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
    socket.end(request);
  });
}

/** A backend (group of servers) of a router, and whether any of its servers accepts requests. */
interface RouterBackend {
  name: string;
  isUp: boolean;
}

export async function readRouterBackends(router: string): Promise<RouterBackend[]> {
  const [header = '', ...lines] = (await ask(router, 'show stat\n')).split('\n');
  const columns = header.replace(/^# /, '').split(',');
  const [name, server, status] = ['pxname', 'svname', 'status'].map((column) => columns.indexOf(column));
  return lines
    .map((line) => line.split(','))
    .filter((fields) => fields[server ?? -1] === 'BACKEND')
    .map((fields) => ({ name: fields[name ?? -1] ?? '', isUp: fields[status ?? -1] === 'UP' }));
}

/** Returns the router's path of the map file with this name, which may differ from the path on this machine. */
export async function findRoutingMap(router: string, fileName: string): Promise<string> {
  const listed = await ask(router, 'show map\n');
  const paths = [...listed.matchAll(/^-?\d+ \((.+?)\) /gm)].map(([, path]) => path ?? '');
  const found = paths.find((path) => path.endsWith(`/${fileName}`));
  if (found === undefined)
    throw new Error(`The router ${router} has no map ${fileName}: see deploy/cells/haproxy.cfg.`);
  return found;
}

/** An entry of a router's map. `ref`: HAProxy's name of the entry. Of several entries of a key, the first is used. */
export interface RoutingMapEntry {
  ref: string;
  name: string;
  value: string;
}

export async function readRoutingMap(router: string, path: string): Promise<RoutingMapEntry[]> {
  const shown = await ask(router, `show map ${path}\n`);
  return [...shown.matchAll(/^(0x[0-9a-f]+) (\S+) (\S+)$/gm)].map(([, ref = '', name = '', value = '']) => ({
    ...{ ref, name, value },
  }));
}

/** A change of one key in a router's map: the value to add, if any, and the entries to remove. */
export interface RoutingMapChange {
  name: string;
  add: string | null;
  remove: readonly string[];
}

/**
 * Changes entries of a running router's map. Adds the new entry before removing the old one, so that each request finds one of them. Uses
 * `add map`, because `set map` is slow in a large map.
 */
export async function changeRoutingMap(
  router: string,
  path: string,
  changes: readonly RoutingMapChange[],
): Promise<void> {
  let request = '';
  const send = async () => {
    if (request === '') return;
    const refusal = (await ask(router, `${request}\n`)).trim();
    if (refusal !== '') throw new Error(`The router ${router} refuses to change its map: ${refusal}`);
    request = '';
  };
  for (const { name, add, remove } of changes) {
    const parts = [
      ...(add === null ? [] : [`add map ${path} ${name} ${add}`]),
      ...remove.map((ref) => `del map ${path} #${ref}`),
    ];
    const next = parts.join('; ');
    if (request.length + next.length > MAX_REQUEST_BYTES) await send();
    request += `${request === '' ? '' : '; '}${next}`;
  }
  await send();
}
