import { useEffect, useState } from 'preact/hooks';
import type { TariffPreview } from '#src/api/dashboard/shapes.ts';
import { call } from '../../api.ts';
import { html } from '../../html.ts';
import { caveatsOf, money } from '../../parts/money.ts';
import { rich } from '../../parts/rich.ts';
import { dateFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';
import { isBlank, membersOf, type TariffForm } from './form.ts';

/** It is asked for when typing has paused for this long. */
const PAUSE_MS = 400;

/** What the last whole month would have cost by what is typed, as soon as that is a tariff. */
export function Preview({ userId, form }: { userId: string; form: TariffForm }) {
  const [preview, setPreview] = useState<TariffPreview | null>(null);
  const members = { ...membersOf(form, undefined), user_id: userId };
  const body = isBlank(form.import) ? '' : JSON.stringify(members);
  useEffect(() => {
    let isTooLate = false;
    const ask = async () => {
      // What is wrong with it is told when it is saved.
      const found = await call<TariffPreview>('POST', '/v1/tariff-preview', JSON.parse(body)).catch(() => null);
      if (!isTooLate) setPreview(found);
    };
    const timer = body === '' ? undefined : setTimeout(ask, PAUSE_MS);
    return () => {
      isTooLate = true;
      clearTimeout(timer);
    };
  }, [body]);
  return html`<p class="note" role="status">${body === '' || !preview?.cost ? words().tariffs.preview.fillIn : wordsOf(preview.start, preview.cost)}</p>`;
}

function wordsOf(start: string, cost: NonNullable<TariffPreview['cost']>) {
  const w = words().tariffs.preview;
  const { currency } = cost;
  const month = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' }).format(Date.parse(start));
  const part = (amount: string | undefined, name: (values: { amount: string }) => string) =>
    Number(amount ?? 0) === 0 ? [] : [name({ amount: money(amount ?? '0', currency) })];
  const parts = [
    w.energy({ amount: money(cost.import, currency) }),
    ...part(cost.standing, w.standing),
    ...part(cost.capacity, w.capacity),
    ...part(cost.export, w.export),
    ...caveatsOf(cost),
  ];
  return rich(w.total({ month, total: money(cost.total, currency), parts: parts.join(', ') }));
}
