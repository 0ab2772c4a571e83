import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Page, page, sentenceOf } from '../api.ts';
import { html } from '../html.ts';
import { words } from '../words/words.ts';
import { useKeptFocus } from './focus.ts';

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

/** A list that is looked at page by page, the youngest first. */
interface Pages<T> {
  shown: Loaded<Page<T>>;
  isFirst: boolean;
  /** For the element around the list: it takes the focus from what may be gone after it was pressed. */
  top: { current: HTMLDivElement | null };
  show(path: string): void;
  /** The first page, asked for anew. */
  youngest(): void;
}

/** `first`: path of the first page. */
export function usePages<T>(first: string): Pages<T> {
  const [path, setPath] = useState(first);
  const shown = useLoad(() => page<T>(path), [path]);
  const top = useRef<HTMLDivElement>(null);
  useKeptFocus(top);
  const isFirst = path === first;
  return { shown, isFirst, top, show: setPath, youngest: () => (isFirst ? shown.again() : setPath(first)) };
}

/** The buttons below such a list, where there is more than a page of it. */
export function Steps<T>({ of, names }: { of: Pages<T>; names?: [string, string] }) {
  const { youngest, older } = words().common;
  const next = of.shown.value?.next ?? null;
  if (of.isFirst && next === null) return null;
  const go = (step: () => void) => () => {
    of.top.current?.focus();
    step();
  };
  return html`<p class="actions">
    ${!of.isFirst && html`<button type="button" onClick=${go(of.youngest)}>${names?.[0] ?? youngest}</button>`}
    ${next !== null && html`<button type="button" onClick=${go(() => of.show(next))}>${names?.[1] ?? older}</button>`}
  </p>`;
}
