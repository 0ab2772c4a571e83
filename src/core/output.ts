/**
 * Prevents this process from exiting when it cannot write its output (a closed pipe or terminal, a full disk). Services call this function,
 * so that they still shut down gracefully. A command whose output is its result must not call it, because such a command must fail.
 */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/**
 * Replaces control characters in a line for a terminal: text that devices or users sent (a topic, a payload, a name) must not control the
 * terminal.
 */
export const escapeLineForTerminal = (line: string): string => line.replaceAll(/[^\P{C}]/gu, '·');

/** Replaces control characters in several lines for a terminal. */
export const escapeForTerminal = (text: string): string => text.split('\n').map(escapeLineForTerminal).join('\n');
