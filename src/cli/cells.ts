import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { isDatabaseUrl } from '#src/config/addresses.ts';
import { loadConfig } from '#src/config/load.ts';
import { isCellName } from '#src/core/cell.ts';
import { escapeForTerminal } from '#src/core/output.ts';
import { createDatabase, createPool } from '#src/database/connect.ts';
import { type RoutingExceptionFiles, synchroniseRouters } from '#src/start/cells/exceptions.ts';
import { type CellHealth, type CellsHealth, readCellsHealth } from '#src/start/cells/health.ts';
import { FIRST_CELL_NAME, moveToCell } from '#src/start/cells/move.ts';
import { loadSecretKey } from '#src/start/secret-key.ts';
import type { UsersMoveReport } from '#src/start/users-move/move-users.ts';
import { describeUnpricedTariffs } from '#src/start/users-move/unpriced-tariffs.ts';
import { assertDatabaseReachable, openSourceDatabase } from './migrate.ts';
import { withProgress } from './progress-bar.ts';

/**
 * Registers `energy cells`, which shows the health of cells (installations behind one router), moves accounts between cells, and manages
 * the routers' list of moved accounts.
 */
export function registerCommands(program: Command): void {
  const cells = program
    .command('cells')
    .option('--file <cells.json>', 'routers and cells (deploy/cells/README.md)', 'cells.json')
    .option('--json', 'print one JSON object')
    .action(async ({ file, json = false }: Options) => {
      const health = await readCellsHealth(await readPlaces(file));
      if (json) console.log(JSON.stringify(health));
      else print(health);
      if (!isWell(health)) process.exitCode = 1;
    });
  cells
    .command('sync')
    .description('write the list of moved accounts to all running routers')
    .option('--json', 'print one JSON object')
    .action(async (_options: object, command: Command) => {
      const { file, json = false } = command.optsWithGlobals<Options>();
      const changed = await synchroniseRouters(await readPlaces(file));
      console.log(json ? JSON.stringify({ changed }) : `Changed ${changed} entries.`);
    });
  cells
    .command('move <user...>')
    .description('move accounts, by user_id or e-mail address, from this cell to another cell, while both run')
    .requiredOption('--to <cell>', 'target cell')
    .option('--json', 'print one JSON object')
    .action(async (users: string[], _options: object, command: Command) => {
      const { file, to, json = false } = command.optsWithGlobals<Options & { to: string }>();
      const cells = await readCells(file);
      const report = await move(users, to, cells);
      if (json) console.log(JSON.stringify(report));
      else printMove(report, cells);
    });
}

interface Options {
  file: string;
  json?: boolean;
}

const cellsFile = z
  .strictObject({
    /** Runtime API of each router: path of a Unix socket, or host:port. Undefined if each installation has its own address. */
    routers: z.array(z.string().min(1)).min(1).optional(),
    /** File with the accounts that have moved to another cell. Routers read it when they start. */
    exceptions: z.string().min(1).optional(),
    /** Database and secret key file of each cell, for moving accounts. */
    cells: z.record(
      z.string().refine(isCellName, 'must be the name of a cell'),
      z.strictObject({
        database: z.string().refine(isDatabaseUrl, 'must be a PostgreSQL URL'),
        secret_key_file: z.string().min(1),
      }),
    ),
  })
  .refine(({ routers, exceptions }) => (routers === undefined) === (exceptions === undefined), {
    path: ['routers'],
    error: 'must be set together with exceptions',
  });

interface Cells {
  cells: z.infer<typeof cellsFile>['cells'];
  /** Null if there are no routers. */
  places: RoutingExceptionFiles | null;
}

/** Reads the file of cells. Paths in it are relative to its folder. Throws one error that lists all problems. */
async function readCells(path: string): Promise<Cells> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Error(`There is no file ${path}: name it with --file (deploy/cells/README.md).`);
  });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON.`);
  }
  const parsed = cellsFile.safeParse(content);
  if (!parsed.success)
    throw new Error(
      `${path}:\n${parsed.error.issues.map(({ path: at, message }) => `  ${at.join('.')}: ${message}`).join('\n')}`,
    );
  const here = (name: string) => resolve(dirname(path), name);
  const { routers, exceptions } = parsed.data;
  const cells = Object.entries(parsed.data.cells).map(([name, one]) => [
    name,
    { ...one, secret_key_file: here(one.secret_key_file) },
  ]);
  return {
    cells: Object.fromEntries(cells),
    places: routers === undefined || exceptions === undefined ? null : { file: here(exceptions), routers },
  };
}

async function readPlaces(path: string): Promise<RoutingExceptionFiles> {
  const { places } = await readCells(path);
  if (places === null) throw new Error(`${path} lists no routers (deploy/cells/README.md).`);
  return places;
}

/** Moves accounts from this installation's cell to another cell. */
async function move(users: readonly string[], to: string, { cells, places }: Cells): Promise<UsersMoveReport> {
  const config = loadConfig();
  const from = config.cell ?? FIRST_CELL_NAME;
  const target = cells[to];
  if (target === undefined) throw new Error(`The file of cells has no cell ${to}. Nothing was changed.`);
  if (to === from) throw new Error(`The accounts are already in the cell ${from}. Nothing was changed.`);
  await assertDatabaseReachable(`the cell ${to}`, target.database);
  const targetSecret = (await readFile(target.secret_key_file, 'utf8')).trim();
  const { url, release } = await openSourceDatabase(config);
  const source = createPool(url, { max: 1, applicationName: 'energy cells' });
  const { retentionMonths, maxChannels } = config;
  try {
    const wanted = {
      users,
      places,
      source,
      secrets: { source: await loadSecretKey(config, createDatabase(source)), target: targetSecret },
      taking: { retentionMonths, maxChannels },
    };
    const both = { from: { cell: from, database: url }, to: { cell: to, database: target.database } };
    return await withProgress((steps) => moveToCell(both, { ...wanted, ...steps }));
  } finally {
    await source.end();
    await release();
  }
}

function printMove(report: UsersMoveReport, { places }: Cells): void {
  const { users, moved_before, held_ms, forwarded, removed, unpriced } = report;
  const before = moved_before > 0 ? ` (${moved_before} had moved before)` : '';
  console.log(
    `Moved ${users} accounts${before}. Each was closed for at most ${(held_ms / 1_000).toFixed(1)} s. ` +
      `${forwarded} messages that arrived in the old cell after the move were forwarded to the new cell.` +
      (removed > 0 ? ` ${removed} were deleted, because their accounts were deleted in the new cell.` : ''),
  );
  if (places === null)
    console.log(
      'There are no routers, so the devices of these accounts need the address of the new installation. The old installation stores ' +
        'the messages that it still receives from these devices for 90 days: to forward the messages, run the command again.',
    );
  if (unpriced.length > 0) console.log(escapeForTerminal(`\n${describeUnpricedTariffs(unpriced)}`));
}

const isWell = ({ cells, routers }: CellsHealth): boolean =>
  cells.every(({ https, mqtt }) => https !== false && mqtt !== false) &&
  routers.every(({ problem, differing }) => problem === null && differing === 0);

function print({ cells, routers, exceptions }: CellsHealth): void {
  const word = (isUp: CellHealth['https']) => (isUp === null ? '-' : isUp ? 'up' : 'DOWN').padEnd(6);
  console.log(`${'cell'.padEnd(10)}${'https'.padEnd(6)} ${'mqtt'.padEnd(6)} router`);
  for (const { cell, router, https, mqtt } of cells)
    console.log(`${cell.padEnd(10)}${word(https)} ${word(mqtt)} ${router}`);
  for (const { router, problem, differing } of routers)
    if (problem !== null) console.log(problem);
    else if (differing !== 0)
      console.log(`${router}: ${differing} moved accounts differ from the list. Run \`energy cells sync\`.`);
  console.log(`${exceptions} moved accounts`);
}
