import type { Period, PeriodCosts } from '#src/api/dashboard/shapes.ts';
import { html } from '../../html.ts';
import {
  formatApproximateMoney,
  formatKwh,
  formatMoneyAmount,
  formatPercent,
  formatWatts,
} from '../../parts/format.ts';
import { formatPeriodForUrl } from '../../parts/period.ts';
import { renderTable } from '../../parts/table.ts';
import { Card, renderInlineMarkup } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { getDeviceTypeName } from '../devices/device.ts';
import { useDevicePowers } from './now.ts';

type Device = Period['devices'][number];
type Follow = (page: string) => object;

/**
 * Card with the usage of each device, the usage that no device measures, and the load at night. `follow` returns the attributes of a link
 * to a page.
 */
export function ConsumersCard({ of: shown, costs, follow }: { of: Period; costs: PeriodCosts | null; follow: Follow }) {
  const { period: w } = words();
  const { devices, profile } = shown;
  const consumers = devices.filter(
    ({ placement, import_kwh, is_gone }) => placement === 'consumption' && !(is_gone && !import_kwh),
  );
  const others = devices.filter(
    ({ placement, is_gone }) => placement !== 'consumption' && placement !== 'excluded' && !is_gone,
  );
  if (consumers.length === 0 && others.length === 0) return null;
  return html`<${Card} title=${w.whatUses}>
    ${
      consumers.length === 0
        ? html`<p class="quiet">${renderInlineMarkup(w.noConsumers, (name) => html`<a ...${follow('devices')}>${name}</a>`)}</p>`
        : html`<${ConsumerTable} of=${shown} consumers=${consumers} costs=${costs} follow=${follow} />
          <${Night} of=${shown} costs=${costs} />
          <p class="quiet small">${w.profileOf({ days: profile.days })}</p>`
    }
    ${others.length > 0 && html`<${OtherDevices} of=${others} period=${shown} follow=${follow} />`}
  <//>`;
}

function ConsumerTable(props: { of: Period; consumers: readonly Device[]; costs: PeriodCosts | null; follow: Follow }) {
  const { of: shown, consumers, costs, follow } = props;
  const { common, period: w } = words();
  const total = shown.used.kwh_used;
  const hasCost = costs?.devices.some(({ cost }) => cost !== null) ?? false;
  const powers = useDevicePowers();
  const hasPower = consumers.some(({ device_id }) => powers.has(device_id));
  const yearly = (base: number) =>
    costs?.kilowatt_year &&
    base >= MIN_NIGHT_WATTS &&
    html` <span class="quiet">${w.baseCost({ money: formatYearlyCost(base, costs.kilowatt_year) })}</span>`;
  const row = (one: Row) => html`<tr key=${one.key}>
    <th scope="row"><span>${one.page === null ? one.name : html`<a ...${follow(one.page)}>${one.name}</a>`}${one.about && html` <span class="quiet">${one.about}</span>`}</span></th>
    <td>${one.used === null ? '–' : formatKwh(one.used)}</td>
    <td>${one.used !== null && total ? html`<${Share} of=${one.used / total} />` : '–'}</td>
    ${hasCost && html`<td>${one.cost ?? '–'}</td>`}
    ${hasPower && html`<td class="live" data-name=${w.now}>${formatKnownWatts(powers.get(one.key) ?? null)}</td>`}
    <td data-name=${w.base}>${one.base === null ? '–' : html`${formatWatts(one.base)}${yearly(one.base)}`}</td>
    <td data-name=${w.night}>${formatKnownWatts(one.night)}</td>
  </tr>`;
  return html`<div class="table consumers"><table>
    <thead><tr>
      <th scope="col">${common.device}</th><th scope="col">${w.used}</th><th scope="col">${w.share}</th>
      ${hasCost && html`<th scope="col">${words().common.chart.cost}</th>`}
      ${hasPower && html`<th scope="col">${w.now}</th>`}
      <th scope="col">${w.base}</th><th scope="col" title=${w.nightHours}>${w.night}</th>
    </tr></thead>
    <tbody>${rowsOf(shown, consumers, costs).map(row)}</tbody>
  </table></div>`;
}

const formatKnownWatts = (watts: number | null): string => (watts === null ? '–' : formatWatts(watts));

/** Returns a table row for each consumer of a home, and a last row for the usage that no device measures, if known. */
function rowsOf(shown: Period, consumers: readonly Device[], costs: PeriodCosts | null): Row[] {
  const { home, period: w } = words();
  const costOf = new Map(costs?.devices.map(({ device_id, cost }) => [device_id, cost]));
  const rows = consumers.map((device): Row => {
    const behind = shown.devices.find(({ device_id }) => device_id === device.upstream_device_id)?.location;
    const cost = costOf.get(device.device_id);
    return {
      key: device.device_id,
      name: device.location,
      page: device.is_gone ? null : pageOf(device.device_id, shown),
      about: [
        getDeviceTypeName(device.type),
        ...(behind ? [w.behind({ device: behind })] : []),
        ...(device.is_gone ? [w.gone] : []),
      ].join(', '),
      used: device.import_kwh,
      cost: cost ? formatMoneyAmount(cost.total, cost.currency) : null,
      base: device.base_watts,
      night: device.night_watts,
    };
  });
  const rest = restOf(shown, consumers);
  if (!rest) return rows;
  const { kwh: used, base, night } = rest;
  const about = w.untrackedAbout;
  return [...rows, { key: 'rest', name: home.flows.untracked, page: null, about, used, cost: null, base, night }];
}

/** Collapsed table of the devices that are no consumers, such as inverters. */
function OtherDevices({ of: others, period, follow }: { of: Device[]; period: Period; follow: Follow }) {
  const { common, period: w, devices: named } = words();
  return html`<details class="more"><summary>${w.others}</summary>
    ${renderTable(
      others,
      [
        [
          common.device,
          ({ device_id, location, type, placement }) =>
            html`<span><a ...${follow(pageOf(device_id, period))}>${location}</a> <span class="quiet">${getDeviceTypeName(type)}, ${named.places[placement]}</span></span>`,
        ],
        [w.in, ({ import_kwh }) => (import_kwh === null ? '–' : formatKwh(import_kwh))],
        [w.out, ({ export_kwh }) => (export_kwh === null ? '–' : formatKwh(export_kwh))],
      ],
      { key: ({ device_id }) => device_id },
    )}</details>`;
}

/** Returns the path of a device's page for the displayed period. The path for today contains no period. */
const pageOf = (deviceId: string, { unit, start, now }: Period): string =>
  unit === 'day' && start === now.slice(0, 10)
    ? `devices/${deviceId}`
    : `devices/${deviceId}/${formatPeriodForUrl({ unit, start })}`;

interface Row {
  key: string;
  name: string;
  /** Path of the device's page; null for the row about usage that no device measures. */
  page: string | null;
  about: string;
  used: number | null;
  cost: string | null;
  base: number | null;
  night: number | null;
}

/** A percentage with a bar of the same length. */
function Share({ of: share }: { of: number }) {
  const width = `${Math.round(100 * Math.max(0, Math.min(1, share)))}%`;
  return html`<span class="share"><i style=${{ width }} /> <span>${formatPercent(share)}</span></span>`;
}

/**
 * Returns the usage that no device measures; null if unknown. If the energy of a device is included in that of another consumer, only the
 * other consumer is subtracted.
 */
function restOf({ flows, profile }: Period, consumers: readonly Device[]) {
  if (flows?.untracked_kwh == null) return null;
  const top = consumers.filter(
    ({ upstream_device_id }) => !consumers.some(({ device_id }) => device_id === upstream_device_id),
  );
  const less = (whole: number | null, of: 'base_watts' | 'night_watts') =>
    whole === null ? null : Math.max(0, whole - top.reduce((sum, device) => sum + (device[of] ?? 0), 0));
  return {
    kwh: flows.untracked_kwh,
    base: less(profile.base_watts, 'base_watts'),
    night: less(profile.night_watts, 'night_watts'),
  };
}

const NIGHTLY_HOURS = 5;
const DAYS_OF_YEAR = 365;
const HOURS_OF_YEAR = 8_766;
/** Minimum load at night that the page mentions, in W. */
const MIN_NIGHT_WATTS = 1;
/** Minimum share of the home's load at night for which a single device is named as the cause. */
const MIN_SHARE = 0.3;

/** The load at night in W, and the device with the largest share. `device` is null if no device has a large share. */
interface NightLoad {
  watts: number;
  device: Period['devices'][number] | null;
}

/** Returns the load at night that the page mentions; null if it is unknown or too low. */
export function findReportableNightLoad({ profile, devices }: Pick<Period, 'profile' | 'devices'>): NightLoad | null {
  const home = profile.night_watts;
  if (home === null || home < MIN_NIGHT_WATTS) return null;
  const [most] = devices
    .filter(({ placement, is_gone }) => placement === 'consumption' && !is_gone)
    .toSorted((a, b) => (b.night_watts ?? 0) - (a.night_watts ?? 0));
  const load = most?.night_watts ?? 0;
  return most && load >= MIN_NIGHT_WATTS && load >= MIN_SHARE * home
    ? { watts: load, device: most }
    : { watts: home, device: null };
}

/** Formats the approximate cost per year of a load in W. `of`: cost per year of a constant load of 1 kW. */
export const formatYearlyCost = (load: number, of: { amount: number; currency: string }): string =>
  formatApproximateMoney((load * of.amount) / 1_000, of.currency);

/** Sentence about the load at night. */
function Night({ of, costs }: { of: Period; costs: PeriodCosts | null }) {
  const w = words().period;
  const night = findReportableNightLoad(of);
  if (!night) return null;
  const energy = formatKwh((night.watts * NIGHTLY_HOURS * DAYS_OF_YEAR) / 1_000, 0);
  const { currency, night_amount: amount = null } = costs?.kilowatt_year ?? {};
  const money =
    currency === undefined || amount === null
      ? null
      : formatYearlyCost((night.watts * NIGHTLY_HOURS * DAYS_OF_YEAR) / HOURS_OF_YEAR, { amount, currency });
  const { device } = night;
  if (!device)
    return html`<p>${renderInlineMarkup(w.nightUnexplained({ power: formatWatts(night.watts), energy }))}</p>`;
  return html`<p>${renderInlineMarkup(
    money === null
      ? w.nightMost({ device: device.location, power: formatWatts(night.watts), energy })
      : w.nightMostCost({ device: device.location, power: formatWatts(night.watts), energy, money }),
  )}</p>`;
}
