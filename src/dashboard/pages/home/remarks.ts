import type { Remarks as Answer, Remark } from '#src/api/dashboard/shapes.ts';
import { call, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { useLoad } from '../../parts/load.ts';
import { Card } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { Compared } from './remarks/compared.ts';
import { said } from './remarks/said.ts';

/**
 * What there is to say of an account's home, each with what it is compared with; nothing where there is nothing. `hour`: it is asked for again when that
 * changes.
 */
export function Remarks({ userId, hour }: { userId: string; hour: string }) {
  const ask = () => call<Answer>('GET', withQuery('/v1/remarks', { user_id: userId }));
  const answer = useLoad(ask, [userId, hour]).value;
  if (!answer || answer.remarks.length === 0) return null;
  return html`<${Card} title=${words().home.plainWords.title}>
    <ul class="remarks">${answer.remarks.map((remark) => html`<${One} key=${keyOf(remark)} remark=${remark} zone=${answer.timezone} />`)}</ul>
  <//>`;
}

const keyOf = (remark: Remark): string => `${remark.kind} ${'device_id' in remark ? remark.device_id : ''}`;

function One({ remark, zone }: { remark: Remark; zone: string }) {
  const { sentence, more, compared } = said(remark, zone);
  return html`<li>
    <p>${sentence}</p>
    ${more.length > 0 && html`<p class="quiet">${more.join(' ')}</p>`}
    ${compared && html`<${Compared} of=${sentence} ...${compared} />`}
  </li>`;
}
