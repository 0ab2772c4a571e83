import { useEffect, useState } from 'preact/hooks';
import type { Device } from '#clients/typescript/client.ts';
import { appendQuery, callApi, formatErrorSentence, isTemporaryFailure } from '../../api.ts';
import { html } from '../../html.ts';
import { BarChart } from '../../parts/chart.ts';
import { formatTime } from '../../parts/format.ts';
import { type LoadedData, RETRY_MS, useAllPages } from '../../parts/load.ts';
import { ErrorMessage, renderInlineMarkup } from '../../parts/ui.ts';
import { useSession } from '../../session.ts';
import { words } from '../../words/words.ts';
import { getDeviceTypeName } from '../devices/device.ts';
import {
  type AlertType,
  describeRule,
  getThresholdFields,
  type HypotheticalAlertFiring,
  isCostAlertType,
} from './alert.ts';
import { ALERT_HISTORY_DAYS, type AlertHistory, countFiringDays, createHistoryBars, getSilenceHours } from './past.ts';

/** Maximum number of silences that the service returns in one response. */
const MOST = 1_000;

/** Preview of the last 90 days: a sentence on how often an alert would have fired, and a chart or a list of silences. */
export function AlertPreview(props: { type: AlertType; threshold: number | null; past: LoadedData<AlertHistory> }) {
  const { type, threshold, past } = props;
  const { user } = useSession();
  const w = words().alerts.preview;
  const { preview, error } = usePreview(user.user_id, type, threshold);
  // Ignores past values of another type of alert.
  const known = past.value?.type === type ? past.value : null;
  const isEmpty = known !== null && type !== 'no_data' && known.steps.every(({ value }) => value === null);
  return html`<section class="preview" aria-label=${w.label}>
    <p role="status">${preview ? renderInlineMarkup(wordsOf(preview, user.timezone)) : w.typeOne}</p>
    <${ErrorMessage} text=${error ?? past.error} />
    ${isEmpty && html`<p class="quiet">${isCostAlertType(type) ? w.noCost({ days: ALERT_HISTORY_DAYS }) : w.noUsage({ days: ALERT_HISTORY_DAYS })}</p>`}
    ${
      known &&
      !isEmpty &&
      type !== 'no_data' &&
      html`<${BarChart}
        title=${w.titles[type]}
        bars=${createHistoryBars(known, preview?.fired ?? [], user.timezone)}
        threshold=${preview?.threshold}
        currency=${known.currency ?? undefined}
        mark=${w.mark}
      />`
    }
    ${type === 'no_data' && preview && preview.fired.length > 0 && html`<${Silences} of=${preview.fired} />`}
  </section>`;
}

/** Returns the preview as a sentence: "More than 20 kWh in a day: would have fired 4 times in the last 90 days." */
function wordsOf({ type, threshold, fired }: Preview, zone: string): string {
  const w = words().alerts.preview;
  const rule = describeRule(type, threshold);
  const times = fired.length;
  if (times === 0) return w.never({ rule, days: ALERT_HISTORY_DAYS });
  const days = type === 'peak_usage' && times > 1 ? countFiringDays(fired, zone) : 0;
  if (days === 0) return (times >= MOST ? w.firedAtLeast : w.fired)({ rule, times, days: ALERT_HISTORY_DAYS });
  return (times >= MOST ? w.firedAtLeastOn : w.firedOn)({ rule, times, days: ALERT_HISTORY_DAYS, on: days });
}

/** Time without typing, in ms, after which the preview is requested. */
const PAUSE_MS = 300;

interface Preview {
  type: AlertType;
  threshold: number;
  fired: HypotheticalAlertFiring[];
}

/** Evaluates an alert for the last 90 days, each time the user pauses typing. Returns the previous result until the next one arrives. */
function usePreview(
  userId: string,
  type: AlertType,
  threshold: number | null,
): { preview: Preview | null; error: string | null } {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    let isTooLate = false;
    const ask = async (threshold: number) => {
      const body = { user_id: userId, type, ...getThresholdFields(type, threshold) };
      try {
        const { data } = await callApi<{ data: HypotheticalAlertFiring[] }>('POST', '/v1/alerts/preview', body);
        if (isTooLate) return;
        setPreview({ type, threshold, fired: data });
        setError(null);
      } catch (reason) {
        if (isTooLate) return;
        setError(formatErrorSentence(reason));
        if (isTemporaryFailure(reason)) timer = setTimeout(ask, RETRY_MS, threshold);
      }
    };
    let timer = threshold === null ? undefined : setTimeout(ask, PAUSE_MS, threshold);
    return () => {
      isTooLate = true;
      clearTimeout(timer);
    };
  }, [userId, type, threshold]);
  return { preview: threshold !== null && preview?.type === type ? preview : null, error };
}

function Silences({ of }: { of: HypotheticalAlertFiring[] }) {
  const { user } = useSession();
  const { common, alerts } = words();
  const w = alerts.silences;
  const nameOf = useDeviceNames(user.user_id);
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${w.list}>
    <table>
      <thead><tr><th scope="col">${common.device}</th><th scope="col">${alerts.firings.silentSince}</th><th scope="col">${w.for}</th></tr></thead>
      <tbody>
        ${of.toReversed().map(
          (one) => html`<tr>
            <th scope="row">${nameOf(one.device_id ?? '')}</th>
            <td>${formatTime(one.period_start, user.timezone)}</td>
            <td>${one.period_end === null ? w.still({ length: lengthOf(getSilenceHours(one)) }) : lengthOf(getSilenceHours(one))}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function lengthOf(hours: number): string {
  const w = words().alerts.silences;
  return hours < 48 ? w.hours({ hours: Math.floor(hours) }) : w.days({ days: Math.floor(hours / 24) });
}

/** Returns a function that returns the display name of a device: its location or, if it is unknown, its id. */
export function useDeviceNames(userId: string): (deviceId: string) => string {
  const devices = useAllPages<Device>(appendQuery('/v1/devices', { user_id: userId }));
  return (deviceId) => {
    const known = devices.value?.find(({ device_id }) => device_id === deviceId);
    return known ? `${known.location} (${getDeviceTypeName(known.type)})` : deviceId;
  };
}
