import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import {
  ApiFailure,
  fetchAllPages,
  fetchResultPage,
  formatErrorSentence,
  isTemporaryFailure,
  type ResultPage,
} from '../api.ts';
import { useFocusFallback } from './focus.ts';

/** Data that are being loaded, or are loaded. Until the next value arrives, `value` is the previous one. */
export interface LoadedData<T> {
  value: T | null;
  error: string | null;
  isLoading: boolean;
  again(): void;
  /** Sets the value, for example from the response to a change. The response to a request that is still running is then ignored. */
  put(value: T): void;
}

/** Time in ms until a failed request is repeated. It doubles with each further failure, up to `MAX_RETRY_MS`. */
export const RETRY_MS = 5_000;
const MAX_RETRY_MS = 60_000;

/** Returns the time in ms until a failed request is repeated. It is partly random, so that many browsers do not repeat together. */
const retryDelayMs = (failures: number) => Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** failures) * (1 + Math.random() / 2);

/** Loads data when a component appears, and whenever `keys` change. Repeats the request if the service is unreachable or busy. */
export function useLoad<T>(ask: () => Promise<T>, keys: readonly unknown[]): LoadedData<T> {
  const [state, setState] = useState<{ value: T | null; error: string | null; isLoading: boolean }>({
    value: null,
    error: null,
    isLoading: true,
  });
  const asked = useRef(0);
  const failures = useRef(0);
  const retry = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** Ignores the response of the current request. Returns the number of the next request. */
  const dropCurrent = () => {
    clearTimeout(retry.current);
    return ++asked.current;
  };
  const again = useCallback(() => {
    const mine = dropCurrent();
    setState((now) => ({ ...now, isLoading: true }));
    ask().then(
      (value) => {
        if (mine !== asked.current) return;
        failures.current = 0;
        setState({ value, error: null, isLoading: false });
      },
      (error) => {
        if (mine !== asked.current) return;
        setState((now) => ({ ...now, error: formatErrorSentence(error), isLoading: false }));
        if (isTemporaryFailure(error)) retry.current = setTimeout(again, retryDelayMs(failures.current++));
      },
    );
  }, keys);
  const put = useCallback((value: T) => {
    dropCurrent();
    setState({ value, error: null, isLoading: false });
  }, keys);
  useEffect(() => {
    setState({ value: null, error: null, isLoading: true });
    again();
    return () => void dropCurrent();
  }, [again]);
  return { ...state, again, put };
}

/** Loads all rows of a list, up to `most`. `path`: path of the list without the parameter `limit`. */
export const useAllPages = <T>(path: string, most?: number): LoadedData<T[]> =>
  useLoad(() => fetchAllPages<T>(path, most), [path, most]);

/** Runs actions one at a time, and stores the error message of the last action. */
export function useAction(): { run(work: () => Promise<void>): void; isBusy: boolean; error: string | null } {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = (work: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    setError(null);
    work()
      .catch((reason) => setError(formatErrorSentence(reason)))
      .finally(() => setBusy(false));
  };
  return { run, isBusy, error };
}

/** Returns the input in a submitted form, and prevents the browser from sending the form itself. */
export function readSubmittedForm(event: SubmitEvent): FormData {
  event.preventDefault();
  return new FormData(event.target as HTMLFormElement);
}

/** Messages of validation errors, by the path of the invalid member in the request. */
export type ErrorsByPath = Readonly<Record<string, string>>;

/**
 * Returns the validation errors of a failed request by the path of the field. Rethrows any other error. `wrong` returns the text for an
 * error. `path`: prefix of the form's fields in the request, such as `tariffs.0.`.
 */
export function getErrorsByPath(reason: unknown, wrong: (of: { message: string }) => string, path = ''): ErrorsByPath {
  if (!(reason instanceof ApiFailure) || reason.status !== 422 || reason.details.length === 0) throw reason;
  return Object.fromEntries(
    reason.details.map(({ field, message }) => [
      field.startsWith(path) ? field.slice(path.length) : field,
      wrong({ message }),
    ]),
  );
}

/**
 * Runs the request of a form. Stores its validation errors by field, and focuses the first invalid field. `errorsOf`: returns the
 * validation errors of a failed request, and rethrows any other error.
 */
export function useFormAction(errorsOf: (reason: unknown) => ErrorsByPath) {
  const { run, isBusy, error } = useAction();
  const [mistakes, setMistakes] = useState<ErrorsByPath>({});
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [mistakes]);
  const clear = () => setMistakes({});
  const send = (request: () => Promise<void>) =>
    run(async () => {
      clear();
      await request().catch((reason) => {
        const wrong = errorsOf(reason);
        if (!Object.keys(wrong).every((name) => form.current?.elements.namedItem(name))) throw reason;
        setMistakes(wrong);
      });
    });
  return { form, send, mistakes, clear, isBusy, error };
}

/** A list that is loaded page by page, newest rows first. */
export interface PagedData<T> {
  shown: LoadedData<ResultPage<T>>;
  isFirst: boolean;
  /** The element around the list. It gets the focus if the focused button disappears. */
  top: { current: HTMLDivElement | null };
  show(path: string): void;
  /** Loads the first page again, which contains the newest rows. */
  youngest(): void;
}

/** Loads a list page by page, newest rows first. `first`: path of the first page. */
export function usePages<T>(first: string): PagedData<T> {
  const [path, setPath] = useState(first);
  const shown = useLoad(() => fetchResultPage<T>(path), [path]);
  const top = useRef<HTMLDivElement>(null);
  useFocusFallback(top);
  const isFirst = path === first;
  return { shown, isFirst, top, show: setPath, youngest: () => (isFirst ? shown.again() : setPath(first)) };
}
