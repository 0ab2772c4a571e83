const KEPT_MS = 60_000;
const MAX_ENTRIES = 2_000;

/**
 * Creates a cache that stores results by key for a minute. Concurrent callers with the same key share one computation. Errors are not
 * cached.
 */
export function createShortLivedCache<T>(): (key: string, make: () => Promise<T>) => Promise<T> {
  const entries = new Map<string, { untilMs: number; answer: Promise<T> }>();
  return (key, make) => {
    const nowMs = performance.now();
    const found = entries.get(key);
    if (found && found.untilMs > nowMs) return found.answer;
    if (entries.size >= MAX_ENTRIES) entries.clear();
    const answer = make();
    entries.set(key, { untilMs: nowMs + KEPT_MS, answer });
    answer.catch(() => entries.delete(key));
    return answer;
  };
}
