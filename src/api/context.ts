import type { z } from 'zod';
import type { BackupState } from '#src/backup/state.ts';
import type { Clock } from '#src/core/clock.ts';
import type { Environment } from '#src/core/environment.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import type { Calculator } from '#src/cost/calculator.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import type { Database, Pool } from '#src/database/connect.ts';
import type { SourceFetcher } from '#src/tariffs/sources/read-source.ts';
import type { UsageStreams } from './live/live.ts';
import type { ReadDatabaseRouter } from './reads.ts';
import type { messageInterpretationSchema } from './v1/gateways/shape.ts';

/** Dependencies of request handlers. */
export interface ApiContext {
  db: Database;
  /** Database for reading aggregates: a standby if there is one and the operation has `readsFromStandby`, otherwise the primary. */
  readDb: Database;
  /** Chooses the database from which an account's request reads, if there is a standby. */
  reads?: ReadDatabaseRouter;
  /** Streams of live readings. Set by `buildApp`. */
  live?: UsageStreams;
  /** Runs long calculations outside the event loop. `buildApp` sets it unless the context already has one. */
  calculator?: Calculator;
  clock: Clock;
  /** Encrypts stored secrets and decrypts them. */
  box: SecretEncrypter;
  /**
   * Returns the id for which the token of a mailed link was created. Null if this installation did not create the token for this purpose.
   * Set by `buildApp`.
   */
  mailedIdOf?: (purpose: string, token: string) => string | null;
  /** Returns the URL at which clients reach the service. Set by `buildApp`. */
  publicUrl?: () => string;
  environment: Environment;
  /** Retention of readings, in months. */
  retentionMonths: number;
  /** Data directory, with mails and SMS that were captured instead of sent. Set by src/start. */
  dataDir?: string;
  /** Fetches a response of a price source, to check the source's settings. Set by src/start. */
  fetchAnswer?: SourceFetcher;
  /** Diagnoses a message for the dashboard's page about a gateway. Set by src/start. */
  judge?: MessageJudgePort;
  /** Writes readings that are sent over HTTPS. Set by src/start. */
  sentReadings?: SentReadingsPort;
  /** Reads the state of the installation's own back-ups. Not set if the database is not the embedded one. */
  readBackups?: () => Promise<BackupState>;
  rejected?: RejectedMessagesPort;
  rollups?: RollupsPort;
}

/** Address at which devices reach the MQTT broker. */
export interface BrokerAddress {
  host: string;
  /** Ports of the embedded broker. Null if an external broker is used. */
  ports: { tls: number; plain: number } | null;
  /** Whether devices in other networks may also connect to the embedded broker without TLS. */
  is_plain_open: boolean;
}

/** A rejected message, or a rejected element of a message. Ingest stores it; src/start passes it to the API. */
export interface RejectedRow {
  rejected_id: number;
  received_at: string;
  device_id: string | null;
  topic: string;
  /** Position of the rejected element in the message, from 0. Null if the whole message was rejected. */
  element: number | null;
  reason: string;
  /** The payload as text, if it is UTF-8; otherwise in base64. */
  payload?: string;
  payload_b64?: string;
}

interface Replayed {
  messages: number;
  stored: number;
  /** Number of replayed messages that were rejected again. They remain stored with the new reason. */
  rejected: number;
  /** Number of messages that were too long to be stored completely. They cannot be replayed and remain unchanged. */
  cut: number;
  /** Whether the replay is complete. If not, further rejected messages remain to be replayed. */
  isComplete: boolean;
}

/** Access to the rejected messages of ingest, which the API must not import (src/README.md). */
export interface RejectedMessagesPort {
  /** Lists rejected messages, newest first. `before`: a rejected_id; only earlier messages are returned. */
  list(which: { deviceId?: string }, page: { limit: number; before?: number }): Promise<RejectedRow[]>;
  /**
   * Replays rejected messages in their original form. Returns null if another replay is in progress. `whileAllowed` runs the replay of each
   * page while the caller's access is locked; if it throws, the replay ends.
   */
  replay(
    which: { deviceId?: string },
    signal: AbortSignal,
    whileAllowed: <T>(page: () => Promise<T>) => Promise<T>,
  ): Promise<Replayed | null>;
}

/** Writes readings that clients send over HTTPS. Ingest implements it; src/start passes it to the API. */
export interface SentReadingsPort {
  /**
   * Resolves once the readings are committed. Throws 429 above the flood limit of the device, 404 if the device was deleted, 503 if too
   * many requests wait, the error of `sender.confirm`, and the database's errors.
   */
  write(sent: {
    deviceId: string;
    format: 'native' | 'senml';
    /** Body of the request, parsed from JSON. */
    body: unknown;
    bytes: number;
    /**
     * The caller that sends the readings. `confirm` reloads and locks the caller in the transaction that stores the readings, and throws if
     * the caller has lost access. It is called once for all requests with the same id.
     */
    sender: { id: string; confirm(trx: Database): Promise<void> };
  }): Promise<{
    stored: number;
    duplicates: number;
    /** Elements that are not stored, by position in the body. The position is null if the whole body is refused. */
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
 * Returns how ingest would interpret a message of a gateway, given the announcements that the gateway has sent. Stores nothing. src/start
 * passes it to the API.
 */
export type MessageJudgePort = (message: {
  gatewayId: string;
  /** Topic of the message, with or without the gateway's prefix. */
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the broker had retained the message, so that the message's age is unknown. */
  replayed: boolean;
  /** A `decoder_config` to use instead of the stored one. */
  config: unknown;
}) => Promise<z.output<typeof messageInterpretationSchema>>;
