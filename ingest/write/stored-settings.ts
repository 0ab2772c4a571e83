import type { LawSettings, SettingsByTime } from '#ingest/normalise/law.ts';

/** Settings of the law as `devices` has them, in its row and in `computed_with`. */
export interface StoredSettings {
  limit_kw: number;
  register_max_kwh: number | null;
  max_gap_minutes: number;
}

/** `devices.computed_with`. */
export interface StoredByTime extends StoredSettings {
  earlier?: (StoredSettings & { until_ms: number })[];
  /** Set by a migration that changes what counts, up to the first plan of the device. */
  by_update?: true;
}

/** Reads the settings of a device's row. */
export const settingsOf = (row: StoredSettings): LawSettings => ({
  limitKw: row.limit_kw,
  registerMaxKwh: row.register_max_kwh,
  maxGapMinutes: row.max_gap_minutes,
});

/** Reads `devices.computed_with`. */
export const settingsByTimeOf = ({ earlier, ...latest }: StoredByTime): SettingsByTime => ({
  ...settingsOf(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...settingsOf(one), untilMs: one.until_ms })) }),
});

/** Writes `devices.computed_with`. */
export const storedByTime = ({ earlier, ...latest }: SettingsByTime): StoredByTime => ({
  ...stored(latest),
  ...(earlier && { earlier: earlier.map((one) => ({ ...stored(one), until_ms: one.untilMs })) }),
});

const stored = ({ limitKw, registerMaxKwh, maxGapMinutes }: LawSettings): StoredSettings => ({
  limit_kw: limitKw,
  register_max_kwh: registerMaxKwh,
  max_gap_minutes: maxGapMinutes,
});
