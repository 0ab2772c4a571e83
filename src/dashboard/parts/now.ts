import { useEffect, useState } from 'preact/hooks';

const EVERY_MS = 10_000;

/** The time, Unix ms, looked at anew every ten seconds: what is said to be "just now" must not stay so for ever. */
export function useNow(): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  // Rendered for another reason meanwhile, it is later than that.
  return Math.max(nowMs, Date.now());
}
