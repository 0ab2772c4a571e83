import { DateTime } from 'luxon';
import { castToBillionths, parseDecimal } from '#src/core/decimal.ts';
import { parseEntsoeResponse } from './entsoe.ts';
import families from './presets.json' with { type: 'json' };
import { readResponseRows } from './read-rows.ts';
import { type PriceRowsResult, parseResponseRows } from './response-rows.ts';
import type { ResponseRowPaths, SeriesUnitAndResolution } from './source.ts';

/** Predefined public source of prices or emission intensities for one zone. */
export interface PriceSourcePreset {
  title: string;
  /** URL of the source. Words in braces are replaced: `{zone}`, `{token}` (the owner's), and the first and last time of the values. */
  url: string;
  /** Format of the responses. `entsoe`: the XML format of ENTSO-E. */
  format: ResponseRowPaths['format'] | 'entsoe';
  items?: string;
  starts_at?: string;
  /** Path of the value in a row, by the unit of the values: a currency, or `gCO2e` for grams of CO2 equivalent. */
  values: Record<string, string>;
  /** Factor that converts the values to the series' unit per kWh, as a decimal in text. */
  scale?: string;
  /** Time in minutes for which each value is valid, if the responses do not contain it. */
  minutes?: number;
  /** IANA zone of the times of day in `at`, and of local times in responses unless `timesIn` names another zone. */
  timezone: string;
  timesIn?: string;
  /** Times of day at which the source is fetched, shortly after prices are published. */
  at: string[];
  zone: string;
}

type Family = Omit<PriceSourcePreset, 'zone'> & { preset: string; zones?: Record<string, string> };

/** All presets by name: `awattar_de`, or `entsoe_fr` for the zone `fr`. */
export const PRICE_SOURCE_PRESETS: ReadonlyMap<string, PriceSourcePreset> = new Map(
  (families as Family[]).flatMap(({ preset, zones, ...family }): [string, PriceSourcePreset][] =>
    zones
      ? Object.entries(zones).map(([name, zone]) => [`${preset}_${name}`, { ...family, zone }])
      : [[preset, { ...family, zone: '' }]],
  ),
);

/** Whether the owner must set a token, because the preset's URL contains `{token}`. */
export const isTokenRequired = ({ url }: PriceSourcePreset): boolean => url.includes('{token}');

/** Returns the URL of a preset for the values from yesterday to tomorrow. `token` becomes part of the URL. */
export function buildPresetUrl({ url, timezone, zone }: PriceSourcePreset, now: Date, token = ''): string {
  const today = DateTime.fromJSDate(now, { zone: timezone }).startOf('day');
  const words: Record<string, string> = { zone, token };
  for (const [name, time] of Object.entries({ from: today.minus({ days: 1 }), to: today.plus({ days: 2 }) })) {
    words[`${name}_ms`] = String(time.toMillis());
    words[`${name}_date`] = time.toISODate() ?? '';
    words[`${name}_iso`] = time.toUTC().toISO({ suppressMilliseconds: true, suppressSeconds: true }) ?? '';
    words[`${name}_minutes`] = time.toUTC().toFormat('yyyyMMddHHmm');
  }
  // Colons are not encoded, because some servers do not decode them in a path.
  const encode = (word: string) => encodeURIComponent(word).replaceAll('%3A', ':');
  return url.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(words[name] ?? ''));
}

export async function parsePresetResponse(
  text: string,
  preset: PriceSourcePreset,
  form: SeriesUnitAndResolution,
): Promise<PriceRowsResult> {
  const { format, items, starts_at = '', values, scale = '1', timesIn, timezone, minutes } = preset;
  if (format === 'entsoe') return parseEntsoeResponse(text, form);
  const paths = { format, items, starts_at, value: values[form.unit] ?? '' };
  const rows = await readResponseRows(text, paths, timesIn ?? timezone);
  if (typeof rows === 'string') return { failure: rows };
  return parseResponseRows(rows, {
    factor: parseDecimal(scale) ?? castToBillionths(0n),
    resolutionMinutes: form.resolutionMinutes,
    heldMinutes: minutes ?? form.resolutionMinutes,
  });
}
