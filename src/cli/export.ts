import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { createDatabase } from '#src/database/connect.ts';
import { streamPersonArchive } from '#src/export/archive.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { findUserId } from './named-user.ts';
import { printResult, runWithServicePool } from './running-service.ts';

/** Registers `energy export USER_ID --output FILE.zip`, which exports all data about a person, like GET /v1/users/{user_id}/export. */
export function registerCommands(program: Command): void {
  program
    .command('export')
    .argument('<user>', 'user to export: a user_id or an e-mail address')
    .requiredOption('--output <file.zip>', 'file to write; an existing file is replaced when the export is complete')
    .option('--json', 'print one JSON object')
    .action(run);
}

async function run(user: string, { output, json }: { output: string; json?: boolean }): Promise<void> {
  await runWithServicePool('energy export', async (pool, { dataDir }) => {
    const db = createDatabase(pool);
    const userId = await findUserId(db, user);
    await runAsOperator(
      db,
      'user.exported',
      async () => {},
      () => userId,
    );
    const unfinished = `${output}.unfinished`;
    const isShown = process.stderr.isTTY === true;
    const archive = streamPersonArchive(userId, {
      db,
      readDb: db,
      dataDir,
      now: new Date(),
      onFile: (name) => void (isShown && process.stderr.write(`\r\x1b[K${name}`)),
    });
    // Only the owner may read the file, because it contains a person's complete data.
    await rm(unfinished, { force: true });
    const file = createWriteStream(unfinished, { flags: 'wx', mode: 0o600 });
    try {
      await pipeline(archive, file);
      await rename(unfinished, output);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    } finally {
      if (isShown) process.stderr.write('\r\x1b[K');
    }
    const done = { user_id: userId, file: output, bytes: file.bytesWritten };
    printResult(json, done, `${output}: ${Math.ceil(done.bytes / 1_024)} KiB, all data of ${userId}.`);
  });
}
