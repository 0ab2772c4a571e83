import { compile } from 'json-p3';

/** Maximum length of a path. */
export const MAX_JSON_PATH_CHARACTERS = 79;
/** Maximum number of cached compiled paths. A full cache is emptied. */
const MAX_KEPT = 2_000;
const compiledPaths = new Map<string, ((value: unknown) => unknown) | null>();

/**
 * Compiles a JSONPath (RFC 9535) that selects a single value: `$.energy.total`, `$['a b'][0]`. Returns a function that reads this value
 * from a JSON value, and returns undefined if it is missing. Returns null if the path is invalid or may select many values.
 */
export function compileJsonPath(path: string): ((value: unknown) => unknown) | null {
  // The length is checked before the path is cached, because an invalid path may be very long.
  if (path.length > MAX_JSON_PATH_CHARACTERS) return null;
  let read = compiledPaths.get(path);
  if (read !== undefined) return read;
  read = compiled(path);
  if (compiledPaths.size >= MAX_KEPT) compiledPaths.clear();
  compiledPaths.set(path, read);
  return read;
}

/** Step of a compiled path: a member name or a list index. */
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

/**
 * Converts a selector of a path to a step. In a path to a single value, each selector is a name or an index. The library does not export
 * the types of selectors.
 */
function stepOf(selector: object): Step {
  const { name, index } = selector as { name?: string; index?: number };
  const step = name ?? index;
  if (step === undefined) throw new Error('neither a name nor a position');
  return step;
}

/** Applies one step to a value. A negative index counts from the end (RFC 9535, section 2.3.3.2). */
function follow(value: unknown, step: Step): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (typeof step === 'number') return Array.isArray(value) ? value.at(step) : undefined;
  return !Array.isArray(value) && Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
}
