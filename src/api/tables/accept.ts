/** What an answer can be, by the media type that asks for it (RFC 9110, Accept). JSON comes first: of equals the first is taken. */
export const MEDIA_TYPES = {
  json: 'application/json',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  greenButton: 'application/atom+xml',
} as const;
export type Format = keyof typeof MEDIA_TYPES;
/** An answer with rows is told in all of these. */
export type TableFormat = 'csv' | 'xlsx';

/** Which of these formats a request would rather have than JSON; `json` where it has no such wish. Pure. */
export function formatOf<F extends Format>(accepts: string, offered: readonly F[]): F | 'json' {
  const weights = new Map<string, number>();
  for (const range of accepts.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
    weights.set(type, Number(weight) || 0);
  }
  const weightOf = (format: Format) => weights.get(MEDIA_TYPES[format]) ?? 0;
  return offered.reduce<F | 'json'>((best, one) => (weightOf(one) > weightOf(best) ? one : best), 'json');
}
