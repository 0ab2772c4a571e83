import { type DeviceNames, MAX_NAMED_DEVICES } from '../device-names.ts';
import type { RecipientLocale, Words } from '../words/words.ts';
import { collapseWhitespace, type MailRow, type MessageContent } from './content.ts';

type UsageAlert = keyof Words['alert']['used'];
type CostAlert = keyof Words['alert']['cost'];
type AlertData = {
  threshold_kwh?: number;
  threshold_hours?: number;
  kwh_used?: number;
  threshold?: string;
  cost?: string;
  currency?: string;
  period_start: string;
  devices: { device_id: string; kwh_used: number }[];
} & (
  | { type: 'no_data' }
  | { type: UsageAlert }
  | { type: CostAlert; threshold: string; cost: string; currency: string }
);

/** Returns the text of a message about an alert. */
export function describeAlert(
  data: Record<string, unknown>,
  reader: RecipientLocale,
  names: DeviceNames,
): MessageContent {
  const alert = data as AlertData;
  const { common, alert: w } = reader.words;
  const at = when(alert, reader);
  const since: MailRow = [common.since, at];
  if (alert.type === 'no_data')
    return {
      sentence: w.silent({ location: locationOf(alert.devices[0]?.device_id ?? '', names), at }),
      rows: [since, [w.silentFor, `${alert.threshold_hours} h`]],
    };
  const devices = alert.devices
    .slice(0, MAX_NAMED_DEVICES)
    .map(({ device_id, kwh_used }): MailRow => [nameOf(device_id, names), reader.kwh(kwh_used)]);
  if (alert.type === 'daily_cost' || alert.type === 'monthly_cost') {
    const cost = reader.money(alert.cost, alert.currency);
    const threshold = reader.money(alert.threshold, alert.currency);
    return {
      sentence: w.cost[alert.type]({ cost, threshold, at }),
      rows: [since, [w.costs, cost], [w.threshold, threshold], ...devices],
    };
  }
  const energy = reader.kwh(alert.kwh_used ?? 0);
  const threshold = reader.kwh(alert.threshold_kwh ?? 0);
  return {
    sentence: w.used[alert.type]({ energy, threshold, at }),
    rows: [since, [w.usage, energy], [w.threshold, threshold], ...devices],
  };
}

/** Formats the start of a period in the reader's time zone. */
function when({ type, period_start }: AlertData, reader: RecipientLocale): string {
  if (type === 'daily_usage' || type === 'daily_cost') return reader.day(period_start);
  if (type === 'monthly_usage' || type === 'monthly_cost') return reader.month(period_start);
  return reader.moment(period_start);
}

/** Returns the location of a device, or the device's id if the location is unknown. */
const locationOf = (id: string, names: DeviceNames) => collapseWhitespace(names.get(id)?.location ?? '') || id;

/** Returns the location and type of a device. The type distinguishes devices in the same room. */
function nameOf(id: string, names: DeviceNames): string {
  const type = collapseWhitespace(names.get(id)?.type ?? '');
  return type ? `${locationOf(id, names)} (${type})` : locationOf(id, names);
}
