import { sql } from 'kysely';
import { PLACEMENTS, type Placement } from './enums.ts';

/** What a device may measure beside electricity. */
export const COMMODITIES = ['gas', 'heat', 'water'] as const;
export type Commodity = (typeof COMMODITIES)[number];

/**
 * Pattern of the channels whose names say what they are (law of consumption, "Registers of one device", rule 6): `import`, `export` or a
 * commodity, a part of one (`import/t1`, `gas/m3`), or a circuit's name before these (`switch0/import`). Any other text is an unknown name
 * (`feed_in`, `meter/unknown/wert_a`); what is known not to count is called `ignored/…`. PostgreSQL reads it as JavaScript does, and the index `series_unknown_name` has it word by word.
 */
export const KNOWN_CHANNEL =
  '^(?:(?:(?!(?:import|export|m3|cooling|unknown)/)[^/]+/)*(?:import|export|(?:gas|heat|water)(?:/m3)?(?:/cooling)?(?:/(?:import|export))?)(?:/[tl]\\d+)*|(?:[^/]+/)*ignored/.+)$';

/** A series of energy or power whose name is unknown, in a query of `series s`; the index `series_unknown_name` finds these. */
export const hasUnknownName = sql<boolean>`(coalesce(s.meant, s.channel) !~ ${sql.lit(KNOWN_CHANNEL)} AND s.kind IN ('register', 'interval', 'power'))`;

/**
 * What is told apart of a device: channels that have a place in the home of their own, which are part of the device's electricity, too; and
 * gas, heat and water, which are not, in kWh or (`_m3`) by volume, m³ in the place of kWh everywhere.
 */
export type Meter = Placement | Commodity | `${Commodity}_m3`;

/** All of them, in a fixed order. */
export const METERS: readonly Meter[] = [
  ...PLACEMENTS,
  ...COMMODITIES,
  ...COMMODITIES.map((commodity) => `${commodity}_m3` as const),
];

const PLACED: ReadonlySet<string> = new Set(PLACEMENTS);

/** Whether a meter is of electricity, and so part of its device's. */
export const isPlaced = (meter: Meter): meter is Placement => PLACED.has(meter);

/**
 * The part of what flowed out that is estimated, of a device or of its channels with a place: few have any, so it is no measure of every
 * bucket, but told apart, too.
 */
export type EstimatedExport = 'estimated_export' | `${Placement}/estimated_export`;

export const estimatedExportOf = (meter: Placement | null): EstimatedExport =>
  meter === null ? 'estimated_export' : `${meter}/estimated_export`;

/** All that may have rows of its own beside a device's, and beside a user's. */
export const TOLD_APART: readonly (Meter | EstimatedExport)[] = [
  ...METERS,
  ...[null, ...PLACEMENTS].map(estimatedExportOf),
];

/**
 * What a meter's rows of the load profile, and of all aggregates above it, have in the place of `device_id` and `user_id`. No id has a
 * slash in it: whoever asks for a device or a user gets nothing else (decision 0041).
 */
export const meterKey = (id: string, meter: Meter | EstimatedExport): string => `${id}/${meter}`;

/** The key of the rows that tell how much of what flowed out of a device (or of channels with a place, a meter's key) is estimated, as their import. */
export const estimatedExportKey = (id: string): string => meterKey(id, estimatedExportOf(null));
