/**
 * How long a role's transaction may say nothing until the server ends it, s: its process hangs, and what it holds (rows, locks) others
 * wait for. A process that means well is in the middle of its own work for less. Ingest plans batches between two statements; of the
 * API a page of a replay (some seconds) holds the account that asked for it, and its other requests wait for 20 s at most.
 */
const SILENT_TRANSACTION_SECONDS = { worker: 5, ingest: 8, api: 15 };

/**
 * Settings of a role's sessions at the database, against a process that hangs or is gone with its machine: its connections stay open,
 * for hours by default. The server asks over the network whether the machine is there, and gives up an answer that nobody takes.
 * (Sessions that hold advisory locks have limits beside these: exclusive-lock.ts.)
 */
export const roleSettings = (role: keyof typeof SILENT_TRANSACTION_SECONDS): string[] => [
  `idle_in_transaction_session_timeout=${SILENT_TRANSACTION_SECONDS[role]}s`,
  'tcp_keepalives_idle=3',
  'tcp_keepalives_interval=2',
  'tcp_keepalives_count=2',
  'tcp_user_timeout=7s',
];
