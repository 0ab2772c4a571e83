import type { Command } from 'commander';
import { listRejectedMessages, type RejectionFilter, replayRejectedMessages } from '#ingest/replay-rejected.ts';
import type { RejectedMessageEntry } from '#src/api/dashboard/shapes.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { escapeLineForTerminal } from '#src/core/output.ts';
import { createDatabase } from '#src/database/connect.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { findDevice } from '#src/devices/store.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { parseLimit } from './option-values.ts';
import { printResult, runWithServicePool } from './running-service.ts';

interface Options {
  device?: string;
  since?: string;
  limit?: string;
  json?: boolean;
}

/**
 * Registers `energy rejected list|replay`. `list` prints rejected messages with the reason; `replay` processes them again after the cause
 * was fixed.
 */
export function registerCommands(program: Command): void {
  const rejected = program.command('rejected');
  rejected
    .command('list')
    .description('list rejected messages with their reasons, newest first')
    .option('--device <device_id>', 'only messages of this device')
    .option('--since <time>', 'only messages since this time (ISO 8601)')
    .option('--limit <n>', 'maximum number of rows', '50')
    .option('--json', 'print one JSON object per line')
    .action((options: Options) =>
      runWithServicePool('energy rejected', async (pool) => {
        const limit = parseLimit(options.limit);
        const rows = await listRejectedMessages(pool, whichOf(options), { limit });
        for (const row of rows) printResult(options.json, row, linesOf(row));
        if (rows.length === 0 && !options.json) console.log('Nothing was rejected.');
      }),
    );
  rejected
    .command('replay')
    .description(
      'process the messages again as they arrived; messages that are now usable are stored and leave the list',
    )
    .option('--device <device_id>', 'only messages of this device')
    .option('--since <time>', 'only messages since this time (ISO 8601)')
    .option('--json', 'print one JSON object')
    .action((options: Options) =>
      runWithServicePool('energy rejected', async (pool, { retentionMonths, maxChannels }) => {
        const db = createDatabase(pool);
        const target = options.device ?? null;
        if (target !== null && !(await findDevice(db, ALL_ACCOUNTS, target)))
          throw new Error(`There is no device ${target}`);
        await runAsOperator(
          db,
          'rejected.replayed',
          async () => {},
          () => target,
        );
        const replayed = await replayRejectedMessages(pool, whichOf(options), { retentionMonths, maxChannels });
        if (!replayed) throw new Error('Another replay is running. Try again when it has finished.');
        // `isComplete` is omitted, because it is always true on the command line.
        const { isComplete: _, ...done } = replayed;
        if (options.json) return console.log(JSON.stringify(done));
        console.log(
          `${done.messages} messages replayed: ${done.stored} readings stored, ${done.rejected} still rejected.`,
        );
        if (done.cut > 0)
          console.log(`${done.cut} messages were truncated when they were stored, and cannot be replayed.`);
      }),
    );
}

function whichOf({ device, since }: Options): RejectionFilter {
  const at = since === undefined ? undefined : new Date(since);
  if (at && Number.isNaN(at.getTime()))
    throw new Error(`--since ${since} is not a time; use ISO 8601, such as 2026-11-21T10:00:00Z`);
  return omitUndefined({ deviceId: device, since: at });
}

const MAX_SHOWN_CHARACTERS = 200;

/** Formats one rejected message for a terminal. Escapes line breaks in a device's text. */
function linesOf({ received_at, topic, element, reason, payload, payload_b64 }: RejectedMessageEntry): string {
  const where = element === null ? '' : ` [${element}]`;
  const text = (payload ?? `base64 ${payload_b64}`).slice(0, MAX_SHOWN_CHARACTERS);
  return [`${received_at}  ${topic}${where}`, `  ${reason}`, `  ${text}`].map(escapeLineForTerminal).join('\n');
}
