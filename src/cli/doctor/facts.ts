import type { Config } from '#src/config/load.ts';
import type { Capabilities } from '#src/database/capabilities.ts';

/** What could not be looked at, and why; the message is for a person. */
interface Unseen {
  why: string;
  /** Of the network's codes, or SQLSTATE. */
  code?: string;
}

/** A fact, or why it is not known. */
export type Seen<T> = T | Unseen;
export const isSeen = <T extends object>(fact: Seen<T>): fact is T => !('why' in fact);

/** Everything that is gathered before anything is judged. Null: there is nothing of that kind here. */
export interface Facts {
  /** When it was looked at, Unix ms. */
  nowMs: number;
  config: { valid: Config } | { mistakes: string[] };
  /** The service that holds DATA_DIR. */
  service: { pid: number } | null;
  database: DatabaseFacts | null;
  disk: Seen<{ folder: string; freeBytes: number; allBytes: number }> | null;
  broker: BrokerFacts | null;
  certificate: CertificateFacts | null;
  /** Whether the mail server was reached and took the login. */
  mail: Seen<{ reached: true }> | null;
  secretKey: SecretKeyFacts | null;
  ports: PortFacts[] | null;
  files: FileFacts[] | null;
  descriptors: { limit: number; ofService: boolean } | null;
}

export interface DatabaseFacts {
  /** Whether it is the embedded one. */
  isEmbedded: boolean;
  /** Scheme and hosts, as far as they may be shown. */
  shown: string;
  server: Seen<DatabaseServer>;
}

/** Of a database that answers. */
export interface DatabaseServer {
  /** Its kind in a line; or why it cannot be used, with what to do. */
  kind: Seen<{ line: string; capabilities: Capabilities }>;
  /** Its clock minus ours, ms, and how far that may be off. */
  clock: { aheadMs: number; uncertainMs: number };
  schema: { isMade: boolean; pending: string[]; unknown: string[] };
  /** What could lose an acknowledged commit, with what to do. */
  commitRisks: string[];
  /** Null where the schema is not there, or is another version's. */
  content: Seen<DatabaseContent> | null;
}

export interface DatabaseContent {
  /** The time from which age is counted, Unix ms; null: the service has not started yet. */
  believedMs: number | null;
  devices: number;
  heardInDay: number;
  heardInHour: number;
  faulty: number;
  /** Of the last 20 messages of each device heard in the last day, how many were rejected. */
  lastMessages: { all: number; rejected: number };
  overdueSeconds: number;
  deliveriesWaiting: number;
  usageChangesWaiting: number;
  lateDifferences: number;
  staleDays: number;
  /** Rows of aggregates of one account, this month, that are not what its load profile says; null where there is none, or it took too long. */
  compared: { userId: string; differing: number } | null;
}

export interface BrokerFacts {
  shown: string;
  isEmbedded: boolean;
  reached: Seen<{ reached: true }>;
}

export interface CertificateFacts {
  file: string;
  /** Whether it lies in DATA_DIR, where the service makes one if there is none. */
  isOurs: boolean;
  pair: Seen<CertificatePair> | null;
}

export interface CertificatePair {
  validFromMs: number;
  validToMs: number;
  /** Whether the service renews it. */
  renewsItself: boolean;
  /** Whether the key is the certificate's. */
  keyFits: boolean;
  /** Whom PUBLIC_URL and devices ask for, and whether it names them. */
  hosts: { host: string; of: string; isNamed: boolean }[];
}

export interface SecretKeyFacts {
  /** SECRET_KEY, or the file. */
  from: string;
  isThere: boolean;
  /** Sealed values that were looked at, and how many this key opens; null where the database could not be asked. */
  sealed: { looked: number; opened: number } | null;
}

export interface PortFacts {
  variable: string;
  port: number;
  host: string;
  state: 'free' | 'taken' | 'unusable';
  /** Who listens there, as far as this user may see. */
  holder: { pid: number; title: string } | null;
  /** Why it cannot be listened on. */
  why?: string;
}

export interface FileFacts {
  path: string;
  what: 'folder' | 'secret' | 'own key' | 'messages';
  /** Bits of the mode, as 0o600. */
  mode: number;
  /** Whether this user may write it. */
  isWritable: boolean;
}

/** `skipped`: could not be looked at, for a reason that is a finding of its own. */
export type Level = 'ok' | 'warning' | 'problem' | 'skipped';

/** What a check found. */
export interface Finding {
  level: Level;
  /** In a sentence. */
  finding: string;
  /** What to do about it; null where nothing is to be done. */
  todo: string | null;
}

/** A judgement over facts: pure, one file each. */
export interface Check {
  name: string;
  judge(facts: Facts): Finding[];
}

export const ok = (finding: string): Finding => ({ level: 'ok', finding, todo: null });
export const warning = (finding: string, todo: string): Finding => ({ level: 'warning', finding, todo });
export const problem = (finding: string, todo: string): Finding => ({ level: 'problem', finding, todo });
export const skipped = (finding: string): Finding => ({ level: 'skipped', finding, todo: null });
