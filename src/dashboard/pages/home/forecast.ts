import type { Forecast as Answer } from '#src/api/dashboard/shapes.ts';
import { callApi, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { createMoneyFormatter, percent } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { Card, renderMarks } from '../../parts/ui.ts';
import { count, dateFormat, numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

type Shown = NonNullable<Answer['forecast']>;

/** Formats a forecast with two significant digits, because more would suggest a precision that it does not have. */
const kwh = (value: number): string =>
  `${numberFormat({ maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)} kWh`;

/**
 * Forecast of an account's month, with its range and the accuracy of earlier forecasts. Renders nothing without enough
 * data. `hour`: the data are reloaded when it changes.
 */
export function Forecast({ userId, hour }: { userId: string; hour: string }) {
  const ask = () => callApi<Answer>('GET', withQuery('/v1/forecast', { user_id: userId }));
  const answer = useLoad(ask, [userId, hour]).value;
  if (!answer?.forecast) return null;
  const { expected_kwh, low_kwh, high_kwh, range_percent, so_far_kwh, days_over, cost, past, mean_error } =
    answer.forecast;
  const { forecast: w } = words().home.plainWords;
  return html`<${Card} title=${w.title}>
    <p>${renderMarks(w.expected({ energy: kwh(expected_kwh) }))} ${w.range({ low: kwh(low_kwh), high: kwh(high_kwh), percent: count(range_percent) })}</p>
    ${cost && html`<p>${renderMarks(costOf(cost))}</p>`}
    <p class="quiet">${w.soFar({ energy: kwh(so_far_kwh), days: days_over })} ${mean_error === null ? w.noPast : w.wasOff({ share: percent(mean_error), months: past.length })}</p>
    ${past.length > 0 && html`<${Past} past=${past} />`}
  <//>`;
}

function costOf({ currency, expected, low, high }: NonNullable<Shown['cost']>): string {
  const money = createMoneyFormatter(currency);
  return words().home.plainWords.forecast.cost({ cost: money(expected), low: money(low), high: money(high) });
}

function Past({ past }: Pick<Shown, 'past'>) {
  const { forecast: w } = words().home.plainWords;
  return html`<details class="evidence">
  <summary>${w.evidence}</summary>
  <div class="table"><table>
    <thead><tr><th scope="col">${w.month}</th><th scope="col">${w.said}</th><th scope="col">${w.cameTo}</th><th scope="col">${w.off}</th><th scope="col">${w.lastYear}</th></tr></thead>
    <tbody>
      ${past.map(
        ({ month, forecast_kwh, actual_kwh, last_year_kwh }) =>
          html`<tr><th scope="row" data-name=${w.month}>${monthName(month)}</th><td data-name=${w.said}>${kwh(forecast_kwh)}</td><td data-name=${w.cameTo}>${kwh(actual_kwh)}</td><td data-name=${w.off}>${offBy(forecast_kwh, actual_kwh)}</td><td data-name=${w.lastYear}>${offBy(last_year_kwh, actual_kwh)}</td></tr>`,
      )}
    </tbody>
  </table></div>
</details>`;
}

/** Returns the deviation of a forecast from the actual month; a dash if either is unknown. */
const offBy = (figure: number | null, actual: number): string =>
  figure !== null && actual > 0 ? percent(Math.abs(figure - actual) / actual) : '–';

const monthName = (month: string): string =>
  dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01`));
