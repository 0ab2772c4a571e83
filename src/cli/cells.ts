import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { isDatabaseUrl } from '#src/config/addresses.ts';
import { isCellName } from '#src/core/cell.ts';
import { synchroniseRouters } from '#src/start/cells/exceptions.ts';
import { type CellHealth, type CellsHealth, readCellsHealth } from '#src/start/cells/health.ts';

/** Registers `energy cells`: the health of the cells behind a router, and its exceptions (deploy/cells/README.md). */
export function register(program: Command): void {
  const cells = program
    .command('cells')
    .option('--file <cells.json>', 'routers and cells (deploy/cells/README.md)', 'cells.json')
    .option('--json', 'print one JSON object')
    .action(async ({ file, json = false }: Options) => {
      const health = await readCellsHealth(placesOf(await readCells(file)));
      if (json) console.log(JSON.stringify(health));
      else print(health);
      if (!isWell(health)) process.exitCode = 1;
    });
  cells
    .command('sync')
    .description('write the file of exceptions into every router that runs')
    .option('--json', 'print one JSON object')
    .action(async (_options: object, command: Command) => {
      const { file, json = false } = command.optsWithGlobals<Options>();
      const changed = await synchroniseRouters(placesOf(await readCells(file)));
      console.log(json ? JSON.stringify({ changed }) : `Changed ${changed} entries.`);
    });
}

interface Options {
  file: string;
  json?: boolean;
}

const cellsFile = z.strictObject({
  /** Runtime API of each router: path of its socket, or host:port. */
  routers: z.array(z.string().min(1)).min(1),
  /** The file that routers read when they start. */
  exceptions: z.string().min(1),
  /** Database and secret of each cell, for moves. */
  cells: z.record(
    z.string().refine(isCellName, 'must be the name of a cell'),
    z.strictObject({
      database: z.string().refine(isDatabaseUrl, 'must be a URL of PostgreSQL'),
      secret_key_file: z.string().min(1),
    }),
  ),
});
type CellsFile = z.infer<typeof cellsFile>;

/** Reads the file of cells. Relative paths in it start at its folder. Throws with each error. */
async function readCells(path: string): Promise<CellsFile> {
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
  const cells = Object.entries(parsed.data.cells).map(([name, one]) => [
    name,
    { ...one, secret_key_file: here(one.secret_key_file) },
  ]);
  return { ...parsed.data, exceptions: here(parsed.data.exceptions), cells: Object.fromEntries(cells) };
}

const placesOf = ({ exceptions, routers }: CellsFile) => ({ file: exceptions, routers });

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
      console.log(`${router}: ${differing} exceptions differ from the file. Run \`energy cells sync\`.`);
  console.log(`${exceptions} exceptions`);
}
