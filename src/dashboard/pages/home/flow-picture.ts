import { html } from '../../html.ts';
import { kwh } from '../../parts/format.ts';
import { words } from '../../words/words.ts';
import { addsUp, ribbonsOf, WIDTH } from './ribbons.ts';

/** One thing that energy comes from or goes to. */
export interface End {
  name: string;
  /** Of its band: a name of the style sheet. */
  colour: string;
  /** Null: not known. */
  kwh: number | null;
}

/** What flows in and what flows out; where they differ nothing can be drawn. */
export interface Sides {
  from: End[];
  to: End[];
}
const energies = (ends: End[]) => ends.map((end) => end.kwh ?? 0);
export const isEven = ({ from, to }: Sides): boolean => addsUp(energies(from), energies(to));

/** What came from where, and went where to: bands as wide as the energy. Its figures are told to who does not see it. */
export function FlowPicture({ title, from, to }: Sides & { title: string }) {
  const none = (text: string) =>
    html`<figure class="flow"><figcaption>${title}</figcaption><p class="quiet">${text}</p></figure>`;
  if ([...from, ...to].every((end) => !end.kwh)) return none(words().common.nothingKnown);
  if (!isEven({ from, to })) return none(words().home.flows.unequal);
  const { heightPx, left, right, bar } = ribbonsOf(energies(from), energies(to));
  const paths = (ends: End[], ribbons: typeof left) =>
    ribbons.map(({ path, index }) => html`<path d=${path} fill=${`var(${ends[index]?.colour})`} />`);
  return html`<figure class="flow">
    <figcaption>${title}</figcaption>
    <div role="img" aria-label=${`${title}: ${sentence(from)}; ${sentence(to)}`}>
      <${Names} ends=${from} />
      <svg viewBox=${`0 0 ${WIDTH} ${heightPx}`} preserveAspectRatio="none" height=${heightPx}>
        ${paths(from, left)}${paths(to, right)}
        <rect ...${bar} fill="var(--quiet)" />
      </svg>
      <${Names} ends=${to} />
    </div>
  </figure>`;
}

/** Names and figures at one side, spread evenly over its height as the bands are. */
const Names = ({ ends }: { ends: End[] }) =>
  html`<div class="ends-of-flow">${ends.map((end) => html`<span>${end.name}<b>${figure(end)}</b></span>`)}</div>`;

const figure = (end: End) => (end.kwh === null ? '–' : kwh(end.kwh));
const sentence = (ends: End[]) => ends.map((end) => `${end.name} ${figure(end)}`).join(', ');
