import { connect } from 'node:net';

/** Maximum time of an answer. HAProxy answers within milliseconds. */
const ANSWER_MS = 5_000;
/** HAProxy refuses longer requests (its `tune.bufsize` is 16,384 bytes). */
const MAX_REQUEST_BYTES = 12_000;

/**
 * Sends one request to HAProxy's runtime API and returns the whole answer. `router`: path of its socket, or host:port. Throws if the router
 * cannot be reached or does not answer in time.
 */
async function ask(router: string, request: string): Promise<string> {
  const [, host, port] = /^\[?([^/[\]]+?)\]?:(\d+)$/.exec(router) ?? [];
  return new Promise((resolve, reject) => {
    const socket = connect(host === undefined ? { path: router } : { host, port: Number(port) });
    const chunks: Buffer[] = [];
    const fail = (why: string) => reject(new Error(`The router ${router} ${why}.`));
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('does not answer')));
    socket.on('error', ({ message }) => fail(`cannot be asked: ${message}`));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => resolve(Buffer.concat(chunks).toString()));
    socket.end(request);
  });
}

/** A backend of a router, with whether any of its servers takes requests. */
export interface Backend {
  name: string;
  isUp: boolean;
}

/** Returns the backends of a router. */
export async function readBackends(router: string): Promise<Backend[]> {
  const [header = '', ...lines] = (await ask(router, 'show stat\n')).split('\n');
  const columns = header.replace(/^# /, '').split(',');
  const [name, server, status] = ['pxname', 'svname', 'status'].map((column) => columns.indexOf(column));
  return lines
    .map((line) => line.split(','))
    .filter((fields) => fields[server ?? -1] === 'BACKEND')
    .map((fields) => ({ name: fields[name ?? -1] ?? '', isUp: fields[status ?? -1] === 'UP' }));
}

/** Returns the path under which a router knows the map file of this name. Its folder may be another one than here (chroot, container). */
export async function findMap(router: string, fileName: string): Promise<string> {
  const listed = await ask(router, 'show map\n');
  const paths = [...listed.matchAll(/^-?\d+ \((.+?)\) /gm)].map(([, path]) => path ?? '');
  const found = paths.find((path) => path.endsWith(`/${fileName}`));
  if (found === undefined)
    throw new Error(`The router ${router} has no map ${fileName}: see deploy/cells/haproxy.cfg.`);
  return found;
}

/** Returns the entries of a router's map. */
export async function readMap(router: string, path: string): Promise<Map<string, string>> {
  const shown = await ask(router, `show map ${path}\n`);
  return new Map(
    [...shown.matchAll(/^0x[0-9a-f]+ (\S+) (\S+)$/gm)].map(([, name, value]) => [name ?? '', value ?? '']),
  );
}

/** A change of a router's map. `from`: the present value; null if there is none. `to`: null removes the entry. */
export interface MapChange {
  name: string;
  from: string | null;
  to: string | null;
}

/**
 * Changes entries of a router's map while it runs. Uses `add map`, whose time does not depend on the size of the map as that of `set map`
 * does (345 ms in a map of a million entries). A request between the two halves of a replacement finds no entry.
 */
export async function changeMap(router: string, path: string, changes: readonly MapChange[]): Promise<void> {
  let request = '';
  const send = async () => {
    if (request === '') return;
    const refusal = (await ask(router, `${request}\n`)).trim();
    if (refusal !== '') throw new Error(`The router ${router} refuses to change its map: ${refusal}`);
    request = '';
  };
  for (const { name, from, to } of changes) {
    const parts = [
      ...(from === null ? [] : [`del map ${path} ${name}`]),
      ...(to === null ? [] : [`add map ${path} ${name} ${to}`]),
    ];
    const next = parts.join('; ');
    if (request.length + next.length > MAX_REQUEST_BYTES) await send();
    request += `${request === '' ? '' : '; '}${next}`;
  }
  await send();
}
