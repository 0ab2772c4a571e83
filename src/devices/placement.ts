import type { Placement } from '#src/database/enums.ts';
import { type HeardAs, knownPlacement, type PlacementRule, placementByWords } from './known-placement.ts';

/** Who says where a device sits: its owner before the decoder that knows what it is, and that one before its type. */
export type PlacementBy = 'owner' | 'decoder' | 'type';

const TYPES: readonly PlacementRule[] = [
  [/\b(inverter|microinverter|solar|pv|photovoltaics?|wind|generator)\b/, 'production'],
  [/\b(battery|batteries|storage|powerwall)\b/, 'storage'],
  [/\b(smart ?meter|electricity ?meter|grid|utility ?meter|main ?meter)\b/, 'grid'],
];

/**
 * Where a device sits whose owner has not said it (docs/home.md). Pure. A plug that was paired as a smart meter is a plug: what the
 * decoder knows goes before what was typed.
 */
export function guessedPlacement(
  type: string,
  heardAs?: HeardAs,
): { placement: Placement; placement_by: Exclude<PlacementBy, 'owner'> } {
  const known = heardAs && knownPlacement(heardAs);
  if (known) return { placement: known, placement_by: 'decoder' };
  return { placement: placementByWords(TYPES, type) ?? 'consumption', placement_by: 'type' };
}
