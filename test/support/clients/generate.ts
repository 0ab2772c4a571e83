import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readOpenApiInterface } from './interface.ts';
import { generatePythonClient } from './python.ts';
import { generateTypescriptClient } from './typescript.ts';

const CLIENTS = fileURLToPath(new URL('../../../clients/', import.meta.url));
const PACKAGE = 'typescript/package.json';

/** Returns all generated files of the API clients, by their paths relative to `clients/`. */
export async function generateClients(): Promise<Record<string, string>> {
  const read = readOpenApiInterface();
  const { types, client, version } = generatePythonClient(read);
  const packaged = JSON.parse(await readFile(CLIENTS + PACKAGE, 'utf8')) as { version: string };
  return {
    'typescript/client.ts': generateTypescriptClient(read),
    [PACKAGE]: (await readFile(CLIENTS + PACKAGE, 'utf8')).replace(`"${packaged.version}"`, `"${read.version}"`),
    'python/src/energy_usage/types.py': types,
    'python/src/energy_usage/_client.py': client,
    'python/src/energy_usage/_version.py': version,
  };
}

/** Returns the generated files of the API clients as committed in the repository. */
export async function readCheckedInClients(): Promise<Record<string, string>> {
  const names = Object.keys(await generateClients());
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(CLIENTS + name, 'utf8').catch(() => '')])),
  );
}

if (import.meta.main)
  for (const [name, source] of Object.entries(await generateClients())) await writeFile(CLIENTS + name, source);
