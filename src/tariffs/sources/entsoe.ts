import { castToBillionths } from '#src/core/decimal.ts';
import { MINUTE_MS } from '#src/core/units.ts';
import { findElements, getElementText, parseXml, type XmlElement } from '#src/core/xml.ts';
import { parseResponseTime } from './answer-times.ts';
import {
  explainTooShortIntervals,
  MAX_RESPONSE_ROWS,
  type PriceRowsResult,
  parseResponseRows,
  type SourceResponseRow,
} from './response-rows.ts';
import type { SeriesUnitAndResolution } from './source.ts';

/** Factor from prices per MWh to prices per kWh. */
const PER_KWH = castToBillionths(1_000_000n);
const MINUTES = new Map([
  ['PT15M', 15],
  ['PT30M', 30],
  ['PT60M', 60],
  ['PT1H', 60],
]);
/** Element with the number of the auction. 1 is the coupled day-ahead auction. */
const AUCTION = 'classificationSequence_AttributeInstanceComponent.position';

/**
 * Reads a response of ENTSO-E's Transparency Platform with day-ahead prices (document type A44, 12.1.D Energy Prices). A period has
 * numbered positions instead of times. With curve type A03, a missing position has the price of the previous position; otherwise its price
 * is unknown. Reads only the day-ahead auction.
 */
export async function parseEntsoeResponse(text: string, form: SeriesUnitAndResolution): Promise<PriceRowsResult> {
  const root = await parseXml(text);
  if (!root) return { failure: 'the response is not XML' };
  // If the platform has no data, it returns an Acknowledgement_MarketDocument with status 200.
  if (root.name === 'Acknowledgement_MarketDocument') return { failure: 'the platform has no prices for this time' };
  if (root.name !== 'Publication_MarketDocument') return { failure: 'the response is not a document of prices' };
  const dayAhead = findElements(root, 'TimeSeries').filter(
    (series) => (getElementText(series, AUCTION) ?? '1') === '1',
  );
  const other = dayAhead.find((series) => (getElementText(series, 'currency_Unit.name') ?? form.unit) !== form.unit);
  if (other) return { failure: `the prices of the response are not in ${form.unit}` };
  if (dayAhead.some((series) => (getElementText(series, 'price_Measure_Unit.name') ?? 'MWH') !== 'MWH'))
    return { failure: 'the prices of the response are not per MWh' };
  const periods = dayAhead.flatMap((series) =>
    findElements(series, 'Period').map((period) => ({
      period,
      repeats: getElementText(series, 'curveType') === 'A03',
    })),
  );
  return pricesOf(periods, form);
}

function pricesOf(
  periods: readonly { period: XmlElement; repeats: boolean }[],
  { resolutionMinutes }: SeriesUnitAndResolution,
): PriceRowsResult {
  const rows: SourceResponseRow[] = [];
  let isFiner = false;
  for (const { period, repeats } of periods) {
    const minutes = MINUTES.get(getElementText(period, 'resolution') ?? '');
    const [startMs, endMs] = ['start', 'end'].map((name) => parseResponseTime(getElementText(period, name) ?? '')?.ms);
    if (minutes === undefined || startMs === undefined || endMs === undefined) {
      rows.push({ problem: 'the period has no known resolution, start or end' });
      continue;
    }
    if (minutes < resolutionMinutes) isFiner = true;
    const length = Math.round((endMs - startMs) / (minutes * MINUTE_MS));
    if (length > MAX_RESPONSE_ROWS) return { failure: 'a period of the response is too long' };
    const parts = minutes / resolutionMinutes;
    for (const { position, value } of positionsOf(period, length, repeats)) {
      const fromMs = startMs + (position - 1) * minutes * MINUTE_MS;
      for (let part = 0; part < parts; part++)
        rows.push({ startsAtMs: fromMs + part * resolutionMinutes * MINUTE_MS, value });
    }
  }
  if (isFiner) return { failure: explainTooShortIntervals(resolutionMinutes) };
  return parseResponseRows(rows, { factor: PER_KWH, resolutionMinutes, heldMinutes: resolutionMinutes });
}

/** Returns the prices of a period by position, from 1 to `length`. `repeats`: a missing position has the price of the previous one. */
function positionsOf(period: XmlElement, length: number, repeats: boolean): { position: number; value: string }[] {
  const priceByPosition = new Map<number, string>();
  for (const point of findElements(period, 'Point')) {
    const [position, value] = [Number(getElementText(point, 'position')), getElementText(point, 'price.amount')];
    if (Number.isInteger(position) && value !== undefined) priceByPosition.set(position, value);
  }
  let last: string | undefined;
  return Array.from({ length: Math.max(length, 0) }, (_, index) => index + 1).flatMap((position) => {
    last = priceByPosition.get(position) ?? (repeats ? last : undefined);
    return last === undefined ? [] : [{ position, value: last }];
  });
}
