import type { Forecast as Answer } from '#src/api/dashboard/shapes.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { createMoneyFormatter, formatPercent } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { renderTable } from '../../parts/table.ts';
import { Card, renderInlineMarkup } from '../../parts/ui.ts';
import { count, dateFormat, numberFormat } from '../../words/locale.ts';
import { words } from '../../words/words.ts';

type Shown = NonNullable<Answer['forecast']>;

/** Formats a forecast in whole kWh, below 10 kWh with one decimal. */
const kwh = (value: number): string =>
  `${numberFormat({ maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)} kWh`;

/**
 * Forecast of an account's usage in this month, with its range and the errors of earlier forecasts. Renders nothing if there is too little
 * data. A change of `hour` reloads the forecast.
 */
export function ForecastCard({ userId, hour }: { userId: string; hour: string }) {
  const ask = () => callApi<Answer>('GET', appendQuery('/v1/forecast', { user_id: userId }));
  const answer = useLoad(ask, [userId, hour]).value;
  if (!answer?.forecast) return null;
  const { expected_kwh, low_kwh, high_kwh, range_percent, so_far_kwh, days_over, cost, past, mean_error } =
    answer.forecast;
  const { forecast: w } = words().home.plainWords;
  return html`<${Card} title=${w.title}>
    <p>${renderInlineMarkup(w.expected({ energy: kwh(expected_kwh) }))} ${w.range({ low: kwh(low_kwh), high: kwh(high_kwh), percent: count(range_percent) })}</p>
    ${cost && html`<p>${renderInlineMarkup(costOf(cost))}</p>`}
    <p class="quiet">${w.soFar({ energy: kwh(so_far_kwh), days: days_over })} ${mean_error === null ? w.noPast : w.wasOff({ share: formatPercent(mean_error), months: past.length })}</p>
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
  ${renderTable(past, [
    [words().period.units.month, ({ month }) => monthName(month)],
    [w.said, ({ forecast_kwh }) => kwh(forecast_kwh)],
    [w.cameTo, ({ actual_kwh }) => kwh(actual_kwh)],
    [w.off, ({ forecast_kwh, actual_kwh }) => offBy(forecast_kwh, actual_kwh)],
    [w.lastYear, ({ last_year_kwh, actual_kwh }) => offBy(last_year_kwh, actual_kwh)],
  ])}
</details>`;
}

/** Formats the difference between an earlier forecast and the actual usage; a dash if unknown. */
const offBy = (figure: number | null, actual: number): string =>
  figure !== null && actual > 0 ? formatPercent(Math.abs(figure - actual) / actual) : '–';

const monthName = (month: string): string =>
  dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(`${month}-01`));
