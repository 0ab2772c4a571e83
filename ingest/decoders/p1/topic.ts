/** Topics on which a telegram may come; whether one does is seen in the body. */
const LAST = new Set(['raw', 'telegram']);
/** DSMR-reader's own topic: nothing but telegrams come there. */
const CERTAIN = /(^|\/)dsmr\/raw$/;
/** Three letters of the maker and a digit for the baud rate. */
const HEADER = /^\/[A-Za-z]{3}\d/;
const OBIS = /\n\d{1,3}-\d{1,3}:\d{1,3}\.\d{1,3}\.\d{1,3}\(/;

/** Whether telegrams may come on a topic: `…/raw`, `…/telegram`, or the word `p1` in it. */
export function mayHaveTelegram(topic: string): boolean {
  const words = topic.toLowerCase().split('/');
  return LAST.has(words.at(-1) ?? '') || words.some((word) => /(^|[^a-z0-9])p1([^a-z0-9]|$)/.test(word));
}

/**
 * Whether a message is a telegram: on `dsmr/raw`; or on `…/raw`, `…/telegram`, or a topic with the word `p1`, where the body
 * begins as a telegram and has its lines.
 */
export function isTelegram(topic: string, text: string | null): boolean {
  if (CERTAIN.test(topic)) return true;
  if (text === null || !mayHaveTelegram(topic)) return false;
  const start = text.trimStart();
  return HEADER.test(start) && OBIS.test(start);
}
