/** Plausible bounds of what devices tell, least and most; that of a register is where mWh (cm³) stop being exact numbers. */
export const BOUNDS = {
  energy_total_kwh: [0, 9_000_000_000],
  energy_interval_kwh: [0, 1_000_000],
  volume_total_m3: [0, 9_000_000_000],
  power_w: [-100_000_000, 100_000_000],
  temperature_c: [-100, 200],
  setpoint_c: [-100, 200],
  humidity_percent: [0, 100],
} as const;
