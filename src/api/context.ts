import type { z } from 'zod';
import type { BackupState } from '#src/backup/state.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Environment } from '#src/core/environment.ts';
import type { SecretBox } from '#src/core/secrets.ts';
import type { Calculator } from '#src/cost/calculator.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import type { Database, Pool } from '#src/database/connect.ts';
import type { FetchAnswer } from '#src/tariffs/sources/read-source.ts';
import type { LiveStreams } from './live/live.ts';
import type { ReadRouter } from './reads.ts';
import type { messageInterpretation } from './v1/gateways/shape.ts';

/** Dependencies of request handlers. */
export interface ApiContext {
  db: Database;
  /**
   * Database for reading aggregates: the primary or, for an operation that `readsFromStandby`, a standby if there is
   * one.
   */
  readDb: Database;
  /** Chooses the database from which an account's request reads, if there is a standby. */
  reads?: ReadRouter;
  /** Streams of live readings. Set by the app. */
  live?: LiveStreams;
  /** Runs long calculations outside the event loop. The app sets it, unless it is given. */
  calculator?: Calculator;
  clock: Clock;
  /** Encrypts stored secrets and decrypts them. */
  box: SecretBox;
  /**
   * Returns the id for which the token of a mailed link was created. Null if this installation did not create it for
   * this purpose. Set by the app.
   */
  mailedIdOf?: (purpose: string, token: string) => string | null;
  /** Returns the URL at which clients reach the service. Set by the app. */
  publicUrl?: () => string;
  environment: Environment;
  /** Retention of readings, in months. */
  retentionMonths: number;
  /** Data directory, with mails and SMS that were captured instead of sent. Set by src/start. */
  dataDir?: string;
  /** Fetches the answer of a price source, to check its settings. Set by src/start. */
  fetchAnswer?: FetchAnswer;
  /** Diagnoses a message for the dashboard's page about a gateway. Set by src/start. */
  judge?: MessageJudgePort;
  /** Set by src/start. */
  sentReadings?: SentReadingsPort;
  /** Reads the state of the installation's own copies. Not set if the database is not the embedded one. */
  readBackups?: () => Promise<BackupState>;
  rejected?: RejectedMessagesPort;
  rollups?: RollupsPort;
}

/** Address at which devices reach the broker. */
export interface BrokerAddress {
  host: string;
  /** Ports of the embedded broker. Null if another broker is used. */
  ports: { tls: number; plain: number } | null;
  /** Whether devices in other networks may also connect to the embedded broker without TLS. */
  is_plain_open: boolean;
}

/** A rejected message, or a rejected element of one. Ingest stores it; `start` passes it to the API. */
export interface RejectedRow {
  rejected_id: number;
  received_at: string;
  device_id: string | null;
  topic: string;
  /** Position of the element in the message, from 0. Null for the whole message. */
  element: number | null;
  reason: string;
  /** The payload as text, if it is UTF-8; otherwise in base64. */
  payload?: string;
  payload_b64?: string;
}

/** Result of a replay. */
interface Replayed {
  messages: number;
  stored: number;
  /** Number of messages that are still rejected; they remain, with their current reason. */
  rejected: number;
  /** Number of messages that were too long to be stored whole; they remain unchanged. */
  cut: number;
  /** Whether the replay is complete. If not, further messages remain to be tried. */
  isComplete: boolean;
}

/** Access to the rejected messages of ingest, which the API must not import (src/README.md). */
export interface RejectedMessagesPort {
  /** Lists rejected messages, the newest first. `before` is a rejected_id; only earlier ones are returned. */
  list(which: { deviceId?: string }, page: { limit: number; before?: number }): Promise<RejectedRow[]>;
  /**
   * Replays rejected messages as they arrived. Null if another replay is under way. `whileAllowed` runs each page; if it throws, the replay
   * ends.
   */
  replay(
    which: { deviceId?: string },
    signal: AbortSignal,
    whileAllowed: <T>(page: () => Promise<T>) => Promise<T>,
  ): Promise<Replayed | null>;
}

/** Writes readings that clients send over HTTPS. Ingest does it; `start` passes it to the API. */
export interface SentReadingsPort {
  /**
   * Resolves once the readings are committed. Throws 429 beyond the flood limit of the device, 404 if the device was deleted, 503 if too
   * many requests wait, the error with which `sender` is refused, and the database's errors.
   */
  write(sent: {
    deviceId: string;
    format: 'native' | 'senml';
    /** The body, parsed from JSON. */
    body: unknown;
    bytes: number;
    /**
     * The caller. `confirm` reloads and locks it in the transaction that stores the readings, and throws if it has lost access. It is
     * called once for all requests with the same id.
     */
    sender: { id: string; confirm(trx: Database): Promise<void> };
  }): Promise<{
    stored: number;
    duplicates: number;
    /** Elements that are not stored, by their position; null for the whole body. */
    rejections: readonly { element: number | null; reason: string }[];
  }>;
}

/** Settings that a check of the aggregates needs in addition to the database. */
export interface RollupsPort {
  pool: Pool;
  capabilities: Capabilities;
  /** Retention of readings, in months. Older hours are not checked. */
  retentionMonths: number;
}

/**
 * Returns how ingest would interpret a message of a gateway, given the announcements received there. `src/start` passes it to the API.
 * Reads only.
 */
export type MessageJudgePort = (message: {
  gatewayId: string;
  /** Topic, with or without the gateway's prefix. */
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the broker retained the message; its age is then unknown. */
  replayed: boolean;
  /** A `decoder_config` that replaces the stored one. */
  config: unknown;
}) => Promise<z.output<typeof messageInterpretation>>;
