import type { Remarks as Answer, Remark } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { formatKwh } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { describeRemark, formatDayName, formatTimeInZone, formatWholeWatts } from '../../parts/remark-text.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

/**
 * Remarks (notices about unusual usage) on an account's home, each with a comparison of values. Renders nothing if there are none. A change
 * of `hour` reloads them.
 */
export function RemarksCard({ userId, hour }: { userId: string; hour: string }) {
  const ask = () => callApi<Answer>('GET', appendQuery('/v1/remarks', { user_id: userId }));
  const answer = useLoad(ask, [userId, hour]).value;
  if (!answer || answer.remarks.length === 0) return null;
  return html`<${Card} title=${words().home.plainWords.title}>
    <ul class="remarks">${answer.remarks.map((remark) => html`<${One} key=${keyOf(remark)} remark=${remark} zone=${answer.timezone} />`)}</ul>
  <//>`;
}

const keyOf = (remark: Remark): string => `${remark.kind} ${'device_id' in remark ? remark.device_id : ''}`;

function One({ remark, zone }: { remark: Remark; zone: string }) {
  const { sentence, more } = describeRemark(remark, zone);
  const compared = comparisonOf(remark, zone);
  return html`<li>
    <p>${sentence}</p>
    ${more.length > 0 && html`<p class="quiet">${more.join(' ')}</p>`}
    ${compared && html`<${Compared} of=${sentence} ...${compared} />`}
  </li>`;
}

/** The value that a remark is about, and the values with which it is compared. `column`: heading of the column of values. */
interface Comparison {
  column: string;
  values: readonly { name: string; value: number }[];
  usual: number;
  unit: (value: number) => string;
}

/** Returns the values with which a remark's value is compared, or null. `zone`: time zone of the displayed times. */
function comparisonOf(remark: Remark, zone: string): Comparison | null {
  const { compared: c } = words().home.plainWords;
  const upTo = (iso: string) => c.upTo({ time: formatTimeInZone(iso, zone) });
  const ofEnergy = (column: string, rows: readonly { at: string; kwh: number }[], usual: number): Comparison => ({
    column,
    values: rows.map(({ at, kwh: value }) => ({ name: upTo(at), value })),
    usual,
    unit: formatKwh,
  });
  switch (remark.kind) {
    case 'stays_on':
    case 'night_rose': {
      const values = remark.compared.map(({ at, watts: value }) => ({ name: upTo(at), value }));
      return {
        column: remark.kind === 'stays_on' ? c.level : c.quiet,
        values,
        usual: remark.usual_w,
        unit: formatWholeWatts,
      };
    }
    case 'device_uses_more':
      return ofEnergy(c.used, remark.compared, remark.usual_kwh);
    case 'production_missing':
      return ofEnergy(c.made, remark.compared, middleOf(remark.compared));
    case 'unusual_day': {
      const rows = [...remark.compared, { date: remark.date, kwh: remark.kwh }];
      const values = rows.map((one) => ({ name: formatDayName(one.date), value: one.kwh }));
      return { column: c.used, values, usual: remark.usual_kwh, unit: formatKwh };
    }
    case 'cheaper_tariff':
      return null;
  }
}

const middleOf = (rows: readonly { kwh: number }[]): number =>
  rows.map((row) => row.kwh).toSorted((a, b) => a - b)[Math.floor(rows.length / 2)] ?? 0;

const HEIGHT = 60;
const STEP = 10;

/** Chart and table of a remark's value and the values with which it is compared. */
function Compared({ of, column, values, usual, unit }: Comparison & { of: string }) {
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
      <thead><tr><th scope="col">${words().common.when}</th><th scope="col">${column}</th></tr></thead>
      <tbody>${values.map(({ name, value }, place) => html`<tr><th scope="row">${place === last ? w.thisOne({ name }) : name}</th><td>${unit(value)}</td></tr>`)}</tbody>
    </table>
  </details>`;
}
