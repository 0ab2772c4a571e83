import { listPathParameters } from './operation.ts';

/** Parts of a request for which sample code is generated. */
interface Sampled {
  name: string;
  method: string;
  path: string;
  /** Example of the request body. */
  body?: unknown;
  /** Required query parameters, each with an example value. */
  query: Record<string, string>;
}

/** Converts `alert_id` to `alertId`. */
export const snakeToCamelCase = (name: string): string =>
  name.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase());
/** Converts `listAlerts` to `list_alerts`. */
export const camelToSnakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Generates sample code that calls an operation: with curl, and in each language for which there is a client library. */
export function buildCodeSamples(of: Sampled): { lang: string; label: string; source: string }[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(of) },
    { lang: 'JavaScript', label: 'TypeScript', source: typescript(of) },
    { lang: 'Python', label: 'Python', source: python(of) },
  ];
}

function curl({ method, path, body, query }: Sampled): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const asked = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const lines = [
    `curl "$ENERGY_URL${address}${asked.length > 0 ? `?${asked.join('&')}` : ''}"`,
    ...(method === 'GET' || (method === 'POST' && body !== undefined) ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $ENERGY_KEY"',
    ...(body === undefined ? [] : [`--json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n  ');
}

function typescript({ name, path, body, query }: Sampled): string {
  const args = [
    ...listPathParameters(path).map(snakeToCamelCase),
    ...(body === undefined ? [] : [inJavaScript(body)]),
    ...(Object.keys(query).length > 0 ? [inJavaScript(query)] : []),
  ];
  return `const answer = await energy.${name}(${args.join(', ')});`;
}

function python({ name, path, body, query }: Sampled): string {
  const args = [
    ...listPathParameters(path),
    ...(body === undefined ? [] : [inPython(body)]),
    ...Object.entries(query).map(([name, value]) => `${name}="${value}"`),
  ];
  return `answer = energy.${camelToSnakeCase(name)}(${args.join(', ')})`;
}

/** Formats JSON as JavaScript: names of members have no quotes if they need none. */
const inJavaScript = (value: unknown): string => indented(value).replaceAll(/^(\s*|\{ ?)"([a-z_]\w*)":/gim, '$1$2:');

const inPython = (value: unknown): string =>
  indented(value).replaceAll(
    /(?<=[:[,] ?|^\s*)(?:true|false|null)\b(?=[,\]}\n]|$)/gm,
    (word) => IN_PYTHON[word] ?? word,
  );
const IN_PYTHON: Record<string, string> = { true: 'True', false: 'False', null: 'None' };

const indented = (value: unknown): string => JSON.stringify(value, null, 2);
