import { expect, test } from 'vitest';
import { createServerSentEventWriter, formatServerSentEvent } from './server-sent-events.ts';
import { formatStreamPosition, parseStreamPosition } from './stream-position.ts';

test('a client that does not read uses a limited number of bytes, and later gets the newest event of each name', async () => {
  const { stream, hasRoom, send, sendLatest } = createServerSentEventWriter();
  const eventText = (name: string, round: number) => `${name} ${round} ${'x'.repeat(1_000)}\n`;
  for (let round = 0; round < 5_000; round++) for (const name of ['a', 'b']) sendLatest(name, eventText(name, round));
  expect(hasRoom()).toBe(false);
  expect(stream.readableLength).toBeLessThan(20_000);
  send('left out');
  let text = '';
  stream.on('data', (piece) => {
    text += piece;
  });
  await expect.poll(() => text).toMatch(/^b 4999/m);
  const rounds = (name: string) => [...text.matchAll(new RegExp(`^${name} (\\d+)`, 'gm'))].map(([, at]) => Number(at));
  expect(rounds('a').at(-1)).toBe(4_999);
  expect(rounds('b').at(-1)).toBe(4_999);
  expect(rounds('a').length).toBeLessThan(20);
  expect(text).not.toContain('left out');
});

test('a stream that ends delivers its final event to a slow reader, and nothing after it', () => {
  const { stream, sendLatest, send, end } = createServerSentEventWriter();
  for (let round = 0; round < 100; round++) sendLatest('a', 'x'.repeat(1_000));
  end('retry: 1\n\n');
  send('late');
  sendLatest('a', 'late');
  end('late');
  const text = String(stream.read());
  expect(text.endsWith('retry: 1\n\n')).toBe(true);
  expect(text).not.toContain('late');
});

test('an event is one line of data, whatever text it contains', () => {
  expect(formatServerSentEvent('usage', { text: 'a\nb\r\n\n' }, '7.evt_')).toBe(
    'id: 7.evt_\nevent: usage\ndata: {"text":"a\\nb\\r\\n\\n"}\n\n',
  );
});

test.each([
  { sinceMs: 0, eventId: 'evt_' },
  { sinceMs: 1_781_524_800_123, eventId: 'evt_01k8xqcn4s7t2v9x1fw6zb3hmd' },
])('a position in the stream is parsed from its own id: %o', (place) => {
  expect(parseStreamPosition(formatStreamPosition(place))).toEqual(place);
});

test.each(['', '7', 'evt_1', '.evt_1', '7.evt_A', "7.evt_' OR 1", `7.evt_${'1'.repeat(27)}`, 'x y.evt_1', '7.evt_1\n'])(
  'an id that this service did not create is no position: %j',
  (id) => {
    expect(parseStreamPosition(id)).toBeNull();
  },
);
