import type { IncomingMessage } from '../message.ts';
import { type BatchStatement, createBatchStatement } from './statement.ts';

const MAX_KNOWN = 500_000;

/**
 * Creates a recorder of series whose messages have no timestamps. Their times come from the clock of this host, so an error of this clock
 * affects them.
 */
export function createUntimedSeriesRecorder(host: string) {
  const known = new Set<string>();
  return {
    /** Returns the series without timestamps that are not recorded yet. */
    missing(messages: readonly IncomingMessage[]) {
      const found = new Map<string, readonly [string, string, string]>();
      for (const { decoded } of messages) {
        for (const { isUntimed, deviceId, channel, kind } of decoded.readings) {
          if (!isUntimed) continue;
          const name = `${deviceId}\n${channel}\n${kind}`;
          if (!known.has(name)) found.set(name, [deviceId, channel, kind]);
        }
      }
      return found;
    },
    save(missing: ReadonlyMap<string, readonly [string, string, string]>): BatchStatement[] {
      if (missing.size === 0) return [];
      const rows = [...missing.values()];
      const text = `INSERT INTO untimed_series (host, device_id, channel, kind)
        SELECT $1, device_id, channel, kind FROM unnest($2::text[], $3::text[], $4::text[]) n (device_id, channel, kind)
        JOIN devices USING (device_id) ORDER BY 2, 3, 4 ON CONFLICT DO NOTHING`;
      return [
        createBatchStatement({ text, values: [host, ...[0, 1, 2].map((column) => rows.map((row) => row[column]))] }),
      ];
    },
    /** Marks series as recorded, so that `missing` no longer returns them. Must be called after the commit. */
    noted(missing: ReadonlyMap<string, unknown>): void {
      if (known.size > MAX_KNOWN) known.clear();
      for (const name of missing.keys()) known.add(name);
    },
  };
}

export type UntimedSeriesRecorder = ReturnType<typeof createUntimedSeriesRecorder>;
