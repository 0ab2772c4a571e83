/** Format of an answer of an own address. */
export const SOURCE_FORMATS = ['json', 'csv', 'xml'] as const;

/** Location of the rows in an answer: paths as in mappings, names of CSV columns, or names of XML elements. */
export interface AnswerRowPaths {
  format: (typeof SOURCE_FORMATS)[number];
  /** JSON: path of the list, if not the whole answer. XML: name of the element that contains a row. CSV: none. */
  items?: string | undefined;
  starts_at: string;
  value: string;
}

/** An address that a utility or administrator names. */
export interface CustomSource extends AnswerRowPaths {
  url: string;
  /** Factor on the values, a decimal as text. */
  scale?: string | undefined;
  /** IANA zone of local times in the answer, and of `at`. */
  timezone: string;
  /** Times of day at which the source is fetched, HH:MM. */
  at: string[];
}

/** Source of a series in the API's format, which is stored, without its secrets. */
export type Source = CustomSource | { preset: string };

/** Secrets of a source, which are stored encrypted. */
export interface SourceSecrets {
  token?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** Unit of the values of emission series, in presets. */
const GRAMS = 'gCO2e';

/** Members of a series that determine how a source is read. */
export interface SeriesUnits {
  /** Unit of the values per kWh: a currency, or grams of CO2 equivalent. */
  unit: string;
  resolutionMinutes: number;
}

/** Returns the form of a series. Without a currency it is an emission series. */
export const seriesUnitsOf = (series: { currency: string | null; resolution_minutes: number }): SeriesUnits => ({
  unit: series.currency ?? GRAMS,
  resolutionMinutes: series.resolution_minutes,
});
