import { useEffect, useRef, useState } from 'preact/hooks';
import type { Tariff } from '#clients/typescript/client.ts';
import type { UsableSeries } from '#src/api/dashboard/shapes.ts';
import { call, Failure } from '../../api.ts';
import { html } from '../../html.ts';
import { useAction } from '../../parts/load.ts';
import { busy, Dialog, Field, Problem } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { formOf, membersOf, NO_CAPACITY, type RatesForm, type TariffForm } from './form.ts';
import { type Mistakes, NumberField } from './number-field.ts';
import { Preview } from './preview.ts';
import { RatesFields } from './rates-fields.ts';
import { firstStart, type Start, StartFrom } from './start-fields.ts';
import { dayName } from './words.ts';

/** Makes a tariff of the picked account, or changes one (`of`). `all`: those that there are. `current`: the one that holds now. */
export function TariffDialog(props: {
  of?: Tariff;
  all: readonly Tariff[];
  current: Tariff | null;
  today: string;
  series: UsableSeries[] | null;
  onDone: (name: string) => void;
  onClose: () => void;
}) {
  const { of: known, all, current, today, series, onDone, onClose } = props;
  const { user } = useSession();
  const valid_from = all.length === 0 ? `${today.slice(0, 7)}-01` : today;
  const begun = ({ terms, name, currency }: Start, valid_from: string) => formOf(terms, { name, currency, valid_from });
  const [first] = useState(() => firstStart(current, user.timezone));
  const [form, setForm] = useState<TariffForm>(() => (known ? formOf(known, known) : begun(first, valid_from)));
  const [note, setNote] = useState(known ? undefined : first.note);
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const { run, isBusy, error } = useAction();
  const top = useRef<HTMLFormElement>(null);
  useEffect(() => top.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [mistakes]);
  const start = (chosen: Start) => {
    setForm((now) => begun(chosen, now.valid_from));
    setNote(chosen.note);
    setMistakes({});
  };
  const set = (changed: Partial<TariffForm>) => setForm((now) => ({ ...now, ...changed }));
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const fields = (event.target as HTMLFormElement).elements;
    run(async () => {
      setMistakes({});
      const saved = known
        ? call('PATCH', `/v1/tariffs/${known.tariff_id}`, membersOf(form, null))
        : call('POST', '/v1/tariffs', { user_id: user.user_id, ...membersOf(form, undefined) });
      const wrong = await saved.then(
        () => null,
        (reason) => mistakesIn(reason, form.valid_from),
      );
      if (wrong === null) return onDone(form.name.trim());
      // What has no field of its own is said as a sentence.
      if (!Object.keys(wrong).every((name) => fields.namedItem(name))) await saved;
      setMistakes(wrong);
    });
  };
  /** Mistakes by field; what is none is thrown on. */
  const mistakesIn = (reason: unknown, day: string): Mistakes => {
    if (!(reason instanceof Failure)) throw reason;
    const taken = all.find((one) => one.valid_from === day && one.tariff_id !== known?.tariff_id);
    if (reason.status === 409 && taken) {
      const words = `“${taken.name}” holds from ${dayName(day)} on already. Choose another day, or change that one.`;
      return { valid_from: words };
    }
    if (reason.status !== 422 || reason.details.length === 0) throw reason;
    return Object.fromEntries(reason.details.map(({ field, message }) => [field, `It ${message}.`]));
  };
  const text = (member: 'name' | 'valid_from' | 'currency', attributes: object) => html`<input
    ...${attributes}
    name=${member}
    value=${form[member]}
    required
    autocomplete="off"
    onInput=${(event: Event) => set({ [member]: (event.target as HTMLInputElement).value })}
  />`;
  const rates = (member: 'import' | 'export', legend: string) =>
    html`<${RatesFields}
      name=${member}
      legend=${legend}
      of=${form[member]}
      currency=${form.currency.trim().toUpperCase()}
      series=${series}
      mistakes=${mistakes}
      onChange=${(changed: RatesForm) => set({ [member]: changed })}
    />`;
  return html`<${Dialog} title=${known ? `Edit: ${known.name}` : 'New tariff'} onClose=${onClose}>
    <form onSubmit=${save} ref=${top}>
      ${!known && html`<${StartFrom} current=${current} zone=${user.timezone} onStart=${start} />`}
      ${note && html`<p class="note">${note}</p>`}
      ${fields()}
    </form>
  <//>`;

  function fields() {
    const { capacity } = form;
    const setCapacity = (changed: Partial<typeof NO_CAPACITY>) =>
      set({ capacity: { ...(capacity ?? NO_CAPACITY), ...changed } });
    const unit = form.currency.trim().toUpperCase() || 'money';
    return html`
      <${Field} label="Name" mistake=${mistakes.name}>
        ${(attributes: object) => text('name', { ...attributes, maxlength: 200 })}
      <//>
      <div class="columns">
        <${Field} label="Holds from" mistake=${mistakes.valid_from} hint="The first day with these prices, also long ago.">
          ${(attributes: object) => text('valid_from', { ...attributes, type: 'date' })}
        <//>
        <${Field} label="Currency" mistake=${mistakes.currency} hint="Such as EUR, GBP or SEK.">
          ${(attributes: object) => text('currency', { ...attributes, maxlength: 3, size: 6, autocapitalize: 'characters' })}
        <//>
      </div>
      ${rates('import', 'From the grid')}
      <${NumberField}
        label=${`Standing charge, ${unit} a day`}
        name="standing_per_day"
        value=${form.standing_per_day}
        hint="Of a month divide it by 30.4, of a year by 365. Empty: none."
        mistakes=${mistakes}
        onInput=${(standing_per_day: string) => set({ standing_per_day })}
      />
      ${rates('export', 'Into the grid (feed-in)')}
      <fieldset>
        <legend>Highest load</legend>
        <label class="check"><input type="checkbox" name="capacity" checked=${capacity !== null}
          onChange=${() => set({ capacity: capacity ? null : NO_CAPACITY })} /> <span>The highest quarter-hour of a month costs, too (capacity tariff)</span></label>
        ${
          capacity &&
          html`<div class="need">
            <${NumberField} label=${`Price, ${unit} a kW and month`} name="capacity.per_kw_month" value=${capacity.per_kw_month} isRequired
              mistakes=${mistakes} onInput=${(per_kw_month: string) => setCapacity({ per_kw_month })} />
            <div class="columns">
              <${NumberField} label="Mean of how many months" name="capacity.months_averaged" value=${capacity.months_averaged} hint="1 to 12. Empty: 1."
                mistakes=${mistakes} onInput=${(months_averaged: string) => setCapacity({ months_averaged })} />
              <${NumberField} label="At least, kW" name="capacity.minimum_kw" value=${capacity.minimum_kw} hint="Empty: 0."
                mistakes=${mistakes} onInput=${(minimum_kw: string) => setCapacity({ minimum_kw })} />
            </div>
          </div>`
        }
      </fieldset>
      <${Preview} userId=${user.user_id} form=${form} />
      <${Problem} text=${error} />
      <p class="actions">
        <button class="main" ...${busy(isBusy)}>${known ? 'Save' : 'Add tariff'}</button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </p>`;
  }
}
