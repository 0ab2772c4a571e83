import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { generateApi } from 'swagger-typescript-api';
import { openApiDocument } from '#src/api/openapi.ts';

export const CLIENT_FILE = fileURLToPath(new URL('../../clients/typescript/client.ts', import.meta.url));

const HEADER = `/**
 * Typed client of the energy usage service, for copying into your own project: it needs nothing but fetch.
 * Generated from the OpenAPI document by \`npm run client\`; a test holds it to the document.
 */
/* eslint-disable */
// @ts-nocheck — what a generator writes for every environment at once fits none of them strictly; its types serve those who import it.
`;

/** The client's source, made anew. */
export async function generateClient(): Promise<string> {
  const { files } = await generateApi({
    // biome-ignore lint/suspicious/noExplicitAny: the generator's type of a document is its own
    spec: openApiDocument('https://localhost:8443') as any,
    output: false,
    silent: true,
    httpClientType: 'fetch',
    apiClassName: 'EnergyService',
    singleHttpClient: false,
    extractRequestParams: true,
    generateUnionEnums: true,
    sortTypes: true,
  });
  const [file] = files;
  if (!file) throw new Error('nothing was generated');
  return HEADER + file.fileContent.replace(/^\/\*[\s\S]*?\*\/\s*/, '').replace(/[ \t]+$/gm, '');
}

if (import.meta.main) await writeFile(CLIENT_FILE, await generateClient());
