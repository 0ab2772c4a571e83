/** Formats of a response by media type (RFC 9110, Accept). JSON comes first, because the first of equally preferred formats is used. */
export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  greenButton: 'application/atom+xml',
} as const;
export type Format = keyof typeof MEDIA_TYPES;
/** Formats in which every response with rows is available. */
export type TableFormat = 'csv' | 'xlsx';

/** Returns the offered format that a request prefers to JSON, or `json` if it prefers none. Pure. */
export function negotiateFormat<F extends Format>(accepts: string, offered: readonly F[]): F | 'json' {
  const weights = new Map<string, number>();
  for (const range of accepts.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
    weights.set(type, Number(weight) || 0);
  }
  const weightOf = (format: Format) => weights.get(MEDIA_TYPES[format]) ?? 0;
  return offered.reduce<F | 'json'>((best, one) => (weightOf(one) > weightOf(best) ? one : best), 'json');
}
