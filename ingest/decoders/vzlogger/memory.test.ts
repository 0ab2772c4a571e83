import { expect, test } from 'vitest';
import { createGatewayDecoders } from '../gateway-decoders.ts';
import { vzloggerFamily } from './decode.ts';

const SETTINGS = { meter: { vzlogger: { unit: 'Wh' } } };
const message = (leaf: string, payload: string, replayed = false) => ({
  topic: `vzlogger/chn0/${leaf}`,
  payload: Buffer.from(payload),
  receivedAtMs: Date.UTC(2026, 6, 5, 19),
  replayed,
});

test('reads current means although the broker has retained a single value', () => {
  const decoders = createGatewayDecoders([vzloggerFamily]);
  decoders.recall(message('id', '1-0:1.8.0*255', true));
  const kept = message('raw', '1000', true);
  expect(decoders.isNews(kept, () => true)).toBe(false);
  decoders.recall(kept);
  const said = () => decoders.hear(message('agg', '2000'), SETTINGS)?.said.map(({ value }) => value);
  expect(said()).toEqual([2]);
  const live = message('raw', '2001');
  expect(decoders.isNews(live, () => true)).toBe(true);
  decoders.recall(live);
  expect(said()).toEqual([]);
});
