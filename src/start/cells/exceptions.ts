import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  changeRoutingMap,
  findRoutingMap,
  type RoutingMapChange,
  type RoutingMapEntry,
  readRoutingMap,
} from './runtime-api.ts';

/**
 * Exceptions of the routers: names of accounts that have moved to another cell (installation), each with its present cell. A name is the id
 * of an account, device or gateway, or the SHA-256 of a key or session secret in upper-case hexadecimal digits.
 */
type RoutingExceptions = ReadonlyMap<string, string>;

/** The places where exceptions are stored: the file that routers read when they start, and the running routers. */
export interface RoutingExceptionFiles {
  file: string;
  routers: readonly string[];
}

/** The cell of each name. Null if the name itself contains the right cell. */
type CellByRoutingName = ReadonlyMap<string, string | null>;

/** Parses a file of exceptions: each line has a name and a cell, and comments follow a `#`. Throws with the number of an invalid line. */
export function parseRoutingExceptions(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [index, line] of text.split('\n').entries()) {
    const plain = line.replace(/#.*$/, '').trim();
    if (plain === '') continue;
    const [name, cell, ...more] = plain.split(/\s+/);
    if (name === undefined || cell === undefined || more.length > 0)
      throw new Error(`line ${index + 1} of the exceptions must be a name and a cell: ${plain}`);
    found.set(name, cell);
  }
  return found;
}

/** Returns the exceptions after the given names were routed to other cells. */
export function applyRoutingChanges(exceptions: RoutingExceptions, routing: CellByRoutingName): Map<string, string> {
  const changed = new Map(exceptions);
  for (const [name, cell] of routing)
    if (cell === null) changed.delete(name);
    else changed.set(name, cell);
  return changed;
}

/**
 * Returns the changes that make a router's map equal to the wanted entries. The map may contain a name twice. `names`: the names to
 * compare; by default all.
 */
export function listRoutingMapChanges(
  wanted: RoutingExceptions,
  current: readonly RoutingMapEntry[],
  names?: Iterable<string>,
): RoutingMapChange[] {
  const entries = Map.groupBy(current, ({ name }) => name);
  return [...(names ?? new Set([...wanted.keys(), ...entries.keys()]))].flatMap((name) => {
    const [first, ...others] = entries.get(name) ?? [];
    const to = wanted.get(name) ?? null;
    const isRight = (first?.value ?? null) === to;
    const remove = (isRight || first === undefined ? others : [first, ...others]).map(({ ref }) => ref);
    return isRight && remove.length === 0 ? [] : [{ name, add: isRight ? null : to, remove }];
  });
}

const HEAD = '# Accounts that have moved to another cell. Written by `energy cells`.\n';
/** Age in ms after which a lock file counts as left over from a killed command. */
const MAX_LOCKED_MS = 30_000;
const LOOK_AGAIN_MS = 50;

/**
 * Changes the file of exceptions, which lists the accounts that are not in their original cell. Concurrent commands wait for each other.
 * Returns all exceptions.
 */
async function changeFile(file: string, routing: CellByRoutingName): Promise<RoutingExceptions> {
  const next = `${file}.next`;
  const handle = await lock(next);
  try {
    const changed = applyRoutingChanges(await readRoutingExceptions(file), routing);
    await handle.writeFile(HEAD + [...changed].map(([name, cell]) => `${name} ${cell}\n`).join(''));
    await handle.sync();
    await rename(next, file);
    return changed;
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function lock(path: string) {
  for (;;) {
    try {
      return await open(path, 'wx', 0o644);
    } catch (error) {
      if ((error as { code?: string }).code !== 'EEXIST') throw error;
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > MAX_LOCKED_MS) await rm(path, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }
}

export const readRoutingExceptions = async (file: string): Promise<Map<string, string>> =>
  parseRoutingExceptions(await readFile(file, 'utf8'));

/** Stores exceptions in the file and in each router. Throws if a router could not be changed; then `synchroniseRouters` must be run. */
export async function storeRoutingExceptions(
  { file, routers }: RoutingExceptionFiles,
  routing: CellByRoutingName,
): Promise<void> {
  const wanted = await changeFile(file, routing);
  await eachRouter(routers, async (router) => {
    const path = await findRoutingMap(router, basename(file));
    await changeRoutingMap(
      router,
      path,
      listRoutingMapChanges(wanted, await readRoutingMap(router, path), routing.keys()),
    );
  });
}

/** Makes the maps of all routers equal to the file. Returns the number of changed entries. */
export async function synchroniseRouters({ file, routers }: RoutingExceptionFiles): Promise<number> {
  const wanted = await readRoutingExceptions(file);
  const changed = await eachRouter(routers, async (router) => {
    const path = await findRoutingMap(router, basename(file));
    const changes = listRoutingMapChanges(wanted, await readRoutingMap(router, path));
    await changeRoutingMap(router, path, changes);
    return changes.length;
  });
  return changed.reduce((sum, count) => sum + count, 0);
}

export async function countRoutingMapDifferences(router: string, file: string): Promise<number> {
  const path = await findRoutingMap(router, basename(file));
  return listRoutingMapChanges(await readRoutingExceptions(file), await readRoutingMap(router, path)).length;
}

/** Runs a function for each router. Throws one error with all failures at the end. */
async function eachRouter<T>(routers: readonly string[], run: (router: string) => Promise<T>): Promise<T[]> {
  const results = await Promise.allSettled(routers.map(run));
  const reasons = results.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
  if (reasons.length > 0) throw new Error(reasons.join('\n'));
  return results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
}
