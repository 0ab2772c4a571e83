import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Sections of the RFCs about attacks on servers and apps. Sections of RFC 6819 about phishing outside the server's pages are omitted. */
const THREATS = {
  'RFC 9700': [
    ...[
      '2.1.1',
      '2.1.2',
      '2.2.2',
      '2.3',
      '2.4',
      '4.1',
      '4.2',
      '4.3.1',
      '4.3.2',
      '4.4',
      '4.5',
      '4.6',
      '4.7',
      '4.8',
      '4.9',
    ],
    ...['4.10', '4.11', '4.12', '4.13', '4.14', '4.15', '4.16', '4.17'],
  ],
  'RFC 6819': [
    ...[
      '4.1.1',
      '4.1.2',
      '4.1.3',
      '4.1.4',
      '4.1.5',
      '4.2.1',
      '4.2.2',
      '4.2.3',
      '4.2.4',
      '4.3.1',
      '4.3.2',
      '4.3.3',
      '4.3.4',
    ],
    ...['4.3.5', '4.4.1.1', '4.4.1.2', '4.4.1.3', '4.4.1.4', '4.4.1.5', '4.4.1.6', '4.4.1.7', '4.4.1.8', '4.4.1.9'],
    ...['4.4.1.10', '4.4.1.11', '4.4.1.12', '4.4.1.13', '4.4.2', '4.4.3', '4.4.4', '4.5.1', '4.5.2', '4.5.3', '4.5.4'],
    ...['4.6.1', '4.6.2', '4.6.3', '4.6.4', '4.6.5', '4.6.6', '4.6.7'],
  ],
};

test('each threat of the two documents is in the name of a test of this folder', async () => {
  const files = await Promise.all(
    ['requests', 'codes', 'tokens'].map((name) => readFile(join(import.meta.dirname, `${name}.test.ts`), 'utf8')),
  );
  const named: Record<string, string[]> = { 'RFC 9700': [], 'RFC 6819': [] };
  for (const [, title = ''] of files.join().matchAll(/^ *(?:test|describe)\(\s*'([^']+)'/gm)) {
    const [newer = '', older = ''] = title.split('RFC 6819,');
    const sections = (text: string) => /^[\d., and]*/.exec(text.trim())?.[0].match(/\d(?:\.\d+)+/g) ?? [];
    named['RFC 9700']?.push(...sections(newer));
    named['RFC 6819']?.push(...sections(older));
  }
  for (const [document, threats] of Object.entries(THREATS))
    expect(
      threats.filter((threat) => !named[document]?.includes(threat)),
      document,
    ).toEqual([]);
});
