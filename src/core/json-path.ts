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

/** Member names and list positions on the way to the place. The library matches a path in 4 µs, these steps in a hundredth of that. */
type Step = string | number;

function compiled(path: string): ((value: unknown) => unknown) | null {
  try {
    const query = compile(path);
    if (!query.singularQuery()) return null;
    const steps = query.segments.flatMap(({ selectors }) => selectors.map(stepOf));
    return (value) => {
      let place = value;
      for (const step of steps) place = follow(place, step);
      return place;
    };
  } catch {
    return null;
  }
}

/** The library does not export the types of a singular query's two selectors. */
function stepOf(selector: object): Step {
  const { name, index } = selector as { name?: string; index?: number };
  const step = name ?? index;
  if (step === undefined) throw new Error('neither a name nor a position');
  return step;
}

/** Own members of objects and positions of lists only. A negative position counts from the end (RFC 9535, section 2.3.3.2). */
function follow(value: unknown, step: Step): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof step === 'number') return Array.isArray(value) ? value.at(step) : undefined;
  return !Array.isArray(value) && Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
}
