import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { parseCodeBlocks } from '#src/api/docs/guide.ts';
import { GUIDES_PATH } from '#src/api/docs/library.ts';
import { runProgram } from './run.ts';

/** Languages of the guides' programs, as named in the info strings of the code blocks. */
export const GUIDE_LANGUAGES = ['curl', 'ts', 'python'] as const;
export type GuideLanguage = (typeof GUIDE_LANGUAGES)[number];

/** A program in a guide, and the output that the guide shows. */
interface Part {
  /** `sh`: a step that is the same in every language. */
  language: GuideLanguage | 'sh';
  program: string;
  output: string;
}

export const listGuideNames = async (): Promise<string[]> =>
  (await readdir(GUIDES_PATH)).filter((name) => /^\d.*\.md$/.test(name)).sort();

export const readGuideBlocks = async (name: string) => parseCodeBlocks(await readFile(join(GUIDES_PATH, name), 'utf8'));

/** Returns the steps of a guide for readers of one language (docs/guides/README.md). */
export async function parseGuide(name: string, language: GuideLanguage): Promise<Part[]> {
  const parts: Part[] = [];
  let preamble = '';
  for (const { language: marked, source, file } of await readGuideBlocks(name)) {
    // Skips a program that does not end by itself. docs.test.ts tests such programs.
    if (file !== undefined) continue;
    const last = parts.at(-1);
    if (marked === 'output' && last) last.output += `${source}\n`;
    else if (marked === 'sh') parts.push({ language: 'sh', program: source, output: '' });
    else if (marked === language && last?.language === language) last.program += `\n${source}`;
    else if (marked === language) {
      // The code up to the second empty line contains the imports and creates the client.
      if (preamble === '' && language !== 'curl') preamble = source.split('\n\n').slice(0, 2).join('\n\n');
      const isFirst = parts.every((part) => part.language !== language);
      parts.push({ language, program: isFirst ? source : `${preamble}\n${source}`, output: '' });
    }
  }
  return parts;
}

/** Runs the steps of a guide in one language, in a folder with the installed clients. Fails if an output differs from the guide. */
export async function runGuideSteps(
  parts: Part[],
  given: { folder: string; python: string; caFile: string; name: string; env: Record<string, string> },
): Promise<void> {
  const { folder, python, caFile, name } = given;
  const env: Record<string, string> = {
    ...given.env,
    ...{ CURL_CA_BUNDLE: caFile, NODE_EXTRA_CA_CERTS: caFile, SSL_CERT_FILE: caFile },
    NODE_NO_WARNINGS: '1',
  };
  for (const [index, { language, program, output }] of parts.entries()) {
    const file = join(folder, `${name}-${index}.${language}`);
    await writeFile(file, program);
    const once = async () => {
      const command = { curl: 'bash', sh: 'bash', ts: process.execPath, python }[language];
      const programOutput = await runProgram(command, [...(command === 'bash' ? ['-euo', 'pipefail'] : []), file], {
        env,
        cwd: folder,
      });
      return programOutput.trim();
    };
    if (output === '') await once();
    // Retried, because the service stores a published reading with a short delay.
    else if (parts[index - 1]?.language === 'sh')
      await vi.waitFor(async () => expect(await once()).toMatch(patternOf(output)), { timeout: 20_000, interval: 50 });
    else {
      const firstOutput = await once();
      expect(firstOutput).toMatch(patternOf(output));
      for (const [, exported = ''] of firstOutput.matchAll(/^export (.*)$/gm))
        for (const [, variable = '', value = ''] of exported.matchAll(/(\w+)=(\S+)/g)) env[variable] = value;
    }
  }
}

/** Returns a regular expression for an output in a guide, in which `…` matches any text. */
const patternOf = (output: string): RegExp =>
  new RegExp(`^${output.trim().split('…').map(literally).join('\\S+')}$`, 'i');

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
