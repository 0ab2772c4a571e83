/** Of hours and days of 24 hours, as UTC has them. (The browser gets nothing of src/core.) */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
