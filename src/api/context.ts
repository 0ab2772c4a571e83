import type { z } from 'zod';
import type { Clock } from '#src/core/clock.ts';
import type { Environment } from '#src/core/environment.ts';
import type { SecretEncrypter } from '#src/core/secrets.ts';
import type { Calculator } from '#src/cost/calculator.ts';
import type { Capabilities } from '#src/database/capabilities.ts';
import type { Database, Pool } from '#src/database/connect.ts';
import type { SourceFetcher } from '#src/tariffs/sources/read-source.ts';
import type { DoctorReport, RejectedMessageEntry } from './dashboard/shapes.ts';
import type { UsageStreams } from './live/live.ts';
import type { ReadDatabaseRouter } from './reads.ts';
import type { messageInterpretationSchema } from './v1/gateways/shape.ts';

/** Objects and settings that request handlers need. */
export interface ApiContext {
  db: Database;
  /**
   * Database for reading aggregates: a standby server if the operation has `readsFromStandby` and there is one, otherwise the
   * primary server.
   */
  readDb: Database;
  /** Chooses between primary and standby. Undefined without a standby. */
  reads?: ReadDatabaseRouter;
  /** Streams of live readings. Set by `buildApp`. */
  live?: UsageStreams;
  /** Runs long calculations outside the event loop. */
  calculator?: Calculator;
  clock: Clock;
  /** Encrypts secrets that are stored, and decrypts them. */
  box: SecretEncrypter;
  /**
   * Returns the id of the object for which the token of a mailed link was created. Null if this installation did not create the
   * token for this purpose.
   */
  mailedIdOf?: (purpose: string, token: string) => string | null;
  /** Returns the URL at which clients reach the service. Set by `buildApp`. */
  publicUrl?: () => string;
  environment: Environment;
  /** Number of months for which readings are stored. */
  retentionMonths: number;
  /** Data directory, which contains mails and SMS that were stored instead of sent. Set by src/start. */
  dataDir?: string;
  /** Fetches a response of a price source, so that the source's settings can be tested. Set by src/start. */
  fetchAnswer?: SourceFetcher;
  /** Diagnoses a message for the dashboard's page about gateways. Set by src/start. */
  judge?: MessageDiagnosisPort;
  /** Stores readings that clients send over HTTPS. Set by src/start. */
  sentReadings?: SentReadingsPort;
  /** Runs the checks of `energy doctor`. Set by src/start. */
  runDoctor?: () => Promise<DoctorReport>;
  rejected?: RejectedMessagesPort;
  rollups?: RollupsPort;
}

export interface BrokerAddress {
  host: string;
  /** Ports of the embedded broker. Null if the installation uses an external broker. */
  ports: { tls: number; plain: number } | null;
  /** Whether devices in other networks can connect to the embedded broker without TLS. */
  is_plain_open: boolean;
}

interface Replayed {
  messages: number;
  stored: number;
  /** Number of replayed messages that were rejected again. They are stored with the new reason. */
  rejected: number;
  /** Number of messages that were too long to be stored completely. They cannot be replayed, and stay stored unchanged. */
  cut: number;
  /** Whether all rejected messages were replayed. False if the replay stopped before the last one. */
  isComplete: boolean;
}

/**
 * Access to the messages that ingest has rejected. The API must not import ingest (src/README.md), so src/start provides the
 * implementation.
 */
export interface RejectedMessagesPort {
  /** Lists rejected messages, newest first. `before`: a rejected_id; only messages with lower ids are returned. */
  list(which: { deviceId?: string }, page: { limit: number; before?: number }): Promise<RejectedMessageEntry[]>;
  /**
   * Processes rejected messages again, as they were received. Returns null if another replay is in progress. Each page of the
   * replay runs in `whileAllowed`, which throws if the caller has lost access.
   */
  replay(
    which: { deviceId?: string },
    signal: AbortSignal,
    whileAllowed: <T>(page: () => Promise<T>) => Promise<T>,
  ): Promise<Replayed | null>;
}

/** Stores readings that clients send over HTTPS. Ingest implements this interface. */
export interface SentReadingsPort {
  /**
   * Resolves when the readings are committed. Throws 429 if the device sends too much, 404 if the device was deleted, 503 if too
   * many requests wait, and the errors of `sender.confirm`.
   */
  write(sent: {
    deviceId: string;
    format: 'native' | 'senml';
    /** Body of the request, parsed from JSON. */
    body: unknown;
    bytes: number;
    /**
     * The caller that sends the readings. `confirm` runs in the transaction that stores the readings, and throws if the caller
     * has lost access. It is called once for all requests with the same id.
     */
    sender: { id: string; confirm(trx: Database): Promise<void> };
  }): Promise<{
    stored: number;
    duplicates: number;
    /** Elements that were not stored, by their position in the body. The position is null if the whole body was refused. */
    rejections: readonly { element: number | null; reason: string }[];
  }>;
}

/** Objects and settings for a check of the aggregates. */
export interface RollupsPort {
  pool: Pool;
  capabilities: Capabilities;
  /** Number of months for which readings are stored. Older hours are not checked. */
  retentionMonths: number;
}

/**
 * Returns how ingest would interpret a message of a gateway, given the announcements that the gateway has sent. Stores nothing.
 * Ingest implements this interface.
 */
export type MessageDiagnosisPort = (message: {
  gatewayId: string;
  /** Topic of the message; it may begin with the gateway's prefix. */
  topic: string;
  payload: Buffer;
  receivedAtMs: number;
  /** Whether the broker had retained the message. The age of a retained message is unknown. */
  replayed: boolean;
  /** A `decoder_config` that replaces the stored one for this diagnosis. */
  config: unknown;
}) => Promise<z.output<typeof messageInterpretationSchema>>;
