import type { KnownGateway } from './announcements.ts';

/**
 * Maximum number of gateways that a worker caches, and maximum bytes of their announcements. Other gateways are loaded
 * again with each of their messages.
 */
const MOST = { gateways: 1_000, bytes: 64 * 2 ** 20 };

/** Cache of a worker's gateways, least recently used first. */
export interface GatewayCache {
  get(gatewayId: string): KnownGateway | undefined;
  /** Caches a gateway as the most recently used one. */
  keep(gatewayId: string, known: KnownGateway): void;
  forget(gatewayId: string): void;
  /**
   * Evicts the least recently used gateways until the cache is within its bounds. Cached gateways grow with each
   * announcement, so the bounds may be exceeded without a new entry.
   */
  trim(): void;
}

/** Creates a cache that is bounded by the number of gateways and by their bytes. */
export function createGatewayCache(most = MOST): GatewayCache {
  const gateways = new Map<string, KnownGateway>();
  return {
    get: (gatewayId) => gateways.get(gatewayId),
    keep(gatewayId, known) {
      // Deletes the entry before adding it, so that the most recently used gateway is last in the map.
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
