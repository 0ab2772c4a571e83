import { beforeAll, expect, test } from 'vitest';
import { loadWords } from '#test/support/words.ts';
import { getBrowserName } from './sessions.ts';

beforeAll(() => loadWords('en'));

test('shows the usual name of a browser', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  for (const [userAgent, name] of [
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0`, 'Edge on Windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:142.0) Gecko/20100101 Firefox/142.0', 'Firefox on a Mac'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile Safari/604.1`,
      'Safari on an iPhone',
    ],
    [`Mozilla/5.0 (Linux; Android 15) ${webkit} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    ['curl/8.14.1', 'A program'],
    [null, 'A program'],
  ] as const)
    expect(getBrowserName(userAgent)).toBe(name);
});
