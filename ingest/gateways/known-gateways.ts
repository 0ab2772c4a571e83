import type { Known } from './announcements.ts';

/** Most gateways that a worker keeps, and the bytes of what they announced; the others are loaded again when they speak. */
const MOST = { gateways: 1_000, bytes: 64 * 2 ** 20 };

/** Gateways that a worker knows, those that it used last before the others. */
export interface KnownGateways {
  get(gatewayId: string): Known | undefined;
  /** Keeps one, as the last used. */
  keep(gatewayId: string, known: Known): void;
  forget(gatewayId: string): void;
  /** Forgets those that were not used for longest, until what is left is within the bounds. They grow as they learn. */
  trim(): void;
}

/** A memory of gateways, in number and in bytes. */
export function createKnownGateways(most = MOST): KnownGateways {
  const gateways = new Map<string, Known>();
  return {
    get: (gatewayId) => gateways.get(gatewayId),
    keep(gatewayId, known) {
      // The last one used comes last.
      gateways.delete(gatewayId);
      gateways.set(gatewayId, known);
    },
    forget: (gatewayId) => void gateways.delete(gatewayId),
    trim() {
      let bytes = 0;
      for (const known of gateways.values()) bytes += known.bytes;
      for (const [gatewayId, known] of gateways) {
        if (gateways.size <= most.gateways && bytes <= most.bytes) return;
        gateways.delete(gatewayId);
        bytes -= known.bytes;
      }
    },
  };
}
