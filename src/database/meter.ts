import { sql } from 'kysely';
import { PLACEMENTS, type Placement } from './enums.ts';

/** Commodities other than electricity that a device may measure. */
export const COMMODITIES = ['gas', 'heat', 'water'] as const;
export type Commodity = (typeof COMMODITIES)[number];

/**
 * Pattern of channel names with a known meaning (counting rules, "Registers of one device", rule 6): `import`, `export` or a commodity, a
 * component of one of these (`import/t1`, `gas/m3`), or any of these after the name of a circuit (`switch0/import`). Every other text is an
 * unknown name (`feed_in`, `meter/unknown/wert_a`). Channels that must not contribute to totals are named `ignored/…`. PostgreSQL
 * interprets the pattern as JavaScript does, and the index `series_unknown_name` contains the same text.
 */
export const KNOWN_CHANNEL_PATTERN =
  '^(?:(?:(?!(?:import|export|m3|cooling|unknown)/)[^/]+/)*(?:import|export|(?:gas|heat|water)(?:/m3)?(?:/cooling)?(?:/(?:import|export))?)(?:/[tl]\\d+)*|(?:[^/]+/)*ignored/.+)$';

/**
 * SQL condition on `series s`: a series of energy or power with an unknown channel name. The index `series_unknown_name` covers this
 * condition.
 */
export const hasUnknownChannelNameSql = sql<boolean>`(coalesce(s.meant, s.channel) !~ ${sql.lit(KNOWN_CHANNEL_PATTERN)} AND s.kind IN ('register', 'interval', 'power'))`;

/**
 * Quantities of a device that are aggregated separately. Channels with their own placement are also part of the device's electricity. Gas,
 * heat and water are not; their unit is kWh or, with `_m3`, m³.
 */
export type AggregatedQuantity = Placement | Commodity | `${Commodity}_m3`;

/** All separately aggregated quantities, in a fixed order. */
export const AGGREGATED_QUANTITIES: readonly AggregatedQuantity[] = [
  ...PLACEMENTS,
  ...COMMODITIES,
  ...COMMODITIES.map((commodity) => `${commodity}_m3` as const),
];

const PLACED: ReadonlySet<string> = new Set(PLACEMENTS);

/** Whether a quantity is electricity, and therefore a part of its device's total. */
export const isElectricityQuantity = (meter: AggregatedQuantity): meter is Placement => PLACED.has(meter);

/**
 * The estimated part of exported energy, of a device or of its channels with a placement. Few devices export estimated energy, so this part
 * is stored in separate rows instead of a column of every bucket.
 */
export type EstimatedExportQuantity = 'estimated_export' | `${Placement}/estimated_export`;

export const getEstimatedExportQuantity = (meter: Placement | null): EstimatedExportQuantity =>
  meter === null ? 'estimated_export' : `${meter}/estimated_export`;

/**
 * All quantities that have rows of their own, in addition to the rows of the device and the user: the aggregated quantities, and the
 * estimated parts of exported energy.
 */
export const SEPARATELY_STORED_QUANTITIES: readonly (AggregatedQuantity | EstimatedExportQuantity)[] = [
  ...AGGREGATED_QUANTITIES,
  ...[null, ...PLACEMENTS].map(getEstimatedExportQuantity),
];

/**
 * Returns the key that the rows of a separately aggregated quantity have in the load profile and in all aggregates, in place of the
 * `device_id` or `user_id`. No id contains a slash, so a query for a device or a user never matches these rows (decision 0041).
 */
export const getSeparateQuantityKey = (id: string, meter: AggregatedQuantity | EstimatedExportQuantity): string =>
  `${id}/${meter}`;

/**
 * Returns the key of the rows that store the estimated part of exported energy, in the column of imported energy. `id`: a device's id, or,
 * for channels with a placement, the key of their quantity (`getSeparateQuantityKey`).
 */
export const getEstimatedExportKey = (id: string): string =>
  getSeparateQuantityKey(id, getEstimatedExportQuantity(null));
