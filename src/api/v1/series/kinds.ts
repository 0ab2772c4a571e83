import type { z } from 'zod';
import type { TimedPrice } from '#src/tariffs/packed-days.ts';
import type { SeriesKind, StoredPriceSeries } from '#src/tariffs/price-series.ts';
import type { SourceState } from '#src/tariffs/sources/store.ts';
import { SCHEMAS_BY_SERIES_KIND, type TimedSeriesValue } from './shape.ts';
import type { newSourceSchema } from './source-shape.ts';

/** Description of a kind of series (prices or emissions). */
export interface SeriesKindDescription {
  kind: SeriesKind;
  path: `/v1/${string}`;
  /** Name of the values of such a series in paths and in responses. */
  values: string;
  /**
   * Parts of the names of actions in the audit log, such as `price_series.created`. `noun` is the part before the dot. `stores` and
   * `removes` are the parts after the dot for storing and removing values.
   */
  noun: string;
  stores: string;
  removes: string;
  /** Name of the kind of series in error messages. */
  name: string;
  summaries: {
    create: string;
    list: string;
    get: string;
    update: string;
    remove: string;
    listValues: string;
    putValues: string;
    removeValues: string;
  };
  newSeries: z.ZodType<
    {
      user_id?: string | undefined;
      currency?: string;
      source?: z.output<typeof newSourceSchema> | undefined;
      check?: boolean | undefined;
    } & Pick<StoredPriceSeries, 'name' | 'resolution_minutes'>
  >;
  series: z.ZodType<object>;
  createdSeries: z.ZodType<object>;
  toResponse(row: StoredPriceSeries, state?: SourceState): object;
  columns: readonly string[];
  newValues: z.ZodType<TimedSeriesValue[]>;
  value: z.ZodType<object>;
  valueToResponse(value: TimedPrice): object;
  storedValues: z.ZodType<{ series_id: string; stored: number }>;
}

export const PRICE_SERIES_KIND: SeriesKindDescription = {
  ...SCHEMAS_BY_SERIES_KIND.price,
  kind: 'price',
  path: '/v1/price-series',
  values: 'prices',
  noun: 'price_series',
  stores: 'priced',
  removes: 'prices_removed',
  name: 'Price series',
  summaries: {
    create:
      'Creates a price series, whose prices its owner uploads as they become known, or which the service fetches from a source. Homeowners can use the series of their utility; everybody can use the series of an administrator.',
    list: 'Lists the price series that a user can use, page by page: its own series, its utility’s series and those of administrators.',
    get: 'Returns one price series that the caller can use.',
    update: 'Changes the name or the source of a price series.',
    remove: 'Deletes a price series and its prices, unless a tariff uses it.',
    listValues: 'Returns the prices of a series from `start` to `end`, in UTC days. Without dates: today and tomorrow.',
    putValues:
      'Stores up to 10,000 prices of a series, as JSON or CSV. A price for the same time is replaced; other prices do not change. If one price has an error, none is stored.',
    removeValues:
      'Deletes uploaded prices from `from` (inclusive) to `to` (exclusive). If the series has a source, the prices of the source apply to these times at once.',
  },
};

export const EMISSION_SERIES_KIND: SeriesKindDescription = {
  ...SCHEMAS_BY_SERIES_KIND.emission,
  kind: 'emission',
  path: '/v1/emission-series',
  values: 'intensities',
  noun: 'emission_series',
  stores: 'filled',
  removes: 'intensities_removed',
  name: 'Emission series',
  summaries: {
    create:
      'Creates an emission series: grams of CO2 equivalent for a kWh from the grid, uploaded by its owner or fetched from a source. Homeowners can use the series of their utility; everybody can use the series of an administrator.',
    list: 'Lists the emission series that a user can use, page by page: its own series, its utility’s series and those of administrators.',
    get: 'Returns one emission series that the caller can use.',
    update: 'Changes the name or the source of an emission series.',
    remove: 'Deletes an emission series and its intensities, unless a user uses it.',
    listValues:
      'Returns the intensities of a series from `start` to `end`, in UTC days. Without dates: today and tomorrow.',
    putValues:
      'Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity for the same time is replaced; other intensities do not change. If one intensity has an error, none is stored.',
    removeValues:
      'Deletes uploaded intensities from `from` (inclusive) to `to` (exclusive). If the series has a source, the intensities of the source apply to these times at once.',
  },
};
