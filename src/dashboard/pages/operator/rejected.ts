import { useEffect, useState } from 'preact/hooks';
import type { RejectedMessageEntry, ReplayCounts } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { PagedList } from '../../parts/list.ts';
import { readSubmittedForm, useAction, usePages } from '../../parts/load.ts';
import { type Columns, renderTable } from '../../parts/table.ts';
import { Card, ErrorMessage, Field, getBusyAttributes, RelativeTime } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

const SHOWN = 25;
/** Interval at which the newest rejected messages are loaded again, in ms. */
const EVERY_MS = 10_000;

/** List of rejected messages and the reasons, with a button that processes the messages again. */
export function RejectedMessages() {
  const [device, setDevice] = useState('');
  const [turn, setTurn] = useState(0);
  const [told, setTold] = useState('');
  const { run, isBusy, error } = useAction();
  const { common, operator } = words();
  const w = operator.rejected;
  const replay = () =>
    run(async () => {
      setTold('');
      const done = await callApi<ReplayCounts>(
        'POST',
        '/v1/rejected/replay',
        device === '' ? {} : { device_id: device },
      );
      const cut = done.cut > 0 ? ` ${w.truncated({ messages: done.cut })}` : '';
      setTold(w.replayed(done) + cut + (done.complete ? '' : ` ${w.timeUp}`));
      setTurn(turn + 1);
    });
  const filter = (event: SubmitEvent) => {
    setDevice(String(readSubmittedForm(event).get('device')).trim());
  };
  return html`<${Card} title=${w.title} actions=${html`<button type="button" onClick=${replay} ...${getBusyAttributes(isBusy)}>${device === '' ? w.replayAll : w.replayDevice}</button>`}>
    <${ErrorMessage} text=${error} />
    <p class="quiet" role="status">${isBusy ? w.replaying : told}</p>
    <form class="actions ends" onSubmit=${filter}>
      <${Field} label=${common.device} name="device" placeholder="dev_…" maxlength="100" />
      <button>${common.show}</button>
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
  const { common, messages, operator } = words();
  const columns: Columns<RejectedMessageEntry> = [
    [common.when, (row) => html`<${RelativeTime} at=${row.received_at} />`],
    [messages.topic, (row) => html`<code>${row.topic}${row.element === null ? '' : ` [${row.element}]`}</code>`],
    [operator.rejected.reason, (row) => html`<span lang="en">${row.reason}</span>`],
    [
      messages.payload,
      (row) =>
        html`<details><summary>${common.show}</summary><pre tabindex="0">${row.payload ?? `base64 ${row.payload_b64}`}</pre></details>`,
    ],
  ];
  return html`<${PagedList} of=${pages} empty=${html`<p>${operator.rejected.empty}</p>`}>
    ${(rows: RejectedMessageEntry[]) => renderTable(rows, columns, { key: (row) => String(row.rejected_id) })}
  <//>`;
}
