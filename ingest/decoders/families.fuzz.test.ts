import { createContext, Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { FAMILIES } from '#ingest/decoders/families.ts';
import type { DecodedValue, Family } from '#ingest/decoders/family.ts';
import { createGatewayDecoders } from '#ingest/decoders/gateway-decoders.ts';
import { parseSparkplugPayload } from '#ingest/decoders/sparkplug/payload.ts';
import { isStorableText } from '#src/core/storable-text.ts';
import {
  createCaseMessage,
  type FamilyCase,
  getFamilyCaseSettings,
  getFamilyCases,
  getPriorMessages,
} from '#test/support/family-cases.ts';
import { createMessageMutator } from '#test/support/mutate.ts';

/**
 * `MUTATED_MESSAGES` is the number of mutated messages per family (default: 500). If it is set, as in `npm test`, each run uses a new seed.
 * Run 100,000 messages after changing a decoder.
 */
const { MUTATED_MESSAGES, MUTATION_SEED = MUTATED_MESSAGES === undefined ? 1 : Date.now() % 1_000_000 } = process.env;
const MESSAGES = Number(MUTATED_MESSAGES ?? 500);
/** Maximum processor time for one message, in ms. */
const SLOW_MS = 500;
/** Number of messages that are decoded within one time limit (`HANGS_MS`). A single message may use all of the time. */
const WATCHED = 200;
const HANGS_MS = 20_000;
const LIMIT_MS = 120_000 + MESSAGES * 20;
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Factors by which families convert the numbers of a message from units of energy, power and volume to kWh, W and m³. */
const FACTORS = [
  1,
  1e3,
  1e6,
  1e-3,
  1e-6,
  1e-9,
  1 / 60,
  1 / 3_600,
  1 / 60_000,
  1 / 3.6e6,
  // Factor of mJ.
  1 / 3.6e9,
  1 / 3.6,
  1e3 / 3.6,
  1e6 / 3.6,
  // Factors that convert tenths and hundredths to kWh and W.
  0.1,
  0.01,
  // Factors that convert ft³, 100 ft³, 1,000 ft³ and American gallons to m³.
  0.028316846592,
  2.8316846592,
  28.316846592,
  0.003785411784,
];

/**
 * Families that may combine two numbers of a message: a count with a multiplier or with pulses per kWh, or a value with a number from a
 * template or a setting.
 */
const OF_TWO = new Set([
  ...['rtl433', 'openmqttgateway', 'espurna', 'rtlamr', 'emon', 'homeassistant', 'homie', 'mapping', 'shelly-gen2'],
]);

/**
 * Families that may also negate a number or subtract two numbers: the templates of homeassistant, including templates that a mutation has
 * changed (`value * 0.001` to `value - 0.001`), a Shelly's register of both directions, and the power of Enphase's battery.
 */
const SUBTRACTS = new Set(['homeassistant', 'shelly-gen2', 'enphase']);

const SIGNED_BESIDE = new Set(['zigbee2mqtt', 'evcc', 'victron']);

/** Whether a value can be computed from the numbers in the message or in the messages before it. */
function isExplained(value: number, numbers: readonly number[], bothMayCount: boolean, subtracts: boolean): boolean {
  const is = (one: number) => Math.abs(one - value) <= 1e-9 * Math.max(1, Math.abs(value));
  for (const number of numbers) {
    for (const factor of FACTORS) if (is(number * factor) || is(number / factor)) return true;
    if (is(((number - 32) * 5) / 9) || is(number - 273.15)) return true;
    if (subtracts && FACTORS.some((factor) => is(-number * factor))) return true;
  }
  if (!bothMayCount) return false;
  for (const one of numbers) {
    for (const other of numbers) {
      for (const both of [one * other, one / other, one + other, subtracts ? one - other : Number.NaN]) {
        for (const factor of FACTORS) if (is(both * factor)) return true;
      }
    }
  }
  return false;
}

const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/gi;
/**
 * Matches the JSON escape of a character. The hexadecimal digits of an escape are not a number of the message, even if a number follows
 * directly.
 */
const ESCAPED = /\\u[0-9a-f]{4}/gi;
/** Matches numbers with a decimal comma. In other texts, the comma separates two numbers. */
const WITH_COMMA = /[+-]?\d+,\d+/g;
function numbersIn(text: string): number[] {
  const plain = text.replaceAll(ESCAPED, (one) => JSON.parse(`"${one}"`));
  const withComma = (plain.match(WITH_COMMA) ?? []).map((one) => one.replace(',', '.'));
  return [...(plain.match(NUMBER) ?? []), ...withComma].map(Number).filter(Number.isFinite);
}

function numbersOf(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value === 'string') return numbersIn(value);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(numbersOf);
}

/**
 * Returns the numbers of the metrics in a Sparkplug payload, which encodes signed numbers as two's complement in fields of 32 or 64 bits.
 */
function numbersInProtobuf(payload: Buffer): number[] {
  const opened = parseSparkplugPayload(payload);
  if (typeof opened === 'string') return [];
  return opened.metrics.flatMap(({ intValue, longValue, plainValue }) => [
    ...[8, 16, 32].flatMap((bits) => (intValue === undefined ? [] : [intValue, intValue - 2 ** bits])),
    ...(intValue === undefined
      ? []
      : [(intValue << 24) >> 24, (intValue << 16) >> 16, intValue & 0xff, intValue & 0xffff]),
    ...(longValue === undefined ? [] : [Number(longValue), Number(BigInt.asIntN(64, longValue))]),
    ...numbersOf(plainValue),
  ]);
}

/** Matches `nan` and `inf` as JSON values. Firmware prints them if a value is missing. */
const NO_VALUE = /(?<=[:,[]\s*)-?(?:nan|inf(?:inity)?)\b/gi;

/**
 * Returns the numbers of a SenML pack: values and sums, each added to the latest base (RFC 8428, sections 4.1 and 4.5.1). The decoder
 * converts the results like plain numbers, for example from K to °C. If a base is not a number, all numbers after it are unusable.
 */
function numbersInSenml(payload: Buffer): number[] {
  let pack: unknown;
  try {
    pack = JSON.parse(new TextDecoder().decode(payload).replaceAll(NO_VALUE, 'null'));
  } catch {
    return [];
  }
  if (!Array.isArray(pack)) return [];
  const numbers: number[] = [];
  let [baseValue, baseSum] = [0, 0];
  for (const record of pack as (Record<string, unknown> | null)[]) {
    const { bv = baseValue, bs = baseSum, v, s = record?.bs === undefined ? undefined : 0 } = record ?? {};
    if (typeof bv !== 'number' || typeof bs !== 'number') break;
    [baseValue, baseSum] = [bv, bs];
    if (typeof v === 'number') numbers.push(baseValue + v);
    if (typeof s === 'number') numbers.push(baseSum + s);
  }
  return numbers;
}

/** Returns the numbers of a payload whose texts may contain decimal commas. */
const numbersWithCommas = (payload: Buffer): number[] =>
  numbersIn(`${payload} ${String(payload).replaceAll(/(?<=\d),(?=\d)/g, '.')}`);

/** Functions that extract the numbers of a payload, for families whose payloads are binary or whose numbers must be added to a base. */
const NUMBERS_IN = new Map([
  ['sparkplug', numbersInProtobuf],
  ['senml', numbersInSenml],
  ['names', numbersWithCommas],
  ['youless', numbersWithCommas],
]);

const WORD = /^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/;

const DEVICE = /^\P{Cc}{1,128}$/u;

/**
 * Returns whether a decoded value is well-formed. Uses plain conditions, because vitest's assertions would take most of the time of two
 * million messages.
 */
const isWellFormed = ({ device, channel, value, atMs, native, key = native, described }: DecodedValue): boolean =>
  DEVICE.test(device) &&
  // Keys and descriptions are stored as jsonb, which does not accept every string.
  isStorableText(key) &&
  (described?.names.every(isStorableText) ?? true) &&
  WORD.test(channel) &&
  channel.length <= 128 &&
  (typeof value === 'boolean' || Number.isFinite(value)) &&
  (atMs === null || Number.isSafeInteger(atMs));

/**
 * Returns the families that must not decode messages of the given family. Two families may always decode them, so the result excludes
 * these: the generic family, which decodes all announced topics, and `names`, which decodes what no other family recognises. Messages of
 * the generic family may also be decoded by the families after it, because these decode the same topics without an announcement.
 */
function areOthers(family: Family): Family[] {
  const generic = FAMILIES.findIndex(({ name }) => name === 'homeassistant');
  const [before, behind] = [FAMILIES.slice(0, generic), FAMILIES.slice(generic + 1)];
  return (family === FAMILIES[generic] ? before : [...before, ...behind]).filter(
    (one) => one !== family && one.name !== 'names',
  );
}

/**
 * Creates a fuzz test for one family. The test mutates the messages of the family's test cases, and sometimes their topics and the messages
 * that precede them.
 */
function createFuzz(family: Family, seed: number) {
  const mutate = createMessageMutator(seed);
  // A topic must not contain NUL (MQTT-1.5.4-2).
  const mutateTopic = (topic: string) => mutate.text(topic).replaceAll('\0', '');
  const cases = getFamilyCases(family.name);
  const { takes: _takes, knows: _knows, ...unasked } = family;
  const [own, others] = [[unasked], areOthers(family)];
  const inPayload = NUMBERS_IN.get(family.name) ?? ((payload: Buffer) => numbersIn(String(payload)));
  let said = 0;
  /** The message that is being decoded. The watchdog reports it if the decoder hangs. */
  let now = '';

  function next(index: number): void {
    const [, { in: given, out }] = cases[index % cases.length] as [string, FamilyCase];
    const message = createCaseMessage(given);
    const payload = mutate.bytes(message.payload);
    const topic = index % 5 === 0 ? mutateTopic(message.topic) : message.topic;
    const prior = getPriorMessages(given).map((one) => ({
      ...one,
      receivedAtMs: message.receivedAtMs,
      ...(index % 4 === 0 ? { payload: mutate.bytes(one.payload) } : {}),
      ...(index % 7 === 0 ? { topic: mutateTopic(one.topic) } : {}),
    }));
    now = `${topic} ${payload.toString('base64')}`;
    const settings = getFamilyCaseSettings(given);
    const decoders = createGatewayDecoders(own);
    const startedAt = cpuMs();
    for (const one of prior) decoders.recall(one);
    const decoded = decoders.hear({ ...message, topic, payload }, settings);
    if (cpuMs() - startedAt > SLOW_MS) throw new Error(`slow: ${now}`);
    if (decoded && family.takes?.(topic) === false && !family.knows?.(payload))
      throw new Error(`reads a topic that it denies: ${now}`);
    // The preceding messages are not mutated here, because they may be the only evidence that the topic belongs to this family.
    if (topic === message.topic && out !== null && index % 3 === 0) {
      const all = createGatewayDecoders(others);
      for (const one of getPriorMessages(given)) all.recall({ ...one, receivedAtMs: message.receivedAtMs });
      const taker = all.hear({ ...message, payload }, settings)?.family;
      if (taker !== undefined) throw new Error(`${taker} takes it: ${now}`);
    }
    if (!decoded || decoded.said.length === 0) return;
    said++;
    const texts = [payload, ...prior.map((one) => one.payload)];
    const numbers = [...texts.flatMap(inPayload), ...numbersOf(settings)];
    for (const one of decoded.said) {
      if (!isWellFormed(one)) throw new Error(`${JSON.stringify(one)}: ${now}`);
      // Some families report the direction of a power separately, or generation as positive. For them, negated numbers are allowed.
      const signed = one.kind === 'power_w' && SIGNED_BESIDE.has(family.name) ? numbers.map((number) => -number) : [];
      const all = [...numbers, ...signed];
      const isOfTwo = OF_TWO.has(family.name);
      if (typeof one.value === 'number' && !isExplained(one.value, all, isOfTwo, SUBTRACTS.has(family.name))) {
        throw new Error(`${one.channel} ${one.kind} ${one.value} is in no message: ${topic} ${payload.toString()}`);
      }
    }
  }
  return { next, said: () => said, now: () => now };
}

/**
 * Runs the fuzz test on all messages and returns the number of messages with readings. Stops a message that hangs: V8 can interrupt a
 * script, even in a runaway regular expression.
 */
function fuzz(family: Family, seed: number): number {
  const { next, said, now } = createFuzz(family, seed);
  let done = 0;
  const some = () => {
    for (const end = Math.min(done + WATCHED, MESSAGES); done < end; done++) next(done);
  };
  const context = createContext({ some });
  const script = new Script('some()');
  while (done < MESSAGES) {
    try {
      script.runInContext(context, { timeout: HANGS_MS });
    } catch (error) {
      const isHanging = (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
      throw isHanging ? new Error(`hangs: ${now()}`) : error;
    }
  }
  return said();
}

/** Maximum processor time for a message of a third of a mebibyte. Quadratic algorithms take many times as long. */
const LONG_MS = 1_500;

/** Members that make a JSON object long: many members, a long list, a long text, and a long name (regular expressions search names). */
const LENGTHS: readonly (() => object)[] = [
  () => Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`v${index}`, index + 0.5])),
  () => ({ list: Array.from({ length: 10_000 }, () => ({ name: 'energy', value: 1.5, unit: 'kWh' })) }),
  () => ({ text: '1,5 kWh '.repeat(40_000) }),
  () => ({ [`${'time'.repeat(80_000)}\n`]: 1.5 }),
];

describe.each(FAMILIES.map((family) => [family.name, family] as const))('the family %s', (_name, family) => {
  test('reads long objects in a time that grows with their length, not with its square', () => {
    const given = getFamilyCases(family.name).find(([, one]) =>
      /^\s*\{/.test(String(createCaseMessage(one.in).payload)),
    )?.[1].in;
    const message = given && createCaseMessage(given);
    const decoders = createGatewayDecoders([family]);
    for (const one of given ? getPriorMessages(given) : [])
      decoders.recall({ ...one, receivedAtMs: message?.receivedAtMs ?? 0 });
    const { topic = 'home/meter', receivedAtMs = Date.UTC(2026, 5, 1) } = message ?? {};
    let body = {};
    try {
      body = JSON.parse(String(message?.payload ?? '{}'));
    } catch {
      // If the test case's payload is not valid JSON, only the long members are sent.
    }
    for (const addition of LENGTHS) {
      const payload = Buffer.from(JSON.stringify({ unit: 'kWh', ...body, ...addition() }));
      const startedAt = cpuMs();
      decoders.hear({ topic, payload, receivedAtMs, replayed: false }, given ? getFamilyCaseSettings(given) : {});
      expect(cpuMs() - startedAt).toBeLessThan(LONG_MS);
    }
  });

  test(
    `reads ${MESSAGES} mutated messages without a crash, a hang or a number that the message does not contain`,
    () => {
      const seed = Number(MUTATION_SEED);
      try {
        // If too few messages had readings, the test would check nothing.
        expect(fuzz(family, seed)).toBeGreaterThan(MESSAGES / 50);
      } catch (error) {
        throw new Error(`MUTATION_SEED=${seed} MUTATED_MESSAGES=${MESSAGES}: ${(error as Error).message}`, {
          cause: error,
        });
      }
    },
    LIMIT_MS,
  );
});
