import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createImportCounts, type ImportedReadingElement } from '#simulators/importers/element.ts';
import { createGreenButtonImport } from '#simulators/importers/green-button.ts';
import { createPriceSourceFetcher } from '#src/delivery/fetch-answer.ts';
import { startWebhookReceiver, type WebhookCall, type WebhookReceiver } from '#test/support/receiver.ts';
import { downloadSubscription, readSubscriptionToken } from './green-button-subscription.ts';

let server: WebhookReceiver;
let fetcher: ReturnType<typeof createPriceSourceFetcher>;
let folder: string;
beforeAll(async () => {
  server = await startWebhookReceiver();
  fetcher = createPriceSourceFetcher({ allowPrivate: true, ca: server.ca, maxBytes: 1_048_576, timeoutMs: 3_000 });
  folder = await mkdtemp(join(tmpdir(), 'subscription-'));
});
afterAll(async () => {
  fetcher.close();
  await server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  server.calls = [];
});

const address = (path = '/espi/1_1/resource/Batch/Subscription/5') => server.url.replace('/hook', path);
const download = (url = address(), signal = new AbortController().signal) =>
  downloadSubscription(url, { token: 'T-1', folder, fetchAnswer: fetcher.fetchAnswer, signal });
const answerPages = (of: (call: WebhookCall) => string | { status: number; headers?: Record<string, string> }) => {
  server.answer = (call) => {
    const answer = of(call);
    return typeof answer === 'string' ? { status: 200, body: answer } : answer;
  };
};
const feed = (...content: string[]) =>
  `<?xml version="1.0"?><a:feed xmlns:a="http://www.w3.org/2005/Atom" xmlns="http://naesb.org/espi">${content.join('')}</a:feed>`;
const link = (rel: string, href: string) => `<a:link rel="${rel}" href="${href}"/>`;
const entry = (self: string, content: string, ...related: string[]) =>
  `<a:entry>${link('self', self)}${link('up', self.slice(0, self.lastIndexOf('/')))}${related.map((href) => link('related', href)).join('')}<a:content>${content}</a:content></a:entry>`;
const block = (day: number) =>
  entry(
    `/M/1/IntervalBlock/${day}`,
    `<IntervalBlock>${[0, 1].map((hour) => `<IntervalReading><timePeriod><duration>3600</duration><start>${1_790_000_000 + day * 86_400 + hour * 3_600}</start></timePeriod><value>${day * 1_000 + hour}</value></IntervalReading>`).join('')}</IntervalBlock>`,
  );

describe('a subscription of somebody else’s server', () => {
  test('is read page by page as one feed, whose entries refer to each other across pages', async () => {
    const pages: Record<string, string> = {
      '/espi/1_1/resource/Batch/Subscription/5?published-min=2026-01-01T00:00:00Z': feed(
        link('next', '?page=2&amp;x=1'),
        entry('/M/1', '<MeterReading/>', '/M/1/IntervalBlock', '/T/9'),
        block(1),
      ),
      // The link may come after the entries, and its URL may be absolute.
      '/espi/1_1/resource/Batch/Subscription/5?page=2&x=1': feed(block(2), link('next', address('/3'))),
      '/3': feed(
        entry(
          '/T/9',
          '<ReadingType><commodity>1</commodity><flowDirection>19</flowDirection><uom>72</uom></ReadingType>',
        ),
        entry(
          '/T/8',
          '<ReadingType><commodity>1</commodity><flowDirection>1</flowDirection><uom>72</uom></ReadingType>',
        ),
      ),
    };
    answerPages(({ path }) => pages[path] ?? { status: 404 });
    const url = address(Object.keys(pages)[0]);
    const files = await download(url);
    expect(server.calls.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer T-1'));
    expect((await stat(files[0] as string)).mode & 0o777).toBe(0o600);
    const counts = createImportCounts();
    const elements: ImportedReadingElement[] = [];
    const bytes: number[] = [];
    for await (const one of createGreenButtonImport(undefined, files)(url, counts, (read) => bytes.push(read)))
      elements.push(one);
    expect(elements.map((one) => [one.channel, 'energy_kwh' in one && one.energy_kwh])).toEqual([
      ['export', 1],
      ['export', 1.001],
      ['export', 2],
      ['export', 2.001],
    ]);
    const lengths = await Promise.all(files.map(async (file) => (await readFile(file)).length));
    expect(bytes.at(-1)).toBe(lengths.reduce((sum, one) => sum + one));
  });

  test('never sends its token to another server, and ends after a limited number of pages', async () => {
    answerPages(() => feed(link('next', 'https://127.0.0.1:1/collect')));
    await expect(download()).rejects.toThrow('https://127.0.0.1:1');
    answerPages(() => feed(link('next', address().replace('https:', 'http:'))));
    await expect(download()).rejects.toThrow('another server');
    answerPages(({ path }) => feed(link('next', path.endsWith('5') ? '/b' : address())));
    await expect(download()).rejects.toThrow('leads back');
    await expect(download('http://localhost/x')).rejects.toThrow('https://');
    await expect(download('https://a:b@localhost/x')).rejects.toThrow('https://');
    expect(server.calls).toHaveLength(4);
    const ended = new AbortController();
    ended.abort(new Error('Interrupted.'));
    await expect(download(address(), ended.signal)).rejects.toThrow('Interrupted.');
  });

  test.each([
    ['a refused token', { status: 401 }, /HTTP 401 \(the server rejects the token\)/],
    ['a redirect', { status: 302, headers: { location: 'https://127.0.0.1:1/' } }, /redirects are not followed/],
    ['data that is being prepared', { status: 202 }, /run the command again later/],
    ['a long page', 'x'.repeat(1_048_577), /longer than 1 MiB/],
    ['a page of HTML', '<!DOCTYPE html><p>Sign in', /document type/],
  ])('is not imported if the server responds with %s', async (_name, answer, message) => {
    answerPages(() => answer);
    await expect(download()).rejects.toThrow(message);
    expect(server.calls).toHaveLength(1);
  });

  test('is requested only from addresses that the callback guard allows', async () => {
    const guarded = createPriceSourceFetcher({ allowPrivate: false, ca: server.ca });
    const { signal } = new AbortController();
    const into = { token: 'T', folder, fetchAnswer: guarded.fetchAnswer, signal };
    await expect(downloadSubscription(address().replace('localhost', '127.0.0.1'), into)).rejects.toThrow('private');
    guarded.close();
    expect(server.calls).toEqual([]);
  });
});

test('reads the token of a subscription from the first line of a file', async () => {
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'ey.J-0_~+/==\nsecond line\n');
  const url = 'https://utility.example/espi/1_1/resource/Batch/Subscription/5';
  const of = (files: string[], more: object = {}) =>
    readSubscriptionToken(files, { format: 'green-button', tokenFile, ...more });
  expect(await of([url])).toBe('ey.J-0_~+/==');
  expect(await readSubscriptionToken(['usage.xml'], { format: 'green-button' })).toBeNull();
  await expect(of(['usage.xml'])).rejects.toThrow('--token-file requires');
  await expect(of([url, 'usage.xml'])).rejects.toThrow('one subscription');
  await expect(of([url], { format: 'csv' })).rejects.toThrow('green-button');
  await expect(readSubscriptionToken([url], { format: 'green-button' })).rejects.toThrow('--token-file F');
  await writeFile(tokenFile, 'a b\r\nInjected: header');
  await expect(of([url])).rejects.toThrow('not a bearer token');
  await expect(of([url], { tokenFile: join(folder, 'nothing') })).rejects.toThrow('cannot be read');
});
