import type { Group, GroupEnergyInsights, Usage } from '#clients/typescript/client.ts';
import { call, withQuery } from '../../api.ts';
import { html } from '../../html.ts';
import { Bars } from '../../parts/chart.ts';
import { DAY_MS } from '../../parts/durations.ts';
import { dayName } from '../../parts/format.ts';
import { useLoad } from '../../parts/load.ts';
import { todayIn } from '../../parts/period.ts';
import { Card, Loading } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

const DAYS = 30;

/** What the homes of a group used together on each of the last 30 days of its owner's zone. `changes`: asks anew when it is another one. */
export function Days({ of: group, zone, changes }: { of: Group; zone: string; changes: number }) {
  const w = words().groups;
  const end = todayIn(zone);
  const dayBefore = (days: number) => new Date(Date.parse(end) - days * DAY_MS).toISOString().slice(0, 10);
  const query = { start: dayBefore(DAYS - 1), end, tz: zone, include: 'estimated' };
  const used = useLoad(
    () => call<GroupEnergyInsights>('GET', withQuery(`/v1/groups/${group.group_id}/energy-insights`, query)),
    [group.group_id, end, changes],
  );
  const bars = (rows: readonly Usage[]) =>
    Array.from({ length: DAYS }, (_, index) => {
      const date = dayBefore(DAYS - 1 - index);
      const row = rows.find((one) => one.date === date);
      const name = dayName(date);
      return { label: date.slice(8), name, value: row?.kwh_used ?? null, estimated: row?.estimated_kwh ?? 0 };
    });
  return html`<${Card} title=${w.usedBy({ name: group.name })}>
    <${Loading} of=${used}>
      ${(told: GroupEnergyInsights) => html`<p class="quiet">${w.countOf({ homes: told.homes })}</p>
        <${Bars} title=${w.usedBy({ name: group.name })} bars=${bars(told.data ?? [])} />`}
    <//>
  <//>`;
}
