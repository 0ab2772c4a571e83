import type { Period } from '#src/api/dashboard/shapes.ts';
import { call, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { useLoad } from '../../parts/load.ts';
import { Card, Loading } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';
import { ClimateLines } from '../devices/climate.ts';
import { type ClimateHour, climateHours } from '../devices/climate-hours.ts';

/** What a thermostat said of a room in a day or a week, beside the load of the same time. */
export function RoomClimate({ of: shown, thermostat }: { of: Period; thermostat: Period['thermostats'][number] }) {
  const w = words().period;
  const { start, end, timezone, newest_at } = shown;
  const { device_id, location } = thermostat;
  const usage = useLoad(async () => {
    const query = { start, end, group_by: 'hour', tz: timezone };
    const { data } = await call<{ data: ClimateHour[] }>('GET', withQuery(`/v1/devices/${device_id}/usage`, query));
    return climateHours(data, 0, Number.POSITIVE_INFINITY);
  }, [device_id, start, end, timezone, newest_at?.slice(0, 15)]);
  const title = w.climateOf({ device: location });
  return html`<${Card} title=${title}>
    <${Loading} of=${usage}>
      ${(rows: ClimateHour[]) =>
        rows.every(({ temperature_c, setpoint_c }) => !temperature_c && setpoint_c == null)
          ? html`<p class="quiet">${w.noClimate}</p>`
          : html`<${ClimateLines} title=${title} zone=${timezone} rows=${rows} />`}
    <//>
  <//>`;
}
