import { FAMILIES } from '#ingest/decoders/families.ts';
import {
  createStatelessFamily,
  type DecoderSettings,
  type DeviceMessage,
  type Family,
} from '#ingest/decoders/family.ts';
import { createGatewayDecoders, type GatewayDecoders } from '#ingest/decoders/gateway-decoders.ts';
import { decodeNativeMessage } from '#ingest/decoders/native/decode.ts';
import {
  createCaseMessage,
  getFamilyCaseSettings,
  getFamilyCases,
  getPriorMessages,
} from '../test/support/family-cases.ts';
import type { BenchmarkResult } from './answer.ts';
import { computeMedian } from './support.ts';

const isQuick = process.argv.includes('--quick');
/**
 * Number of rounds. Many short rounds reduce the effect of other load. A run with all families takes 210 s. With `--quick`, it takes 25 s
 * and is less exact.
 */
const ROUNDS = isQuick ? 9 : 25;
const ROUND_MS = Number(
  process.argv.find((flag) => flag.startsWith('--round='))?.slice('--round='.length) ?? (isQuick ? 18 : 60),
);
/** Minimum number of families of decoders. If there are fewer, families that accept no message are added. */
const FAMILIES_ASKED = 40;

/**
 * Measures how many messages per second each family of decoders decodes from its test cases, once as the first and once as the last of at
 * least forty families. `only`: names of families; empty: all.
 */
export async function runBenchmark(only: readonly string[]): Promise<BenchmarkResult> {
  const native = computeMedian(roundsOf([[() => decodeNativeMessage(NATIVE)]]).map(([rate = 0]) => rate));
  const rates = FAMILIES.filter(({ name }) => only.length === 0 || only.includes(name)).map((family) => {
    // The family `names` always comes last, because it accepts messages that all other families reject.
    const others = FAMILIES.filter((one) => one !== family && one.name !== 'names');
    const padding = Array.from({ length: Math.max(0, FAMILIES_ASKED - FAMILIES.length) }, (_, index) =>
      createUnusedFamily(index),
    );
    const rounds = roundsOf([
      readsOf(family, [family, ...padding, ...others]),
      readsOf(family, [...padding, ...others, family]),
    ]);
    const [first = 0, last = 0] = [0, 1].map((place) => computeMedian(rounds.map((round) => round[place] ?? 0)));
    const ratio = computeMedian(rounds.map(([first = 0, last = 0]) => first / last));
    return { family: family.name, first: Math.round(first), last: Math.round(last), ratio };
  });
  const asked = Math.max(FAMILIES_ASKED, FAMILIES.length);
  const slowest = rates.reduce((one, other) => (other.last < one.last ? other : one));
  const worst = rates.reduce((one, other) => (other.ratio > one.ratio ? other : one));
  return {
    json: {
      families_asked: asked,
      native_messages_per_s: Math.round(native),
      messages_per_s: Object.fromEntries(rates.map(({ family, ...rate }) => [family, rate])),
    },
    lines: [
      `${`messages/s on one thread, of ${asked} families`.padEnd(46)}asked first  asked last  first / last`,
      `${'native'.padEnd(46)}${String(Math.round(native)).padStart(11)}`,
      ...rates.map(
        ({ family, first, last, ratio }) =>
          `${family.padEnd(46)}${String(first).padStart(11)}${String(last).padStart(12)}${ratio.toFixed(2).padStart(14)}`,
      ),
      `slowest: ${slowest.family}, ${slowest.last} messages/s`,
    ],
    goals: [
      {
        what: `Rate if asked first ÷ if asked last, of ${worst.family}, which the order costs most`,
        measured: Math.round(worst.ratio * 100) / 100,
        goal: null,
      },
    ],
  };
}

const NATIVE = {
  topic: 'energy/v1/dev_1/readings',
  payload: Buffer.from('{"ts":"2026-07-05T19:00:00Z","energy_total_kwh":4711.235,"power_w":412.5}'),
  receivedAtMs: Date.UTC(2026, 6, 5, 19),
  replayed: false,
};

/** Returns a family that accepts only messages on topics of its own. No message in the benchmark has such a topic. */
const createUnusedFamily = (index: number): Family =>
  createStatelessFamily({
    name: `none-${index}`,
    takes: (topic) => topic.startsWith(`none-${index}/`),
    decode: () => null,
  });

/**
 * Returns one function for each test case of a family, which decodes the case's message. The decoders have already received the case's
 * earlier messages. A case is skipped if another family decodes its message first.
 */
function readsOf(family: Family, families: readonly Family[]): (() => unknown)[] {
  return getFamilyCases(family.name)
    .filter(([, { out }]) => out && out.readings.length > 0)
    .flatMap(([file, { in: given }]) => {
      const decoders = createGatewayDecoders(families);
      const message = createCaseMessage(given);
      for (const one of getPriorMessages(given)) decoders.recall({ ...one, receivedAtMs: message.receivedAtMs });
      const settings = getFamilyCaseSettings(given);
      const reader = decoders.read(message, settings)?.family;
      if (reader !== family.name && ![reader, family.name].includes('homeassistant'))
        throw new Error(`${file} of ${family.name} is read by ${reader}`);
      return reader === family.name ? [decodesAsNew(decoders, message, settings)] : [];
    });
}

/**
 * Returns a function that decodes a message as if it had just been received. It alternates between two copies, because `readText` caches
 * the text of a buffer.
 */
function decodesAsNew(decoders: GatewayDecoders, message: DeviceMessage, settings: DecoderSettings): () => unknown {
  const twins = [message, { ...message, payload: Buffer.from(message.payload) }] as const;
  let turn: 0 | 1 = 0;
  return () => {
    turn = turn === 0 ? 1 : 0;
    return decoders.hear(twins[turn], settings);
  };
}

/** Returns how many messages per second the functions of each list decode, in each round. The lists are measured alternately. */
function roundsOf(lists: readonly (readonly (() => unknown)[])[]): number[][] {
  const rateOf = (reads: readonly (() => unknown)[]) => {
    const startedAt = performance.now();
    let count = 0;
    while (performance.now() - startedAt < ROUND_MS) {
      for (const read of reads) read();
      count += reads.length;
    }
    return (count * 1_000) / (performance.now() - startedAt);
  };
  for (const reads of lists) rateOf(reads);
  return Array.from({ length: ROUNDS }, () => lists.map(rateOf));
}
