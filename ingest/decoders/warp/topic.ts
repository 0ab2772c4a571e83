/** What a WARP Charger or Energy Manager tells of its meters. */
export type WarpTopic =
  /** The meter of earlier firmware (`meter/values`): one object. */
  | { what: 'legacy'; prefix: string }
  /** A meter's values, a list. */
  | { what: 'values'; prefix: string; slot: number }
  /** Which value stands where in that list. */
  | { what: 'ids'; prefix: string; slot: number }
  /** Wishes, and what does not count. */
  | { what: 'nothing'; prefix: string };

const LEGACY = /^(.{1,100})\/meter\/values$/;
const METERS = /^(.{1,100})\/meters\/(\d{1,2})\/(values|value_ids|update|reset)$/;
const WISH = /^(.{1,100})\/meter\/(?:values_update|all_values_update|state_update)$/;

/**
 * Reads `warp2/AbCd/meters/0/values` and its neighbours. Owners choose the prefix; what is below it others have as well, so the body
 * decides, too (`decode.ts`). Null for every other topic.
 */
export function parseWarpTopic(topic: string): WarpTopic | null {
  const legacy = LEGACY.exec(topic)?.[1];
  if (legacy !== undefined) return { what: 'legacy', prefix: legacy };
  const wish = WISH.exec(topic)?.[1];
  if (wish !== undefined) return { what: 'nothing', prefix: wish };
  const [, prefix, slot, leaf] = METERS.exec(topic) ?? [];
  if (prefix === undefined) return null;
  if (leaf === 'values' || leaf === 'value_ids') {
    return { what: leaf === 'values' ? 'values' : 'ids', prefix, slot: Number(slot) };
  }
  return { what: 'nothing', prefix };
}
