/**
 * From here on this process goes on when nobody reads what it prints any more (a closed pipe, a terminal that is gone) or when it
 * cannot be written (a full disk): for a service, which must still stop in order. A command whose output is its result must fail.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** A line for a terminal. What others wrote in it (a topic, a payload, a name) must not drive the terminal. */
export const forTerminal = (line: string): string => line.replaceAll(/[^\P{C}]/gu, '·');

/** The same for several lines. */
export const linesForTerminal = (text: string): string => text.split('\n').map(forTerminal).join('\n');
