type HomieTopic =
  | { about: 'state' | 'description'; device: string }
  | { about: 'property'; device: string; node: string; property: string }
  | { about: 'attribute'; device: string; node: string; property: string; attribute: HomieAttribute }
  /** Topics that the decoder ignores: commands, target values, statistics, names of nodes. */
  | { about: 'nothing' };

const ATTRIBUTES = ['$unit', '$datatype', '$name', '$settable'] as const;
export type HomieAttribute = (typeof ATTRIBUTES)[number];
/** Matches a Homie id. Homie 3 also has array nodes (`lights_1`), and some firmware uses capitals. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const NOTHING: HomieTopic = { about: 'nothing' };

/**
 * Parses a topic below `homie/`; returns null for every other topic. Homie 3 and 4 use `homie/<device>/…`; Homie 5 uses
 * `homie/5/<device>/…`, where 5 is the version.
 */
export function parseHomieTopic(topic: string): HomieTopic | null {
  const words = topic.split('/');
  if (words[0] !== 'homie' || words.length < 3) return null;
  const fifth = words[1] === '5';
  const [device = '', second = '', third, fourth, ...more] = words.slice(fifth ? 2 : 1);
  if (!ID.test(device) || more.length > 0) return NOTHING;
  if (third === undefined) {
    if (second === '$state') return { about: 'state', device };
    return fifth && second === '$description' ? { about: 'description', device } : NOTHING;
  }
  if (!ID.test(second) || !ID.test(third)) return NOTHING;
  const place = { device, node: second, property: third };
  if (fourth === undefined) return { about: 'property', ...place };
  const attribute = ATTRIBUTES.find((one) => one === fourth);
  return attribute && !fifth ? { about: 'attribute', ...place, attribute } : NOTHING;
}
