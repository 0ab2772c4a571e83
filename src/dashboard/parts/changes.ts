import { useEffect, useState } from 'preact/hooks';
import { withQuery } from '../api.ts';

/** New readings come in bursts: the page refreshes at most this often. */
const SOONEST_MS = 5_000;
/** The browser connects again by itself after a break, but not after an answer that is no 200. */
const AGAIN_MS = 10_000;

/**
 * Calls back when new readings of an account arrived (server-sent events), and when the page is looked at again. Listens only
 * while it is looked at: a browser has six connections to a host, for all of its tabs together. Returns whether it listens now.
 */
export function useChanges(userId: string, onReadings: () => void): boolean {
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    let source: EventSource | null = null;
    let retry: ReturnType<typeof setTimeout> | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let lastMs = 0;
    const tell = () => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          lastMs = Date.now();
          onReadings();
        },
        Math.max(0, lastMs + SOONEST_MS - Date.now()),
      );
    };
    const close = () => {
      clearTimeout(retry);
      source?.close();
      source = null;
      setLive(false);
    };
    const open = () => {
      close();
      const mine = new EventSource(withQuery('/dashboard/v1/changes', { user_id: userId }));
      source = mine;
      mine.onopen = () => setLive(true);
      mine.onerror = () => {
        setLive(false);
        if (mine.readyState === EventSource.CLOSED) retry = setTimeout(open, AGAIN_MS);
      };
      mine.addEventListener('readings', tell);
    };
    const follow = () => (document.visibilityState === 'visible' ? open() : close());
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      clearTimeout(timer);
      close();
    };
  }, [userId, onReadings]);
  return isLive;
}
