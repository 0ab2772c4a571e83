import { expect, test } from 'vitest';
import { describeMessage, type EarlierMessage } from '../describe.ts';

const RECEIVED = Date.UTC(2026, 10, 28);
function read(topic: string, body: unknown, { replayed = false, prior = [] as EarlierMessage[] } = {}) {
  const payload = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return describeMessage({ topic, payload, receivedAtMs: RECEIVED, replayed }, {}, prior);
}

test('leaves a property of Homie without attributes to its name, unless the device describes others', () => {
  const topic = 'homie/plug/power/energy';
  expect(read(topic, '12.5')).toMatchObject({ family: 'names', readings: [], asks: [{ unit: null, value: 12.5 }] });
  expect(read(topic, '12.5', { replayed: true })).toMatchObject({ family: 'homie', asks: [] });
  const prior = [{ topic: 'homie/plug/power/voltage/$unit', payload: Buffer.from('V') }];
  expect(read(topic, '12.5', { prior })).toMatchObject({ family: 'homie', readings: [], asks: [] });
});
