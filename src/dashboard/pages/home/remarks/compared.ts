import { html } from '../../../html.ts';
import { words } from '../../../words/words.ts';

/** One value of several that are compared. */
export interface ComparedValue {
  name: string;
  value: number;
}

const HEIGHT = 60;
const STEP = 10;

/** What a remark is about beside what it is compared with: as a picture, and as a table. The last value is the one. */
export function Compared(props: {
  of: string;
  column: string;
  values: readonly ComparedValue[];
  usual: number;
  unit: (value: number) => string;
}) {
  const { of, column, values, usual, unit } = props;
  const { compared: w } = words().home.plainWords;
  const last = values.length - 1;
  const most = Math.max(...values.map(({ value }) => value), 1e-9);
  const told = w.picture({ count: last, usual: unit(usual), now: unit(values[last]?.value ?? 0) });
  return html`<details class="evidence">
    <summary aria-label=${w.titleOf({ remark: of })}>${w.title}</summary>
    <svg role="img" aria-label=${told} viewBox=${`0 0 ${values.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
      ${values.map(({ value }, place) => {
        const height = Math.max(1, (HEIGHT * value) / most);
        return html`<rect x=${place * STEP + 1} y=${HEIGHT - height} width=${STEP - 2} height=${height} class=${place === last ? 'marked' : ''} />`;
      })}
    </svg>
    <table>
      <thead><tr><th scope="col">${w.when}</th><th scope="col">${column}</th></tr></thead>
      <tbody>${values.map(({ name, value }, place) => html`<tr><th scope="row">${place === last ? w.thisOne({ name }) : name}</th><td>${unit(value)}</td></tr>`)}</tbody>
    </table>
  </details>`;
}
