import type { BackupState } from '#src/backup/state.ts';
import type { Config } from '#src/config/load.ts';
import type { Capabilities } from '#src/database/capabilities.ts';

/** Reason why a fact is unknown. */
interface Unseen {
  why: string;
  /** Network error code or SQLSTATE, if there is one. */
  code?: string;
}

/** A fact about the installation, or the reason why the fact is unknown. */
export type FactOrReason<T> = T | Unseen;
export const isFactKnown = <T extends object>(fact: FactOrReason<T>): fact is T => !('why' in fact);

/** All facts about an installation, which are gathered before the checks run. A fact is null if it does not apply to this installation. */
export interface InstallationFacts {
  /** Time at which the facts were gathered, Unix ms. */
  nowMs: number;
  config: { valid: Config } | { mistakes: string[] };
  /** The service's process that has locked DATA_DIR; null if the service is not running. */
  service: { pid: number } | null;
  database: DatabaseFacts | null;
  disk: FactOrReason<{ folder: string; freeBytes: number; allBytes: number }> | null;
  broker: BrokerFacts | null;
  certificate: CertificateFacts | null;
  /** `reached`: the mail server accepted the connection and the login. */
  mail: FactOrReason<{ reached: true }> | null;
  secretKey: SecretKeyFacts | null;
  ports: PortFacts[] | null;
  files: FileFacts[] | null;
  descriptors: { limit: number; ofService: boolean } | null;
  /** State of the backups. Null if the installation uses an external database. */
  backup: FactOrReason<BackupState> | null;
  /** Latest released version of the service. Null if the operator specified no URL for it. */
  latest: FactOrReason<{ version: string }> | null;
}

export interface DatabaseFacts {
  isEmbedded: boolean;
  /** Scheme and hosts of the database URL, to print; without secrets. */
  shown: string;
  server: FactOrReason<DatabaseServer>;
}

/** Facts about a database server that responds. */
export interface DatabaseServer {
  /** Description of the database in one line, or why the service cannot use it and the remedy. */
  kind: FactOrReason<{ line: string; capabilities: Capabilities }>;
  /** How far the server's clock is ahead of this machine's, and the uncertainty, in ms. */
  clock: { aheadMs: number; uncertainMs: number };
  schema: { isMade: boolean; pending: string[]; unknown: string[] };
  /** Server settings that could lose an acknowledged commit, each with its remedy. */
  commitRisks: string[];
  /** Facts about the content of the database. Null if the schema is missing or belongs to another version. */
  content: FactOrReason<DatabaseContent> | null;
}

export interface DatabaseContent {
  /** The latest time that the service considers correct, in Unix ms. Null if the service has never started. */
  believedMs: number | null;
  devices: number;
  heardInDay: number;
  heardInHour: number;
  faulty: number;
  /**
   * Number of messages (`all`) and of rejected messages (`rejected`), among the last 20 messages of each device that has reported in the
   * last day.
   */
  lastMessages: { all: number; rejected: number };
  overdueSeconds: number;
  deliveriesWaiting: number;
  /** Time of the first start after a restore. Earlier deliveries are held. Null if none are held. */
  heldBefore: Date | null;
  usageChangesWaiting: number;
  lateDifferences: number;
  staleDays: number;
  /**
   * Number of this month's aggregate rows of one account that differ from its quarter-hours. Null if there is no account, or the comparison
   * took too long.
   */
  compared: { userId: string; differing: number } | null;
}

export interface BrokerFacts {
  shown: string;
  isEmbedded: boolean;
  reached: FactOrReason<{ reached: true }>;
}

export interface CertificateFacts {
  file: string;
  /** Whether the service created the certificate in DATA_DIR. */
  isOurs: boolean;
  pair: FactOrReason<CertificatePair> | null;
}

export interface CertificatePair {
  validFromMs: number;
  validToMs: number;
  /** Whether the service itself renews the certificate. */
  renewsItself: boolean;
  keyFits: boolean;
  /** Host names that PUBLIC_URL and devices use. `isNamed`: whether the certificate contains the name. */
  hosts: { host: string; of: string; isNamed: boolean }[];
}

export interface SecretKeyFacts {
  /** Origin of the secret key: SECRET_KEY, or the name of a file. */
  from: string;
  isThere: boolean;
  /** Number of encrypted values that were tested, and number that this key decrypted. Null if the database could not be queried. */
  sealed: { looked: number; opened: number } | null;
}

export interface PortFacts {
  variable: string;
  port: number;
  host: string;
  state: 'free' | 'taken' | 'unusable';
  /** Process that listens on the port; missing if this user may not see that process. */
  holder: { pid: number; title: string } | null;
  /** Reason why the service could not listen on the port. */
  why?: string;
}

export interface FileFacts {
  path: string;
  what: 'folder' | 'secret' | 'own key' | 'messages';
  /** Permission bits of the file, for example 0o600. */
  mode: number;
  isWritable: boolean;
}

/** Severity of a finding. `skipped`: the check could not run; another finding states why. */
export type FindingLevel = 'ok' | 'warning' | 'problem' | 'skipped';

/** Result of a check. */
export interface Finding {
  level: FindingLevel;
  /** Result of the check in one sentence. */
  finding: string;
  /** What the operator should do. Null if nothing needs to be done. */
  todo: string | null;
}

/** A check of the doctor, which evaluates facts about the installation. */
export interface Check {
  name: string;
  judge(facts: InstallationFacts): Finding | Finding[];
}

export const createOkFinding = (finding: string): Finding => ({ level: 'ok', finding, todo: null });
export const createWarningFinding = (finding: string, todo: string): Finding => ({ level: 'warning', finding, todo });
export const createProblemFinding = (finding: string, todo: string): Finding => ({ level: 'problem', finding, todo });
export const createSkippedFinding = (finding: string): Finding => ({ level: 'skipped', finding, todo: null });
