import { type Children, html } from '../html.ts';
import { FocusableList } from './focus.ts';
import type { Loaded } from './load.ts';
import { Loading, renderMarks } from './ui.ts';

/** A list that is being loaded. `children`: renders its rows. `empty`: shown if it has none. */
export const LoadedList = <T>(props: {
  label: string;
  of: Loaded<T[]>;
  empty?: Children;
  children: (all: T[]) => Children;
}) => html`<${FocusableList} label=${props.label}>
  <${Loading} of=${props.of}>${(all: T[]) => (all.length === 0 ? props.empty : props.children(all))}<//>
<//>`;

/** Renders what an empty list says: what it is for, and the first steps. */
export const renderFirstSteps = (about: string, steps: Readonly<Record<string, string>>) => html`<p>${about}</p>
  <ol>${Object.values(steps).map((step) => html`<li>${renderMarks(step)}</li>`)}</ol>`;
