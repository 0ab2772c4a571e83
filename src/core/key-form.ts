import type { Environment } from './environment.ts';

/** What keys begin with, so that one of the sandbox is known by sight. */
export const KEY_PREFIX: Record<Environment, string> = { live: 'eus_live_', sandbox: 'eus_test_' };
/** Characters after the prefix. Keys made here have 42; one that an operator chose (BOOTSTRAP_ADMIN_KEY) may have others. */
export const KEY_CHARACTERS = { least: 32, most: 503 };

/** Whether this can be a key of the environment at all. Keys that an operator chose carry no checksum, so none is asked. */
export function hasKeyForm(text: string, environment: Environment): boolean {
  const prefix = KEY_PREFIX[environment];
  const length = text.length - prefix.length;
  const isLong = length >= KEY_CHARACTERS.least && length <= KEY_CHARACTERS.most;
  return isLong && text.startsWith(prefix) && /^[\x21-\x7e]+$/.test(text);
}
