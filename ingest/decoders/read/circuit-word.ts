import { normaliseChannelWord } from '#src/devices/channel-name.ts';

/** Words that have a fixed meaning in channel names, and therefore cannot name a circuit (measured part of the home). */
export const RESERVED_CHANNEL_WORD_PATTERN = /^(?:import|export|gas|heat|water|unknown|ignored|[tl]\d+)$/;

/**
 * Converts a name into one part of a channel's name (between two slashes). Shortens a long name and appends a hash, so that two long names
 * with the same beginning get different results.
 */
export function createCircuitWord(text: string): string {
  const word = normaliseChannelWord(text);
  const safe = RESERVED_CHANNEL_WORD_PATTERN.test(word) ? `x-${word}` : word;
  const whole = text.length <= 32 && normaliseChannelWord(text) === text.toLowerCase();
  return whole ? safe : `${safe.slice(0, 25)}-${mark(text)}`;
}

/**
 * Returns six hex digits of the FNV-1a hash over the code points of a text. Stored channels contain these digits, so the result must never
 * change.
 */
function mark(text: string): string {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0').slice(0, 6);
}
