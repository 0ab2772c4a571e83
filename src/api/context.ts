import type { z } from 'zod';
import type { Clock } from '#src/core/clock.ts';
import type { Environment } from '#src/core/environment.ts';
import type { SecretBox } from '#src/core/secrets.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import type { Database, Pool } from '#src/database/connect.ts';
import type { Live } from './live/live.ts';
import type { Reads } from './reads.ts';
import type { judgedMessage } from './v1/gateways/shape.ts';

/** What handlers work with. */
export interface ApiContext {
  db: Database;
  /** For aggregates: the primary, or for an operation that `readsFromStandby` a standby where there is one. */
  readDb: Database;
  /** Where there is a standby: from where an account's request reads. */
  reads?: Reads;
  /** Streams of live readings; made by the app. */
  live?: Live;
  clock: Clock;
  /** Seals what is stored and read again. */
  box: SecretBox;
  environment: Environment;
  /** Readings are kept for so many months. */
  retentionMonths: number;
  /** The data directory, which has mail and SMS that were not sent; wired by src/start. */
  dataDir?: string;
  /** What of ingest and of the aggregates an operator sees in the dashboard; wired by src/start. */
  judge?: JudgePort;
  rejected?: RejectedPort;
  rollups?: RollupsPort;
}

/** Where devices reach the broker. */
export interface BrokerAddress {
  host: string;
  /** Of the embedded broker; null where another one is used. */
  ports: { tls: number; plain: number } | null;
  /** Whether devices elsewhere may connect to the embedded broker without TLS, too. */
  is_plain_open: boolean;
}

/** A message, or an element of one, that could not be used. Ingest keeps them; `start` hands them to the API. */
export interface Rejected {
  rejected_id: number;
  received_at: string;
  device_id: string | null;
  topic: string;
  /** Position in the message from 0; null for the whole of it. */
  element: number | null;
  reason: string;
  /** As text where it is UTF-8, else in base64. */
  payload?: string;
  payload_b64?: string;
}

/** Result of a replay. */
interface Replayed {
  messages: number;
  stored: number;
  /** Still not usable; they stay, with the reason of now. */
  rejected: number;
  /** Too long to have been kept whole; they stay as they are. */
  cut: number;
  /** Whether it came to its end; else there are more to try. */
  isComplete: boolean;
}

/** The rejected messages of ingest, which the API must not import (src/README.md). */
export interface RejectedPort {
  /** The youngest first; `before`: a rejected_id, of which only earlier ones are wanted. */
  list(which: { deviceId?: string }, page: { limit: number; before?: number }): Promise<Rejected[]>;
  /**
   * Tries them again, as they came; null while another replay is under way. `whileAllowed` runs each page of them, or
   * throws, which ends the replay.
   */
  replay(
    which: { deviceId?: string },
    signal: AbortSignal,
    whileAllowed: <T>(page: () => Promise<T>) => Promise<T>,
  ): Promise<Replayed | null>;
}

/** What a check of the aggregates needs beside the queries of a request. */
export interface RollupsPort {
  pool: Pool;
  capabilities: Capabilities;
  /** How long readings are kept: nothing older is checked. */
  retentionMonths: number;
}

/** What ingest would make of a message of a gateway, after what was announced there; `src/start` hands it to the API. It reads only. */
export type JudgePort = (message: {
  gatewayId: string;
  /** With or without the gateway's prefix. */
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** The broker had kept it: of unknown age. */
  replayed: boolean;
  /** A `decoder_config`. */
  config: unknown;
}) => Promise<z.output<typeof judgedMessage>>;
