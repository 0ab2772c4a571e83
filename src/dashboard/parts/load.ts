import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from '../api.ts';

/** What is being asked for: the last answer stays until the next one is there. */
export interface Loaded<T> {
  value: T | null;
  error: string | null;
  isLoading: boolean;
  again(): void;
  /** What it is now, as the answer to a change said: an answer that is under way is older, and dropped. */
  put(value: T): void;
}

/** Asks when the component appears and whenever `keys` change; an answer that comes too late is dropped. */
export function useLoad<T>(ask: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ value: T | null; error: string | null; isLoading: boolean }>({
    value: null,
    error: null,
    isLoading: true,
  });
  const asked = useRef(0);
  const again = useCallback(() => {
    const mine = ++asked.current;
    setState((now) => ({ ...now, isLoading: true }));
    ask().then(
      (value) => mine === asked.current && setState({ value, error: null, isLoading: false }),
      (error) => mine === asked.current && setState((now) => ({ ...now, error: sentenceOf(error), isLoading: false })),
    );
  }, keys);
  const put = useCallback((value: T) => {
    asked.current++;
    setState({ value, error: null, isLoading: false });
  }, keys);
  useEffect(() => {
    setState({ value: null, error: null, isLoading: true });
    again();
    return () => void asked.current++;
  }, [again]);
  return { ...state, again, put };
}

/** Runs an action once at a time, and keeps its error. */
export function useAction(): { run(work: () => Promise<void>): void; isBusy: boolean; error: string | null } {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = (work: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    work()
      .catch((reason) => setError(sentenceOf(reason)))
      .finally(() => setBusy(false));
  };
  return { run, isBusy, error };
}
