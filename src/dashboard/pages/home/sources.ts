/** Energy of a home in an hour, day or month, in kWh. A value is null or missing if it is unknown or not measured. */
interface Measures {
  kwh_used: number | null;
  grid_export_kwh?: number | null;
  production_kwh?: number | null;
  charged_kwh?: number | null;
  discharged_kwh?: number | null;
}

/** Energy that a home used, by source, and energy that it exported or stored. In kWh. */
interface EnergySources {
  grid: number;
  sun: number;
  battery: number;
  exported: number;
  charged: number;
}

/**
 * Returns the sources of the energy that a home used in an hour, day or month, by a convention: production is first exported, then stored,
 * then used. The battery supplies the remaining usage as far as it can, and the grid supplies the rest. The three sources add up exactly to
 * `kwh_used`.
 */
export function getEnergySources(measures: Measures): EnergySources {
  const used = Math.max(0, measures.kwh_used ?? 0);
  const [exported, charged] = [measures.grid_export_kwh ?? 0, measures.charged_kwh ?? 0];
  const sun = Math.min(used, Math.max(0, (measures.production_kwh ?? 0) - exported - charged));
  const battery = Math.min(used - sun, measures.discharged_kwh ?? 0);
  return { grid: used - sun - battery, sun, battery, exported, charged };
}
