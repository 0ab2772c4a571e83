/** Energy of a home in a bucket, in kWh. A value is null or absent if it is unknown or the home has no such device. */
interface Measures {
  kwh_used: number | null;
  grid_export_kwh?: number | null;
  production_kwh?: number | null;
  charged_kwh?: number | null;
  discharged_kwh?: number | null;
}

/** Sources of the energy that a home used, and the energy that it exported or stored, in kWh. */
export interface EnergySources {
  grid: number;
  sun: number;
  battery: number;
  exported: number;
  charged: number;
}

/**
 * Returns the sources of the energy used in a bucket. The three sources add up exactly to `kwh_used`. Meters do not measure the paths of
 * energy, so the attribution is a convention: production is first exported, then stored, then used; the battery covers the first part of
 * the remaining usage, and the grid the rest. Pure.
 */
export function getEnergySources(measures: Measures): EnergySources {
  const used = Math.max(0, measures.kwh_used ?? 0);
  const [exported, charged] = [measures.grid_export_kwh ?? 0, measures.charged_kwh ?? 0];
  const sun = Math.min(used, Math.max(0, (measures.production_kwh ?? 0) - exported - charged));
  const battery = Math.min(used - sun, measures.discharged_kwh ?? 0);
  return { grid: used - sun - battery, sun, battery, exported, charged };
}
