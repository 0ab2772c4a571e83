import { mentions } from '../read/payload.ts';

/** Topics of rtlamr2mqtt; its discovery says what they are of. */
const STATE = /^rtlamr\/([\w-]{1,64})\/state$/;
const OTHERS = new Set(['attributes', 'state', 'status', 'config']);

/** The meter of `rtlamr/{id}/state`, as rtlamr2mqtt publishes it; null for every other topic. */
export const parseStateTopic = (topic: string): string | null => STATE.exec(topic)?.[1] ?? null;

/** Whether it is worth parsing a body on somebody's topic: users pipe what rtlamr prints to any. */
export const mayBeMessage = (payload: Buffer): boolean => mentions(payload, '"Message"');

/** Whether nobody else publishes on the topic, so that what cannot be read there is worth a refusal. */
export function isOwnTopic(topic: string): boolean {
  // Every message of others comes by here, too.
  if (!topic.startsWith('rtlamr')) return false;
  const words = topic.split('/');
  return words[0] === 'rtlamr' && !OTHERS.has(words.at(-1) ?? '');
}
