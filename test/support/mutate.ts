import { createSeededRandom } from '#simulators/random.ts';

/** Values that faulty firmware and attackers send instead of a number. */
const VALUES = [
  '',
  '""',
  '"  12.5 "',
  '"0x1F4"',
  '"1e3"',
  '1e999',
  '-1e999',
  '-0',
  'null',
  'true',
  'nan',
  'NaN',
  '"nan"',
  '-2147483648',
  '4294967296',
  '1e-400',
  '[]',
  '{}',
  '[1,2,3]',
  '{"a":1}',
  '"unavailable"',
  '"١٢"',
  '999999999999999999999',
  '"1,5"',
  '1_000',
  '"\\u0000"',
  '"2026-07-05T19:00:00Z"',
];
const NAMES = ['__proto__', 'constructor', 'toString', 'length', '', 'a'.repeat(300), '\u0000', '💡'];

/** Creates a function that changes messages as faulty firmware and attackers would. The same seed produces the same changes. */
export function createMessageMutator(seed: number): { bytes(payload: Buffer): Buffer; text(topic: string): string } {
  const random = createSeededRandom(seed);
  const below = (most: number) => Math.floor(random.next() * most);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const NUMBER = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;
  const NAME = /"[^"]{0,40}"(?=\s*:)/g;

  function replaceOne(text: string, pattern: RegExp, by: () => string): string {
    const all = [...text.matchAll(pattern)];
    const one = all.length > 0 ? pick(all) : undefined;
    return one ? text.slice(0, one.index) + by() + text.slice(one.index + one[0].length) : text;
  }
  function garble(payload: Buffer): Buffer {
    const bytes = Buffer.from(payload);
    for (let times = 1 + below(4); times > 0 && bytes.length > 0; times--) bytes[below(bytes.length)] = below(256);
    return bytes;
  }
  const change = (payload: Buffer): Buffer => {
    const text = () => payload.toString('utf8');
    switch (below(9)) {
      case 0:
        return garble(payload);
      case 1:
        return payload.subarray(0, below(payload.length + 1));
      case 2:
        return Buffer.from(replaceOne(text(), NUMBER, () => pick(VALUES)));
      case 3:
        return Buffer.from(replaceOne(text(), NAME, () => JSON.stringify(pick(NAMES))));
      case 4:
        return Buffer.from(replaceOne(text(), NUMBER, () => String((random.next() - 0.5) * 10 ** below(12))));
      case 5: {
        const from = below(payload.length + 1);
        return Buffer.concat([payload.subarray(0, from), payload.subarray(below(payload.length + 1))]);
      }
      case 6:
        return Buffer.from(pick(VALUES));
      case 7:
        return Buffer.from(replaceOne(text(), /"[^"]{0,60}"/g, () => pick(VALUES)));
      default:
        return payload;
    }
  };
  return {
    bytes(payload) {
      let changed = change(payload);
      while (random.next() < 0.3) changed = change(changed);
      return changed;
    },
    text(topic) {
      const words = topic.split('/');
      words[below(words.length)] = pick([...NAMES, '+', '#', 'x', ...words]);
      return words.join('/');
    },
  };
}
