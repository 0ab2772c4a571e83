import { useState } from 'preact/hooks';
import type { Tariff } from '#clients/typescript/client.ts';
import type { Cost, SelectablePriceSeries, TariffComparison } from '#src/api/dashboard/shapes.ts';
import { callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { formatCostNotes, formatDay, formatMoneyAmount } from '../../parts/format.ts';
import { getErrorsByPath, useFormAction } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Dialog, ErrorMessage, getBusyAttributes, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { createTariffRequest, getTariffFormValues, type TariffFormValues } from './form.ts';
import { getDefaultTariffTerms, type InitialTariffTerms, InitialTermsSelect } from './start-fields.ts';
import { TariffFields } from './tariff-fields.ts';

/** Prefix of the compared tariff's fields in validation errors. */
const PATH = 'tariffs.0.';

/**
 * Dialog that computes the costs of the `days` with another tariff, which the user enters. Stores nothing. `current`: the current tariff.
 */
export function CompareTariffDialog(props: {
  current: Tariff | null;
  days: { start: string; end: string };
  series: SelectablePriceSeries[] | null;
  onClose: () => void;
}) {
  const { current, days, series, onClose } = props;
  const { user } = useSession();
  const { common, tariffs } = words();
  const w = tariffs.whatIf.compare;
  const begun = ({ terms, name, currency }: InitialTariffTerms) =>
    getTariffFormValues(terms, { name, currency: current?.currency ?? currency, valid_from: days.start });
  const [form, setForm] = useState<TariffFormValues>(() => begun(getDefaultTariffTerms(current, user.timezone)));
  const [note, setNote] = useState<string | undefined>();
  const [answer, setAnswer] = useState<TariffComparison | null>(null);
  const action = useFormAction((reason) => getErrorsByPath(reason, tariffs.form.wrong, PATH));
  // Any change of the form discards the result.
  const change = (next: (now: TariffFormValues) => TariffFormValues) => {
    setAnswer(null);
    setForm(next);
  };
  const start = (chosen: InitialTariffTerms) => {
    change(() => begun(chosen));
    setNote(chosen.note);
    action.clear();
  };
  const compare = (event: SubmitEvent) => {
    event.preventDefault();
    const { valid_from: _, ...tariff } = createTariffRequest(form, undefined);
    const body = { user_id: user.user_id, ...days, tariffs: [tariff] };
    action.send(async () => setAnswer(await callApi<TariffComparison>('POST', '/v1/tariffs/compare', body)));
  };
  return html`<${Dialog} title=${w.question} onClose=${onClose}>
    <form onSubmit=${compare} ref=${action.form}>
      <${InitialTermsSelect} current=${current} zone=${user.timezone} onStart=${start} />
      ${note && html`<p class="note">${note}</p>`}
      <${TariffFields} of=${form} series=${series} mistakes=${action.mistakes} isOffer onChange=${(changed: Partial<TariffFormValues>) => change((now) => ({ ...now, ...changed }))} />
      <${ErrorMessage} text=${action.error} />
      <section class="preview" aria-label=${w.label}>
        <p class="note" role="status">${answer ? renderInlineMarkup(wordsOf(answer)) : renderInlineMarkup(w.fillIn)}</p>
        ${answer && html`<${Parts} of=${answer} />`}
      </section>
      <p class="actions">
        <button class="main" ...${getBusyAttributes(action.isBusy)}>${w.do}</button>
        <button type="button" onClick=${onClose}>${common.close}</button>
      </p>
    </form>
  <//>`;
}

function wordsOf({ start, end, currency, alternatives }: TariffComparison): string {
  const w = words().tariffs.whatIf.compare;
  const { name, cost, difference } = alternatives[0] as TariffComparison['alternatives'][number];
  const totals = { name, total: formatMoneyAmount(cost.total, currency), start: formatDay(start), end: formatDay(end) };
  if (difference === null) return w.alone(totals);
  const amount = formatMoneyAmount(difference.replace('-', ''), currency);
  if (Number(difference) === 0) return w.same(totals);
  return Number(difference) < 0 ? w.cheaper({ ...totals, amount }) : w.dearer({ ...totals, amount });
}

/** Table that compares the costs with both tariffs, part by part. */
function Parts({ of: { currency, current, alternatives } }: { of: TariffComparison }) {
  const { tariffs } = words();
  const w = tariffs.whatIf.compare;
  const other = alternatives[0]?.cost ?? null;
  const rows: [name: string, part: 'import' | 'standing' | 'capacity' | 'export' | 'total'][] = [
    [w.energy, 'import'],
    [tariffs.standing, 'standing'],
    [tariffs.highestLoad, 'capacity'],
    [w.fedIn, 'export'],
    [w.total, 'total'],
  ];
  const amountOf = (cost: Cost, part: (typeof rows)[number][1]) => {
    const amount = cost?.[part];
    if (amount === undefined) return '–';
    return part === 'export' && Number(amount) !== 0
      ? `−${formatMoneyAmount(amount, currency)}`
      : formatMoneyAmount(amount, currency);
  };
  const shown = rows.filter(
    ([, part]) => part === 'total' || [current, other].some((cost) => Number(cost?.[part] ?? 0)),
  );
  const caveats = [...new Set([current, other].flatMap((cost) => (cost ? formatCostNotes(cost) : [])))];
  return html`${renderTable(
    shown,
    [
      [w.part, ([name]) => name],
      [w.yours, ([, part]) => amountOf(current, part)],
      [w.other, ([, part]) => amountOf(other, part)],
    ],
    { key: ([, part]) => part },
  )}
    ${caveats.length > 0 && html`<p class="quiet small">${caveats.join(', ')}</p>`}`;
}
