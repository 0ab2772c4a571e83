/** The same, asked anew only once the last answer is so old. What fails is not remembered. */
export function remembered<T>(read: () => Promise<T>, forMs: number, nowMs: () => number = Date.now): () => Promise<T> {
  let last: { atMs: number; answer: Promise<T> } | undefined;
  return () => {
    if (last && nowMs() - last.atMs < forMs) return last.answer;
    const made = { atMs: nowMs(), answer: read() };
    last = made;
    made.answer.catch(() => {
      if (last === made) last = undefined;
    });
    return made.answer;
  };
}
