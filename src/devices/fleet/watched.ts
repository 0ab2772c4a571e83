/** A stretch of time in Unix ms, `[fromMs, toMs)`. */
export interface Stretch {
  fromMs: number;
  toMs: number;
}

/** What of a stretch lies in none of others, which come in order of time. Pure. */
export function without({ fromMs, toMs }: Stretch, others: readonly Stretch[]): Stretch[] {
  const left: Stretch[] = [];
  let reachedMs = fromMs;
  for (const other of others) {
    if (other.fromMs >= toMs) break;
    if (other.fromMs > reachedMs) left.push({ fromMs: reachedMs, toMs: other.fromMs });
    reachedMs = Math.max(reachedMs, other.toMs);
  }
  if (reachedMs < toMs) left.push({ fromMs: reachedMs, toMs });
  return left;
}
