import { createHash } from 'node:crypto';
import { castToBillionths, parseDecimal } from '#src/core/decimal.ts';
import { type DailyFetchTimes, getStartOfTomorrow } from './fetch-times.ts';
import {
  buildPresetUrl,
  isTokenRequired,
  PRICE_SOURCE_PRESETS,
  type PriceSourcePreset,
  parsePresetResponse,
} from './presets.ts';
import { readResponseRows } from './read-rows.ts';
import { type PriceRowsResult, parseResponseRows } from './response-rows.ts';
import type { SeriesSource, SeriesUnitAndResolution, SourceSecrets } from './source.ts';

interface SourceRequest {
  url: string;
  headers: Record<string, string>;
}

/**
 * Response of a source as text, or a sentence that explains why there is none. `retryAfterMs`: the wait that a response with status 429
 * requests.
 */
export type SourceResponse = { text: string } | { failure: string; retryAfterMs?: number };

/** Fetches a response, up to a maximum size and time. Never throws. */
export type SourceFetcher = (request: SourceRequest) => Promise<SourceResponse>;

/** Returns a stored preset by name. Throws if this version does not have the preset. */
function presetOf(name: string): PriceSourcePreset {
  const preset = PRICE_SOURCE_PRESETS.get(name);
  if (!preset) throw new RangeError(`${name} is no preset`);
  return preset;
}

export function getSourceRequest(
  source: SeriesSource,
  { token, headers = {} }: SourceSecrets,
  now: Date,
): SourceRequest {
  return 'preset' in source
    ? { url: buildPresetUrl(presetOf(source.preset), now, token), headers: {} }
    : { url: source.url, headers };
}

export const getFetchTimes = (source: SeriesSource): DailyFetchTimes =>
  'preset' in source ? presetOf(source.preset) : source;

/** Returns the host of a source. The service fetches from a host at most once a second. */
export const getSourceHost = (source: SeriesSource): string =>
  new URL('preset' in source ? presetOf(source.preset).url.replaceAll(/[{}]/g, '') : source.url).host;

/** Returns a key that is equal for series that share a fetch: the same preset and token. The key contains a hash of the token. */
export function getSharedFetchKey(seriesId: string, source: SeriesSource, { token = '' }: SourceSecrets): string {
  if (!('preset' in source)) return `series ${seriesId}`;
  const hash = token === '' ? '' : ` ${createHash('sha256').update(token).digest('base64url')}`;
  return `preset ${source.preset}${hash}`;
}

export async function parseSourceResponse(
  text: string,
  source: SeriesSource,
  form: SeriesUnitAndResolution,
): Promise<PriceRowsResult> {
  if ('preset' in source) return parsePresetResponse(text, presetOf(source.preset), form);
  const rows = await readResponseRows(text, source, source.timezone);
  if (typeof rows === 'string') return { failure: rows };
  const { resolutionMinutes } = form;
  const factor = parseDecimal(source.scale ?? '1') ?? castToBillionths(0n);
  return parseResponseRows(rows, { factor, resolutionMinutes, heldMinutes: resolutionMinutes });
}

/** Whether a response has values for the day after the fetch, in the source's time zone. */
export const hasValuesOfTomorrow = (read: PriceRowsResult, source: SeriesSource, now: Date): boolean =>
  'prices' in read &&
  (read.prices.at(-1)?.startsAtMs ?? 0) >= getStartOfTomorrow(now, getFetchTimes(source).timezone).getTime();

/**
 * Returns the reasons why a source does not fit its series, such as another unit, shorter intervals, or a missing token. The key of each
 * reason is the field of the request.
 */
export function findSourceErrors(
  source: SeriesSource,
  { token }: SourceSecrets,
  { unit, resolutionMinutes }: SeriesUnitAndResolution,
): { field: string; message: string }[] {
  if (!('preset' in source)) return [];
  const preset = PRICE_SOURCE_PRESETS.get(source.preset);
  if (!preset)
    return [{ field: 'source.preset', message: `must be one of ${[...PRICE_SOURCE_PRESETS.keys()].join(', ')}` }];
  const errors: { field: string; message: string }[] = [];
  const units = Object.keys(preset.values);
  if (!units.includes(unit))
    errors.push({ field: 'source.preset', message: `has values in ${units.join(' or ')}, the series in ${unit}` });
  if ((preset.minutes ?? 60) < resolutionMinutes)
    errors.push({
      field: 'source.preset',
      message: `has values for ${preset.minutes} minutes, the series for ${resolutionMinutes}`,
    });
  if (isTokenRequired(preset) && token === undefined)
    errors.push({ field: 'source.token', message: 'is needed by this preset' });
  if (!isTokenRequired(preset) && token !== undefined)
    errors.push({ field: 'source.token', message: 'is not used by this preset' });
  return errors;
}
