import type { Remarks as Answer, Remark } from '#src/api/dashboard/shapes.ts';
import { callApi, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { useLoad } from '../../parts/load.ts';
import { type ComparedValue, describeRemark } from '../../parts/remark-text.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

/**
 * Remarks on an account's home, each with its comparison. Renders nothing if there are none. `hour`: the data are
 * reloaded when it changes.
 */
export function Remarks({ userId, hour }: { userId: string; hour: string }) {
  const ask = () => callApi<Answer>('GET', withQuery('/v1/remarks', { user_id: userId }));
  const answer = useLoad(ask, [userId, hour]).value;
  if (!answer || answer.remarks.length === 0) return null;
  return html`<${Card} title=${words().home.plainWords.title}>
    <ul class="remarks">${answer.remarks.map((remark) => html`<${One} key=${keyOf(remark)} remark=${remark} zone=${answer.timezone} />`)}</ul>
  <//>`;
}

const keyOf = (remark: Remark): string => `${remark.kind} ${'device_id' in remark ? remark.device_id : ''}`;

function One({ remark, zone }: { remark: Remark; zone: string }) {
  const { sentence, more, compared } = describeRemark(remark, zone);
  return html`<li>
    <p>${sentence}</p>
    ${more.length > 0 && html`<p class="quiet">${more.join(' ')}</p>`}
    ${compared && html`<${Compared} of=${sentence} ...${compared} />`}
  </li>`;
}

const HEIGHT = 60;
const STEP = 10;

/** Chart and table of a remark's value, after the values with which it is compared. */
function Compared(props: {
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
  const pictureLabel = w.picture({ count: last, usual: unit(usual), now: unit(values[last]?.value ?? 0) });
  return html`<details class="evidence">
    <summary aria-label=${w.titleOf({ remark: of })}>${w.title}</summary>
    <svg role="img" aria-label=${pictureLabel} viewBox=${`0 0 ${values.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
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
