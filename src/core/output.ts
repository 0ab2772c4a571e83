/**
 * Keeps this process running if its output can no longer be written (a closed pipe or terminal, a full disk). Services call it, because
 * they must still shut down in order. A command whose output is its result must fail instead.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** Replaces control characters in a line for a terminal: foreign text (a topic, a payload, a name) must not control the terminal. */
export const escapeLineForTerminal = (line: string): string => line.replaceAll(/[^\P{C}]/gu, '·');

/** Replaces control characters in several lines. */
export const escapeForTerminal = (text: string): string => text.split('\n').map(escapeLineForTerminal).join('\n');
