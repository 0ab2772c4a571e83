import { channelWord } from '#src/devices/channel-name.ts';

/** Words that a channel name gives a meaning to, and a circuit must not be called. */
export const TAKEN = /^(?:import|export|gas|heat|water|unknown|ignored|[tl]\d+)$/;

/** One word for a circuit, or a quantity; long names keep a mark of what is cut off, so that two of them stay two. */
export function circuitWord(text: string): string {
  const word = channelWord(text);
  const safe = TAKEN.test(word) ? `x-${word}` : word;
  const whole = text.length <= 32 && channelWord(text) === text.toLowerCase();
  return whole ? safe : `${safe.slice(0, 25)}-${mark(text)}`;
}

/** FNV-1a over code points, six hex digits of it. Stored channels are named by it, so it stays as it is. */
function mark(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0').slice(0, 6);
}
