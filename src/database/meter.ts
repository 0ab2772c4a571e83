import { sql } from 'kysely';
import { PLACEMENTS, type Placement } from './enums.ts';

/** Commodities other than electricity that a device may measure. */
export const COMMODITIES = ['gas', 'heat', 'water'] as const;
export type Commodity = (typeof COMMODITIES)[number];

/**
 * Pattern of channel names with a known meaning: `import`, `export` or a commodity, or a component of one of these (`import/t1`, `gas/m3`).
 * The name of a circuit may precede them (`switch0/import`). The index `series_unknown_name` contains the same text.
 */
export const KNOWN_CHANNEL_PATTERN =
  '^(?:(?:(?!(?:import|export|m3|cooling|unknown)/)[^/]+/)*(?:import|export|(?:gas|heat|water)(?:/m3)?(?:/cooling)?(?:/(?:import|export))?)(?:/[tl]\\d+)*|(?:[^/]+/)*ignored/.+)$';

/** SQL condition: the series `s` measures energy or power, but its name has no known meaning. An index covers it. */
export const hasUnknownChannelNameSql = sql<boolean>`(coalesce(s.meant, s.channel) !~ ${sql.lit(KNOWN_CHANNEL_PATTERN)} AND s.kind IN ('register', 'interval', 'power'))`;

/**
 * A quantity whose energy is aggregated separately from the other energy of its device: a channel that measures another part of the home
 * than the device does, or gas, heat or water.
 */
export type AggregatedQuantity = Placement | Commodity | `${Commodity}_m3`;

/** In a fixed order. */
export const AGGREGATED_QUANTITIES: readonly AggregatedQuantity[] = [
  ...PLACEMENTS,
  ...COMMODITIES,
  ...COMMODITIES.map((commodity) => `${commodity}_m3` as const),
];

const PLACED: ReadonlySet<string> = new Set(PLACEMENTS);

/** Whether the energy is electricity, and so a part of its device's total. */
export const isElectricityQuantity = (meter: AggregatedQuantity): meter is Placement => PLACED.has(meter);

/** The estimated part of exported energy. Few devices have one, so it is stored in separate rows. */
export type EstimatedExportQuantity = 'estimated_export' | `${Placement}/estimated_export`;

export const getEstimatedExportQuantity = (meter: Placement | null): EstimatedExportQuantity =>
  meter === null ? 'estimated_export' : `${meter}/estimated_export`;

/** All energies that are stored in separate rows. */
export const SEPARATELY_STORED_QUANTITIES: readonly (AggregatedQuantity | EstimatedExportQuantity)[] = [
  ...AGGREGATED_QUANTITIES,
  ...[null, ...PLACEMENTS].map(getEstimatedExportQuantity),
];

/**
 * Returns the key of a separately stored energy, which replaces the `device_id` or `user_id` in its rows. No id contains a slash, so
 * queries for a device or user never find these rows (decision 0041).
 */
export const getSeparateQuantityKey = (id: string, meter: AggregatedQuantity | EstimatedExportQuantity): string =>
  `${id}/${meter}`;

/**
 * Returns the key of the rows with the estimated part of exported energy. `id`: a device's id, or the key of some of its channels
 * (`getSeparateQuantityKey`).
 */
export const getEstimatedExportKey = (id: string): string =>
  getSeparateQuantityKey(id, getEstimatedExportQuantity(null));
