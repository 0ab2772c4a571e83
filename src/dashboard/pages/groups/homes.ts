import type { ChangedGroup, Group, GroupEnergyInsights, Usage, User } from '#clients/typescript/client.ts';
import { appendQuery, callApi } from '../../api.ts';
import { html } from '../../html.ts';
import { BarChart } from '../../parts/chart.ts';
import { DAY_MS, formatDay } from '../../parts/format.ts';
import { PagedList } from '../../parts/list.ts';
import { useAction, useLoad, usePages } from '../../parts/load.ts';
import { getTodayInZone } from '../../parts/period.ts';
import { renderTable } from '../../parts/table.ts';
import { Card, ConfirmButton, ErrorMessage, Field, getBusyAttributes, LoadedContent } from '../../parts/ui.ts';
import { words } from '../../words/words.ts';

/** Paged list of the homes of a group, with a form that adds a home by its e-mail address. */
export function GroupHomeList({ of: group, onChange }: { of: Group; onChange: () => void }) {
  const { common, groups: w } = words();
  const path = `/v1/groups/${group.group_id}/users`;
  const homes = usePages<User>(`${path}?limit=50`);
  const { run, isBusy, error } = useAction();
  const change = (work: () => Promise<unknown>) =>
    run(async () => {
      await work();
      homes.shown.again();
      onChange();
    });
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const email = String(new FormData(form).get('email')).trim().toLowerCase();
    change(async () => {
      const found = await callApi<User[]>('GET', appendQuery('/v1/users', { search: email, limit: 200 }));
      const home = found.find((one) => one.email.toLowerCase() === email);
      if (!home) throw new Error(common.frame.noAccount);
      await callApi<ChangedGroup>('PUT', `${path}/${home.user_id}`);
      form.reset();
    });
  };
  return html`<${Card} title=${w.homesOf({ name: group.name })}>
    <form class="line" onSubmit=${add}>
      <${Field} label=${common.fields.email} hint=${w.addHint} name="email" type="email" required autocomplete="off" />
      <p class="actions"><button class="main" ...${getBusyAttributes(isBusy)}>${w.add}</button></p>
    </form>
    <${ErrorMessage} text=${error} />
    <${PagedList} of=${homes} label=${w.homesOf({ name: group.name })} empty=${html`<p>${w.noHomes}</p>`}>
          ${(rows: User[]) =>
            renderTable(rows, [[common.fields.email, ({ email }) => email]], {
              key: ({ user_id }) => user_id,
              actions: ({ email, user_id }) => html`<${ConfirmButton}
                    label=${words().common.remove}
                    of=${email}
                    question=${w.removeQuestion}
                    onSure=${() => change(() => callApi('DELETE', `${path}/${user_id}`))}
                  />`,
            })}
    <//>
  <//>`;
}

const DAYS = 30;

/**
 * Chart of the total usage of a group's homes on each of the last 30 days, in the time zone of the group's owner. A change of `changes`
 * reloads the chart.
 */
export function GroupUsageChart({ of: group, zone, changes }: { of: Group; zone: string; changes: number }) {
  const w = words().groups;
  const end = getTodayInZone(zone);
  const dayBefore = (days: number) => new Date(Date.parse(end) - days * DAY_MS).toISOString().slice(0, 10);
  const query = { start: dayBefore(DAYS - 1), end, tz: zone, include: 'estimated' };
  const used = useLoad(
    () => callApi<GroupEnergyInsights>('GET', appendQuery(`/v1/groups/${group.group_id}/energy-insights`, query)),
    [group.group_id, end, changes],
  );
  const bars = (rows: readonly Usage[]) =>
    Array.from({ length: DAYS }, (_, index) => {
      const date = dayBefore(DAYS - 1 - index);
      const row = rows.find((one) => one.date === date);
      const name = formatDay(date);
      return { label: date.slice(8), name, value: row?.kwh_used ?? null, estimated: row?.estimated_kwh ?? 0 };
    });
  return html`<${Card} title=${w.usedBy({ name: group.name })}>
    <${LoadedContent} of=${used}>
      ${(told: GroupEnergyInsights) => html`<p class="quiet">${w.countOf({ homes: told.homes })}</p>
        <${BarChart} title=${w.usedBy({ name: group.name })} bars=${bars(told.data ?? [])} />`}
    <//>
  <//>`;
}
