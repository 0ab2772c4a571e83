import { FAMILIES } from '#ingest/decoders/families.ts';
import { decodeNative } from '#ingest/decoders/native/decode.ts';
import { createDecoders } from '#ingest/decoders/remembering.ts';
import { casesOf, messageOf, priorOf, settingsOf } from '../test/support/family-cases.ts';
import type { Answer } from './answer.ts';
import { median } from './support.ts';

const ROUNDS = 5;
const ROUND_MS = 400;

/** Messages/s of each family's cases, among all families and with what came before known; the native one beside them. */
export async function bench(): Promise<Answer> {
  const rates: Record<string, number> = { native: rateOf([() => decodeNative(NATIVE)]) };
  for (const { name } of FAMILIES) {
    const reads = casesOf(name)
      .filter(([, { out }]) => out !== null && out.readings.length > 0)
      .map(([, { in: given }]) => {
        const decoders = createDecoders();
        const message = messageOf(given);
        for (const one of priorOf(given)) decoders.recall({ ...one, receivedAtMs: message.receivedAtMs });
        const settings = settingsOf(given);
        return () => decoders.hear(message, settings);
      });
    rates[name] = rateOf(reads);
  }
  return {
    json: { messages_per_s: rates },
    lines: Object.entries(rates).map(([name, rate]) => `${name.padEnd(16)} ${String(rate).padStart(9)} messages/s`),
  };
}

const NATIVE = {
  topic: 'energy/v1/dev_1/readings',
  payload: Buffer.from('{"ts":"2026-07-05T19:00:00Z","energy_total_kwh":4711.235,"power_w":412.5}'),
  receivedAtMs: Date.UTC(2026, 6, 5, 19),
  replayed: false,
};

/** Median of rounds, each through all of them again and again. */
function rateOf(reads: readonly (() => unknown)[]): number {
  const round = () => {
    const startedAt = performance.now();
    let count = 0;
    while (performance.now() - startedAt < ROUND_MS) {
      for (const read of reads) read();
      count += reads.length;
    }
    return (count * 1_000) / (performance.now() - startedAt);
  };
  round();
  return Math.round(median(Array.from({ length: ROUNDS }, round)));
}
