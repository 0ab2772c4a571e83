/** Formats of responses from custom URLs. */
export const SOURCE_FORMATS = ['json', 'csv', 'xml'] as const;

/** Location of the rows in a response: paths as in mappings, names of CSV columns, or names of XML elements. */
export interface AnswerRowPaths {
  format: (typeof SOURCE_FORMATS)[number];
  /** JSON: path of the list, unless the whole response is the list. XML: name of the element that contains a row. CSV: unused. */
  items?: string | undefined;
  starts_at: string;
  value: string;
}

/** A URL that a utility or administrator configures as a source. */
export interface CustomSource extends AnswerRowPaths {
  url: string;
  /** Factor for the values, a decimal as text. */
  scale?: string | undefined;
  /** IANA zone of local times in the response, and of `at`. */
  timezone: string;
  /** Times of day at which the source is fetched, HH:MM. */
  at: string[];
}

/** Source of a series in the API's format, without its secrets. Stored in the same format. */
export type SeriesSource = CustomSource | { preset: string };

/** Secrets of a source, stored encrypted. */
export interface SourceSecrets {
  token?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** Unit of the values of emission series in presets: grams of CO2 equivalent. */
const GRAMS = 'gCO2e';

/** Members of a series that determine how a source is read. */
export interface SeriesUnits {
  /** Unit of the values per kWh: a currency, or grams of CO2 equivalent. */
  unit: string;
  resolutionMinutes: number;
}

/** Returns the units of a series. A series without a currency is an emission series. */
export const getSeriesUnits = (series: { currency: string | null; resolution_minutes: number }): SeriesUnits => ({
  unit: series.currency ?? GRAMS,
  resolutionMinutes: series.resolution_minutes,
});
