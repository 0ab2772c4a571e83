export const STANDBY = {
  energy_standby_up: '1 where the standby of DATABASE_READ_URL answers reads; no value without one',
  energy_standby_lag_seconds: 'How old the data of that standby may be; no value while it is away',
};

/** Their values. `lagSeconds`: null while it is away. */
export function standbyState(isWanted: boolean, lagSeconds: number | null): Record<string, number> {
  if (!isWanted) return {};
  if (lagSeconds === null) return { energy_standby_up: 0 };
  return { energy_standby_up: 1, energy_standby_lag_seconds: lagSeconds };
}
