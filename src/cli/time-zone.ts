import { createInterface } from 'node:readline';
import { isZone } from '#src/energy/ranges.ts';

/** This machine's time zone; UTC where it has none that the database knows. */
export function machineZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return timeZone && isZone(timeZone) ? timeZone : 'UTC';
}

/** Asks on the terminal, until the answer is a zone; Enter takes this machine's. Throws where the terminal is closed instead. */
export async function askZone(): Promise<string> {
  const known = machineZone();
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  terminal.setPrompt(`Time zone of its days and months [${known}]: `);
  terminal.on('SIGINT', () => terminal.close());
  terminal.prompt();
  try {
    for await (const line of terminal) {
      const answer = line.trim() || known;
      if (isZone(answer)) return answer;
      console.error('That is not a time zone of the IANA database. An example is Europe/Berlin.');
      terminal.prompt();
    }
  } finally {
    // Leaving the loop does not: the process would wait for more.
    terminal.close();
  }
  throw new Error('No account was created: no time zone was given. Give one with --timezone.');
}
