import { useState } from 'preact/hooks';
import type { ResultPage } from '../api.ts';
import { type Children, html } from '../html.ts';
import { words } from '../words/words.ts';
import { FocusableList } from './focus.ts';
import { type LoadedData, type PagedData, useAction } from './load.ts';
import { Card, ErrorMessage, LoadedContent, renderInlineMarkup } from './ui.ts';

interface List<T> {
  label: string;
  of: LoadedData<T[]>;
  empty?: Children;
  children: (all: T[]) => Children;
}

/** A list whose data must be loaded first. `children`: renders the rows. `empty`: shown without rows. */
export const LoadedList = <T>(props: List<T>) => html`<${FocusableList} label=${props.label}>
  <${LoadedContent} of=${props.of}>${(all: T[]) => (all.length === 0 ? props.empty : props.children(all))}<//>
<//>`;

/**
 * A list that is loaded page by page. `children`: renders the rows of a page. `empty`: shown without rows. `names`: texts of the buttons.
 */
export function PagedList<T>(props: {
  of: PagedData<T>;
  label?: string;
  empty?: Children;
  names?: [string, string];
  children: (rows: T[]) => Children;
}) {
  const { of, label, empty, children } = props;
  const { youngest, older } = words().common;
  const [toFirst, toNext] = props.names ?? [youngest, older];
  const next = of.shown.value?.next ?? null;
  const go = (step: () => void) => () => {
    of.top.current?.focus();
    step();
  };
  return html`<div tabindex="-1" ref=${of.top} ...${label === undefined ? {} : { role: 'group', 'aria-label': label }}>
    <${LoadedContent} of=${of.shown}>
      ${({ rows }: ResultPage<T>) => (rows.length === 0 && empty !== undefined ? empty : children(rows))}
    <//>
    ${
      (!of.isFirst || next !== null) &&
      html`<p class="actions">
        ${!of.isFirst && html`<button type="button" onClick=${go(of.youngest)}>${toFirst}</button>`}
        ${next !== null && html`<button type="button" onClick=${go(() => of.show(next))}>${toNext}</button>`}
      </p>`
    }
  </div>`;
}

/** Card with a list, a button that creates an entry (text: `create`), and a message about the last change (`told`). */
export const ListCard = <T>(
  props: List<T> & { title: string; create: string; onCreate: () => void; error: string | null; told?: string },
) => html`<${Card}
  title=${props.title}
  actions=${html`<button type="button" class="main" onClick=${props.onCreate}>${props.create}</button>`}
>
  <${ErrorMessage} text=${props.error} />
  ${props.told !== undefined && html`<p class="quiet told" role="status">${props.told}</p>`}
  <${LoadedList} label=${props.label} of=${props.of} empty=${props.empty}>${props.children}<//>
<//>`;

/** Returns functions that change entries of a list, one at a time, and then load the list again. `told`: message about the last change. */
export function useListChanges(list: LoadedData<unknown>) {
  const { run, error } = useAction();
  const [told, setTold] = useState('');
  const done = (result: string) => {
    setTold(result);
    list.again();
  };
  const change = (work: () => Promise<unknown>, result: string) =>
    run(async () => {
      await work();
      done(result);
    });
  return { change, done, told, error };
}

/** Renders the text of an empty list: what the list is for, and what to do first. */
export const renderEmptyList = (about: string, steps: Readonly<Record<string, string>>) => html`<p>${about}</p>
  <ol>${Object.values(steps).map((step) => html`<li>${renderInlineMarkup(step)}</li>`)}</ol>`;
