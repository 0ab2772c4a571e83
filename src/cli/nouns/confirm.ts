import { createInterface } from 'node:readline/promises';

/**
 * Asks on a terminal before something is gone for good. Throws where the answer is no; and where nobody can be asked, unless `isSaid`
 * (--yes).
 */
export async function confirm(question: string, isSaid: boolean | undefined): Promise<void> {
  if (isSaid) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new Error(`${question}? Nothing was changed: add --yes to say so.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-D is no answer, and no is the answer to that.
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(`${question}? [y/N] `).catch(() => ''), closed]);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('Nothing was changed.');
}
