import { useEffect, useRef, useState } from 'preact/hooks';
import type { Tariff } from '#clients/typescript/client.ts';
import type { SelectablePriceSeries, TariffComparison } from '#src/api/dashboard/shapes.ts';
import { ApiFailure, callApi, isTemporaryFailure } from '../../api.ts';
import { html } from '../../html.ts';
import { formatCostNotes, formatDay, formatMoneyAmount } from '../../parts/format.ts';
import { type ErrorsByPath, getErrorsByPath, RETRY_MS, useFormAction } from '../../parts/load.ts';
import { getPreviousMonth } from '../../parts/period.ts';
import { Dialog, FormButtons, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { dateFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { areRatesEmpty, createTariffRequest, getTariffFormValues, type TariffFormValues } from './form.ts';
import { getDefaultTariffTerms, type InitialTariffTerms, InitialTermsSelect } from './start-fields.ts';
import { TariffFields } from './tariff-fields.ts';

/**
 * Dialog that creates a tariff for the selected account, or edits the tariff `of`. `all`: the account's tariffs. `current`: the tariff that
 * applies now.
 */
export function TariffDialog(props: {
  of?: Tariff;
  all: readonly Tariff[];
  current: Tariff | null;
  today: string;
  series: SelectablePriceSeries[] | null;
  onDone: (name: string) => void;
  onClose: () => void;
}) {
  const { of: known, all, current, today, series, onDone, onClose } = props;
  const { user } = useSession();
  const { common, tariffs } = words();
  const w = tariffs.form;
  const valid_from = all.length === 0 ? `${today.slice(0, 7)}-01` : today;
  const begun = ({ terms, name, currency }: InitialTariffTerms, valid_from: string) =>
    getTariffFormValues(terms, { name, currency, valid_from });
  const [first] = useState(() => getDefaultTariffTerms(current, user.timezone));
  const [form, setForm] = useState<TariffFormValues>(() =>
    known ? getTariffFormValues(known, known) : begun(first, valid_from),
  );
  const [note, setNote] = useState(known ? undefined : first.note);
  const errorsOf = (reason: unknown): ErrorsByPath => {
    const taken = all.find((one) => one.valid_from === form.valid_from && one.tariff_id !== known?.tariff_id);
    if (reason instanceof ApiFailure && reason.status === 409 && taken)
      return { valid_from: w.taken({ name: taken.name, day: formatDay(taken.valid_from) }) };
    return getErrorsByPath(reason, w.wrong);
  };
  const action = useFormAction(errorsOf);
  const start = (chosen: InitialTariffTerms) => {
    setForm((now) => begun(chosen, now.valid_from));
    setNote(chosen.note);
    action.clear();
  };
  const set = (changed: Partial<TariffFormValues>) => setForm((now) => ({ ...now, ...changed }));
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    action.send(async () => {
      if (known) await callApi('PATCH', `/v1/tariffs/${known.tariff_id}`, createTariffRequest(form, null));
      else await callApi('POST', '/v1/tariffs', { user_id: user.user_id, ...createTariffRequest(form, undefined) });
      onDone(form.name.trim());
    });
  };
  return html`<${Dialog} title=${known ? tariffs.editOf({ name: known.name }) : tariffs.new} onClose=${onClose}>
    <form onSubmit=${save} ref=${action.form}>
      ${!known && html`<${InitialTermsSelect} current=${current} zone=${user.timezone} onStart=${start} />`}
      ${note && html`<p class="note">${note}</p>`}
      <${TariffFields} of=${form} series=${series} mistakes=${action.mistakes} onChange=${set} />
      <${Preview} userId=${user.user_id} today=${today} form=${form} />
      <${FormButtons} label=${known ? common.save : w.add} error=${action.error} isBusy=${action.isBusy} onCancel=${onClose} />
    </form>
  <//>`;
}

/** Time without typing, in ms, after which the preview is requested. */
const PAUSE_MS = 400;

/** Preview of last month's costs with the tariff in the form. */
function Preview({ userId, today, form }: { userId: string; today: string; form: TariffFormValues }) {
  const [preview, setPreview] = useState<TariffComparison | null>(null);
  const { valid_from: _, ...tariff } = createTariffRequest(form, undefined);
  const body = areRatesEmpty(form.import)
    ? ''
    : JSON.stringify({ user_id: userId, ...getPreviousMonth(today), tariffs: [tariff] });
  const underWay = useRef<Promise<unknown>>(Promise.resolve());
  useEffect(() => {
    let isTooLate = false;
    const ask = async () => {
      // Waits for the previous comparison, because an account can run only one at a time.
      await underWay.current;
      if (isTooLate) return;
      // Validation errors are shown only when the user saves the tariff.
      const asked = callApi<TariffComparison>('POST', '/v1/tariffs/compare', JSON.parse(body)).catch((reason) => {
        if (!isTooLate && isTemporaryFailure(reason)) timer = setTimeout(ask, RETRY_MS);
        return null;
      });
      underWay.current = asked;
      const found = await asked;
      if (!isTooLate) setPreview(found);
    };
    let timer = body === '' ? undefined : setTimeout(ask, PAUSE_MS);
    return () => {
      isTooLate = true;
      clearTimeout(timer);
    };
  }, [body]);
  return html`<p class="note" role="status">${body === '' || !preview ? words().tariffs.preview.fillIn : wordsOf(preview)}</p>`;
}

function wordsOf({ start, currency, alternatives }: TariffComparison) {
  const w = words().tariffs.preview;
  const { cost } = alternatives[0] as TariffComparison['alternatives'][number];
  const month = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(start));
  const part = (amount: string | undefined, name: (values: { amount: string }) => string) =>
    Number(amount ?? 0) === 0 ? [] : [name({ amount: formatMoneyAmount(amount ?? '0', currency) })];
  const parts = [
    w.energy({ amount: formatMoneyAmount(cost.import, currency) }),
    ...part(cost.standing, w.standing),
    ...part(cost.capacity, w.capacity),
    ...part(cost.export, w.export),
    ...formatCostNotes(cost),
  ];
  return renderInlineMarkup(
    w.total({ month, total: formatMoneyAmount(cost.total, currency), parts: parts.join(', ') }),
  );
}
