import { useEffect, useState } from 'preact/hooks';
import { withQuery } from '../api.ts';

/** What is new comes in bursts: the page asks at most this often. */
const SOONEST_MS = 5_000;

/**
 * Calls back when new readings of an account arrived (server-sent events; the browser connects again by itself). Returns
 * whether it listens now.
 */
export function useChanges(userId: string, onReadings: () => void): boolean {
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    const source = new EventSource(withQuery('/dashboard/v1/changes', { user_id: userId }));
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastMs = 0;
    source.onopen = () => setLive(true);
    source.onerror = () => setLive(false);
    source.addEventListener('readings', () => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          lastMs = Date.now();
          onReadings();
        },
        Math.max(0, lastMs + SOONEST_MS - Date.now()),
      );
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [userId, onReadings]);
  return isLive;
}
