import type { SuspectedMeterSwap } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { formatTime } from '../../parts/format.ts';
import { useAction, useLoad } from '../../parts/load.ts';
import { Card, ErrorMessage, getBusyAttributes, renderInlineMarkup } from '../../parts/ui.ts';
import { numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

/**
 * If a meter's register decreased or jumped, asks whether the meter was replaced. Renders nothing otherwise. `deviceId`: ask about this
 * device only. A change of `newestAt`, the time of the newest reading, repeats the check. `onAnswered` is called after an answer.
 */
export function MeterSwapQuestions(props: {
  userId: string;
  deviceId: string | undefined;
  zone: string;
  newestAt: string | null;
  onAnswered: () => void;
}) {
  const { userId, deviceId, zone, newestAt, onAnswered } = props;
  const { home } = words();
  const w = home.swaps;
  const minute = newestAt?.slice(0, 16);
  const swaps = useLoad(
    () => callApi<SuspectedMeterSwap[]>('GET', appendQuery('/v1/swaps', { user_id: userId })),
    [userId, minute],
  );
  const { run, isBusy, error } = useAction();
  const asked = swaps.value?.filter(({ device_id }) => deviceId === undefined || device_id === deviceId) ?? [];
  const answer = ({ device_id, native_name, at }: SuspectedMeterSwap, is_replaced: boolean) =>
    run(async () => {
      await callApi('POST', `/v1/devices/${device_id}/swaps`, { at, native_name, is_replaced, reason: w.reason });
      swaps.again();
      onAnswered();
    });
  if (asked.length === 0) return null;
  return html`<${Card} title=${w.title}>
    <${ErrorMessage} text=${error} />
    ${asked.map((one) => {
      const { location, at, before, after } = one;
      const say = after < before ? w.fell : w.leapt;
      return html`<div key=${`${one.device_id} ${one.native_name} ${at}`}>
        <p>${renderInlineMarkup(say({ location, before: register(one, before), after: register(one, after), at: formatTime(at, zone) }))}</p>
        <p class="actions">
          <button type="button" ...${getBusyAttributes(isBusy)} onClick=${() => answer(one, true)}>${w.yes}</button>
          <button type="button" ...${getBusyAttributes(isBusy)} onClick=${() => answer(one, false)}>${w.no}</button>
        </p>
      </div>`;
    })}
  <//>`;
}

const register = ({ is_volume }: SuspectedMeterSwap, value: number): string =>
  `${numberFormat({ maximumFractionDigits: 3 }).format(value)} ${is_volume ? 'm³' : 'kWh'}`;
