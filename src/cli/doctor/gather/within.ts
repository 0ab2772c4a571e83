import type { Seen } from '../facts.ts';

/** Longest that a program elsewhere is waited for. */
export const ANSWER_MS = 5_000;

/** What `look` answers, or why it did not: it threw, or took longer. Never throws, and never hangs. */
export async function within<T extends object>(look: () => Promise<T>, ms = ANSWER_MS): Promise<Seen<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Seen<T>>((resolve) => {
    timer = setTimeout(() => resolve({ why: `no answer within ${ms / 1_000} s`, code: 'ETIMEDOUT' }), ms);
  });
  const looked = (async () => look())().catch((error: unknown) => unseen(error));
  return Promise.race([looked, late]).finally(() => clearTimeout(timer));
}

/** An error in a line. Of a host with several addresses Node tells one for each. */
function unseen(error: unknown): { why: string; code?: string } {
  const { code, message, errors } = error as { code?: unknown; message?: unknown; errors?: { message?: string }[] };
  const why = String(message || errors?.map((one) => one.message).join(', ') || code || error).split('\n')[0] ?? '';
  return typeof code === 'string' ? { why, code } : { why };
}
