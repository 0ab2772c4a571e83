import { compile } from 'json-p3';

/** Longest path that is read. */
export const MAX_PATH_CHARACTERS = 79;
/** Paths that are kept compiled: those of a few gateways. All are dropped at once, and compiled again as they are asked for. */
const MAX_KEPT = 2_000;
const kept = new Map<string, ((value: unknown) => unknown) | null>();

/**
 * Reads a JSONPath (RFC 9535) that names one place: `$.energy.total`, `$['a b'][0]`. Answers what takes the value there out of a JSON
 * value, undefined where there is none; null for what is no such path. Wildcards, `..` and filters are not taken: each may name many
 * places, and a search through a whole message could be made to cost without end.
 */
export function readPath(path: string): ((value: unknown) => unknown) | null {
  // Before it is kept: a refused path may be as long as a request.
  if (path.length > MAX_PATH_CHARACTERS) return null;
  let read = kept.get(path);
  if (read !== undefined) return read;
  read = compiled(path);
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(path, read);
  return read;
}

function compiled(path: string): ((value: unknown) => unknown) | null {
  try {
    const query = compile(path);
    if (!query.singularQuery()) return null;
    // Its type of JSON has no `unknown`.
    return (value) => query.match(value as never)?.value;
  } catch {
    return null;
  }
}
