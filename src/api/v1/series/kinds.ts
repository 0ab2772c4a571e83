import type { z } from 'zod';
import type { TimedPrice } from '#src/tariffs/packed-days.ts';
import type { SeriesKind, StoredSeries } from '#src/tariffs/price-series.ts';
import type { SourceState } from '#src/tariffs/sources/store.ts';
import { SERIES_SHAPES, type WrittenValue } from './shape.ts';
import type { givenSource } from './source-shape.ts';

/** Operations on the series of a kind: its schemas, and its words in paths, summaries and the audit log. */
export interface SeriesInterface {
  kind: SeriesKind;
  path: `/v1/${string}`;
  /** Last segment of the path of the values, and the member of a check's answer that contains them. */
  values: string;
  /** Start of the actions in the audit log, the action that stores values, and the one that removes them. */
  noun: string;
  stores: string;
  removes: string;
  /** Name of a series in messages. */
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
      source?: z.output<typeof givenSource> | undefined;
      check?: boolean | undefined;
    } & Pick<StoredSeries, 'name' | 'resolution_minutes'>
  >;
  series: z.ZodType<object>;
  createdSeries: z.ZodType<object>;
  toWire(row: StoredSeries, state?: SourceState): object;
  columns: readonly string[];
  newValues: z.ZodType<WrittenValue[]>;
  value: z.ZodType<object>;
  valueToWire(value: TimedPrice): object;
  storedValues: z.ZodType<{ series_id: string; stored: number }>;
}

export const PRICE_SERIES: SeriesInterface = {
  ...SERIES_SHAPES.price,
  kind: 'price',
  path: '/v1/price-series',
  values: 'prices',
  noun: 'price_series',
  stores: 'priced',
  removes: 'prices_removed',
  name: 'Price series',
  summaries: {
    create:
      'Creates a price series, for prices that are put as they become known, or that the service fetches from a source. A utility’s series can be used by its homeowners, an administrator’s by everybody.',
    list: 'The price series that a user can use, page by page: its own, its utility’s and those of administrators.',
    get: 'One price series, of those that the caller can use too.',
    update: 'Changes the name of a price series, or where it fetches its prices.',
    remove: 'Removes a price series and its prices, unless a tariff uses it.',
    listValues: 'The prices of a series from `start` to `end`, UTC days; without them those of today and tomorrow.',
    putValues:
      'Stores up to 10,000 prices of a series, as JSON or CSV. A price of the same time is replaced; the others stay. Of a body with a mistake nothing is taken.',
    removeValues:
      'Removes prices that were put for times from `from` until `to`. If the series has a source, its prices hold for these times at once.',
  },
};

export const EMISSION_SERIES: SeriesInterface = {
  ...SERIES_SHAPES.emission,
  kind: 'emission',
  path: '/v1/emission-series',
  values: 'intensities',
  noun: 'emission_series',
  stores: 'filled',
  removes: 'intensities_removed',
  name: 'Emission series',
  summaries: {
    create:
      'Creates an emission series: how many grams of CO2 equivalent a kWh of the grid causes, put by its owner or fetched from a source. A utility’s series can be used by its homeowners, an administrator’s by everybody.',
    list: 'The emission series that a user can use, page by page: its own, its utility’s and those of administrators.',
    get: 'One emission series, of those that the caller can use too.',
    update: 'Changes the name of an emission series, or where it fetches its intensities.',
    remove: 'Removes an emission series and its intensities, unless a user has it.',
    listValues:
      'The intensities of a series from `start` to `end`, UTC days; without them those of today and tomorrow.',
    putValues:
      'Stores up to 10,000 intensities of a series, as JSON or CSV. An intensity of the same time is replaced; the others stay. Of a body with an error nothing is stored.',
    removeValues:
      'Removes intensities that were put for times from `from` until `to`. If the series has a source, its intensities hold for these times at once.',
  },
};
