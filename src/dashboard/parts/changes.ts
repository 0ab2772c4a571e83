import { useEffect, useRef, useState } from 'preact/hooks';
import { appendQuery } from '../api.ts';

/** Minimum time in ms between two refreshes of a page, because new readings arrive in bursts. */
const SOONEST_MS = 5_000;
/** Delay in ms before the page reconnects after a response status other than 200. */
const AGAIN_MS = 10_000;

/**
 * Listens to server-sent events while the page is visible. Calls back with the data of each event, and whenever a connection is opened.
 * Returns whether the connection is open. `address`: null to open no connection.
 */
export function useServerEvents(
  address: string | null,
  heard: Record<string, (data: string) => void>,
  onOpen?: () => void,
): boolean {
  const [isLive, setLive] = useState(false);
  const latest = useRef({ heard, onOpen });
  latest.current = { heard, onOpen };
  const names = Object.keys(heard).join();
  useEffect(() => {
    if (address === null) return;
    let source: EventSource | null = null;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const close = () => {
      clearTimeout(retry);
      source?.close();
      source = null;
      setLive(false);
    };
    const open = () => {
      close();
      const mine = new EventSource(address);
      source = mine;
      mine.onopen = () => {
        setLive(true);
        latest.current.onOpen?.();
      };
      mine.onerror = () => {
        setLive(false);
        if (mine.readyState === EventSource.CLOSED) retry = setTimeout(open, AGAIN_MS);
      };
      for (const name of names.split(','))
        mine.addEventListener(name, ({ data }) => latest.current.heard[name]?.(String(data)));
    };
    const follow = () => (document.visibilityState === 'visible' ? open() : close());
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      close();
    };
  }, [address, names]);
  return isLive;
}

/** Calls `onReadings` when an account has new readings, and when the page becomes visible again. Returns whether the connection is open. */
export function useReadingChanges(userId: string, onReadings: () => void): boolean {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastMs = useRef(0);
  const scheduleRefresh = () => {
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        lastMs.current = Date.now();
        onReadings();
      },
      Math.max(0, lastMs.current + SOONEST_MS - Date.now()),
    );
  };
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [userId, onReadings],
  );
  return useServerEvents(appendQuery('/dashboard/v1/changes', { user_id: userId }), { readings: scheduleRefresh });
}
