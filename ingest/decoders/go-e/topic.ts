/**
 * Keys by which topics are known where the prefix is its owner's own: `eto` and `nrg` are nobody else's, behind a serial number of
 * six digits.
 */
const OWN_PREFIX = /^(?:.+\/)?(\d{6})\/(eto|nrg)$/;
const CHARGER = /^(?:.*\/)?go-eCharger\/([0-9A-Za-z]{4,16})\/([A-Za-z0-9_]{2,32})(\/.+)?$/;

/** Reads a topic of a charger: `/go-eCharger/072246/eto`, `go-eCharger/072246/eto`; null for every other one. */
export function parseGoETopic(topic: string): { device: string; key: string; isCommand: boolean } | null {
  const [, device, key, more] = CHARGER.exec(topic) ?? OWN_PREFIX.exec(topic) ?? [];
  return device && key ? { device, key, isCommand: more !== undefined } : null;
}
