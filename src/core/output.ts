/**
 * Prevents this process from exiting when it cannot write its output. For services, which must still shut down gracefully. A command whose
 * output is its result must not call it.
 */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** Replaces control characters in a line for a terminal, because text from devices or users must not control the terminal. */
export const escapeLineForTerminal = (line: string): string => line.replaceAll(/[^\P{C}]/gu, '·');

/** Replaces control characters in several lines for a terminal. */
export const escapeForTerminal = (text: string): string => text.split('\n').map(escapeLineForTerminal).join('\n');
