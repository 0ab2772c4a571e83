import { LANGUAGES } from '#src/database/enums.ts';

/** Media types of the formats of a response. If a client accepts several equally, the first is used, so JSON comes first. */
export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  greenButton: 'application/atom+xml',
} as const;
export type ResponseFormat = keyof typeof MEDIA_TYPES;
/** Table formats in which a client can request every response that has rows. */
export type TableFormat = 'csv' | 'xlsx';

/** Returns the weight (`q`) of each value in an Accept header, in lower case. */
export function parseAcceptWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const range of header.toLowerCase().split(',')) {
    const [value = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
    weights.set(value, Number(weight) || 0);
  }
  return weights;
}

/** Returns the supported language that a request prefers, or undefined. `de-AT` counts as `de`. */
export function negotiateLanguage(languages: string): (typeof LANGUAGES)[number] | undefined {
  const wanted = [...parseAcceptWeights(languages)]
    .filter(([, weight]) => weight > 0)
    .toSorted(([, a], [, b]) => b - a);
  const tags = wanted.map(([tag]) => tag.split('-', 1)[0]);
  return tags.map((tag) => LANGUAGES.find((one) => one === tag)).find((one) => one !== undefined);
}

/** Returns the offered format that a request prefers to JSON, otherwise `json`. */
export function negotiateResponseFormat<F extends ResponseFormat>(accepts: string, offered: readonly F[]): F | 'json' {
  const lower = accepts.toLowerCase();
  // Most headers contain none of the formats and need not be parsed.
  if (!offered.some((format) => lower.includes(MEDIA_TYPES[format]))) return 'json';
  const weights = parseAcceptWeights(accepts);
  const weightOf = (format: ResponseFormat) => weights.get(MEDIA_TYPES[format]) ?? 0;
  return offered.reduce<F | 'json'>((best, one) => (weightOf(one) > weightOf(best) ? one : best), 'json');
}
