import { useEffect, useState } from 'preact/hooks';
import type { RejectedMessageEntry, ReplayCounts } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { PagedList } from '../../parts/list.ts';
import { readSubmittedForm, useAction, usePages } from '../../parts/load.ts';
import { Card, ErrorMessage, Field, getBusyAttributes, RelativeTime } from '../../parts/ui.ts';

const SHOWN = 25;
/** Interval at which the newest rejected messages are loaded again, in ms. */
const EVERY_MS = 10_000;

/** List of rejected messages and the reasons, with a button that processes the messages again. */
export function RejectedMessages() {
  const [device, setDevice] = useState('');
  const [turn, setTurn] = useState(0);
  const [told, setTold] = useState('');
  const { run, isBusy, error } = useAction();
  const replay = () =>
    run(async () => {
      setTold('');
      const done = await callApi<ReplayCounts>(
        'POST',
        '/v1/rejected/replay',
        device === '' ? {} : { device_id: device },
      );
      const cut = done.cut > 0 ? ` ${done.cut} were truncated when they were stored, and cannot be replayed.` : '';
      setTold(
        `${done.messages} messages replayed: ${done.stored} readings stored, ${done.rejected} still rejected.${cut}${done.complete ? '' : ' The time limit was reached: press the button again to replay the rest.'}`,
      );
      setTurn(turn + 1);
    });
  const filter = (event: SubmitEvent) => {
    setDevice(String(readSubmittedForm(event).get('device')).trim());
  };
  return html`<${Card} title="Rejected messages" actions=${html`<button type="button" onClick=${replay} ...${getBusyAttributes(isBusy)}>Replay ${device === '' ? 'all' : 'this device'}</button>`}>
    <${ErrorMessage} text=${error} />
    <p class="quiet" role="status">${isBusy ? 'Processing them again …' : told}</p>
    <form class="actions ends" onSubmit=${filter}>
      <${Field} label="Device" name="device" placeholder="dev_…" maxlength="100" />
      <button>Show</button>
    </form>
    <${List} key=${`${device} ${turn}`} device=${device} />
  <//>`;
}

function List({ device }: { device: string }) {
  const pages = usePages<RejectedMessageEntry>(appendQuery('/v1/rejected', { device_id: device, limit: SHOWN }));
  useEffect(() => {
    if (!pages.isFirst) return;
    const timer = setInterval(pages.youngest, EVERY_MS);
    return () => clearInterval(timer);
  }, [pages.isFirst, pages.shown.again]);
  return html`<${PagedList} of=${pages} empty=${html`<p>Nothing was rejected.</p>`}>
      ${(rows: RejectedMessageEntry[]) => html`<div class="table"><table>
              <thead><tr><th scope="col">When</th><th scope="col">Topic</th><th scope="col">Reason</th><th scope="col">Message</th></tr></thead>
              <tbody>${rows.map(
                (row) => html`<tr key=${row.rejected_id}>
                  <td data-name="When"><${RelativeTime} at=${row.received_at} /></td>
                  <td data-name="Topic"><code>${row.topic}${row.element === null ? '' : ` [${row.element}]`}</code></td>
                  <td data-name="Reason">${row.reason}</td>
                  <td data-name="Message"><details><summary>show</summary><pre tabindex="0">${row.payload ?? `base64 ${row.payload_b64}`}</pre></details></td>
                </tr>`,
              )}</tbody>
            </table></div>`}
  <//>`;
}
