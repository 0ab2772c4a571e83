/** A line for a terminal. What others wrote in it (a topic, a payload, a name) must not drive the terminal. */
export const forTerminal = (line: string): string => line.replaceAll(/[^\P{C}]/gu, '·');

/** The same for several lines. */
export const linesForTerminal = (text: string): string => text.split('\n').map(forTerminal).join('\n');
