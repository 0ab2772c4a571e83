import { useRef, useState } from 'preact/hooks';
import { type Page, page } from '../api.ts';
import { html } from '../html.ts';
import { words } from '../words/words.ts';
import { useKeptFocus } from './focus.ts';
import { type Loaded, useLoad } from './load.ts';

/** A list that is looked at page by page, the youngest first. */
export interface Pages<T> {
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
