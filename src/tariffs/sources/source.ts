/** Formats of responses from custom URLs. */
export const SOURCE_FORMATS = ['json', 'csv', 'xml'] as const;

/** Paths of the rows in a response, and of time and value in a row: JSON paths, CSV column names, or XML element names. */
export interface ResponseRowPaths {
  format: (typeof SOURCE_FORMATS)[number];
  /** JSON: path of the list of rows; undefined if the response is the list. XML: name of the element of a row. */
  items?: string | undefined;
  starts_at: string;
  value: string;
}

/** A source that a utility or administrator sets as a URL, instead of a preset. */
export interface CustomSource extends ResponseRowPaths {
  url: string;
  /** Factor by which values are multiplied, a decimal as text. */
  scale?: string | undefined;
  /** IANA zone of local times in the response, and of the times of day in `at`. */
  timezone: string;
  /** Times of day at which the source is fetched, HH:MM. */
  at: string[];
}

/** Source of a series as in the API, without its secrets. The database stores it in the same format. */
export type SeriesSource = CustomSource | { preset: string };

/** Secrets of a source, stored encrypted. */
export interface SourceSecrets {
  token?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** Unit of the values of emission series: grams of CO2 equivalent. Presets use the same name. */
const GRAMS = 'gCO2e';

/** Settings of a series that determine which values it can store. */
export interface SeriesUnitAndResolution {
  /** Unit of the values per kWh: a currency, or grams of CO2 equivalent. */
  unit: string;
  resolutionMinutes: number;
}

/** Returns the unit and resolution of a series. A series without a currency is an emission series. */
export const getSeriesUnitAndResolution = (series: {
  currency: string | null;
  resolution_minutes: number;
}): SeriesUnitAndResolution => ({
  unit: series.currency ?? GRAMS,
  resolutionMinutes: series.resolution_minutes,
});
