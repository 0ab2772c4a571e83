import type { Installation } from './installation.ts';

/** A fault that is injected into an installation while devices publish. */
export interface Fault {
  name: string;
  broker: 'embedded' | 'mosquitto';
  /** Protocol by which the devices send readings. Default: MQTT. */
  transport?: 'mqtt' | 'https';
  /** Maximum number of readings per second of all devices together. Default: the rate of the run. */
  perSecond?: number;
  persistence?: boolean;
  diskMb?: number;
  /** Injects the fault. Resolves when the cause of the fault has been removed; the service must then recover by itself. */
  harm(installation: Installation): Promise<void>;
  /** Maximum permitted growth of the ingest worker's memory during the fault, in MiB. */
  maxGrowthMib?: number;
  /** Whether the processes run with a separate clock that the fault sets. */
  hasClock?: boolean;
  /** Whether the broker may lose messages that it has acknowledged. Such messages are not counted as lost by the service. */
  brokerForgets?: boolean;
}
