import type { Installation } from './installation.ts';

/** A fault injected while devices publish. */
export interface Fault {
  name: string;
  broker: 'embedded' | 'mosquitto';
  persistence?: boolean;
  diskMb?: number;
  /** Injects the fault; resolves when its cause is gone (the service then recovers by itself). */
  harm(installation: Installation): Promise<void>;
  /** What the ingest worker's memory may grow by, MiB. */
  mostMib?: number;
  /** Its processes have a clock that the fault sets. */
  hasClock?: boolean;
  /** Messages that the broker acknowledged and then lost are not the service's losses. */
  brokerForgets?: boolean;
}
