/** Measures of a bucket of a home, in kWh. Null or absent: unknown, or the home has no such device. */
interface Measures {
  kwh_used: number | null;
  grid_export_kwh?: number | null;
  production_kwh?: number | null;
  charged_kwh?: number | null;
  discharged_kwh?: number | null;
}

/** Sources of the used energy, and energy that was exported or stored, in kWh. */
export interface EnergySources {
  grid: number;
  sun: number;
  battery: number;
  exported: number;
  charged: number;
}

/**
 * Returns the sources of a bucket's usage. The three sources add up exactly to `kwh_used`. Meters do not measure the
 * paths of energy. By convention, production is exported first, then stored, then used; of the remaining usage, the
 * battery covers the first part, and the grid the rest. Pure.
 */
export function energySourcesOf(measures: Measures): EnergySources {
  const used = Math.max(0, measures.kwh_used ?? 0);
  const [exported, charged] = [measures.grid_export_kwh ?? 0, measures.charged_kwh ?? 0];
  const sun = Math.min(used, Math.max(0, (measures.production_kwh ?? 0) - exported - charged));
  const battery = Math.min(used - sun, measures.discharged_kwh ?? 0);
  return { grid: used - sun - battery, sun, battery, exported, charged };
}
