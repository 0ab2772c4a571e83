import { useEffect, useState } from 'preact/hooks';

/** When what is shown was seen, ISO 8601; null: just now, by the network. */
let seenAt: string | null = null;
const CHANGED = 'seen';

/** Told of each answer: `at` where it is one that was kept (service-worker.ts). The oldest of what is shown counts. */
export function tellSeen(at: string | null): void {
  const next = at === null ? null : seenAt !== null && seenAt < at ? seenAt : at;
  if (next === seenAt) return;
  seenAt = next;
  document.dispatchEvent(new Event(CHANGED));
}

export function useSeenAt(): string | null {
  const [at, setAt] = useState(seenAt);
  useEffect(() => {
    const tell = () => setAt(seenAt);
    document.addEventListener(CHANGED, tell);
    tell();
    return () => document.removeEventListener(CHANGED, tell);
  }, []);
  return at;
}
