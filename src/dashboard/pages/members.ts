import type { User } from '#clients/typescript/client.ts';
import type { HomeMember, Membership } from '#src/api/dashboard/shapes.ts';
import { callApi } from '../api.ts';
import { html } from '../html.ts';
import { LoadedList } from '../parts/list.ts';
import { useAction, useAllPages } from '../parts/load.ts';
import { renderTable } from '../parts/table.ts';
import { Card, ConfirmButton, ErrorMessage, Field, getBusyAttributes, RelativeTime } from '../parts/ui.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';

/** Members who may see the signed-in account's home, and a form that invites a person. */
export function HomeMemberList() {
  const { me } = useSession();
  const { sessions: w } = words();
  const path = `/v1/users/${me.user_id}/members`;
  const members = useAllPages<HomeMember>(path);
  const { run, isBusy, error } = useAction();
  const invite = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const formData = new FormData(form);
    run(async () => {
      await callApi('POST', path, { email: String(formData.get('email')), access: String(formData.get('access')) });
      form.reset();
      members.again();
    });
  };
  const end = ({ member_id }: HomeMember) => run(() => callApi('DELETE', `${path}/${member_id}`).then(members.again));
  const table = (all: HomeMember[]) =>
    renderTable(
      all,
      [
        [w.person, ({ email }) => email],
        [w.access, ({ access }) => w.accesses[access]],
        [w.memberState, ({ status }) => w.memberStates[status]],
        [w.keyUsed, ({ last_used_at: at }) => at && html`<${RelativeTime} at=${at} zone=${me.timezone} />`],
      ],
      {
        key: ({ member_id }) => member_id,
        actions: (one) =>
          html`<${ConfirmButton} label=${w.end} of=${one.email} question=${w.memberQuestion} onSure=${() => end(one)} />`,
      },
    );
  return html`<${Card} title=${w.membersTitle}>
    <p>${w.membersAbout}</p>
    <${LoadedList} label=${w.membersTitle} of=${members} empty=${html`<p class="quiet">${w.nobodyElse}</p>`}>${table}<//>
    <form onSubmit=${invite}>
      <${Field} label=${w.inviteAddress} hint=${w.inviteHint} type="email" name="email" autocomplete="off" required maxlength="254" />
      <${Field} label=${w.access} control="select" name="access">
        <option value="read">${w.accesses.read}</option><option value="manage">${w.accesses.manage}</option>
      <//>
      <button ...${getBusyAttributes(isBusy)}>${w.invite}</button>
    </form>
    <${ErrorMessage} text=${error} />
  <//>`;
}

/** Homes of other accounts of which the signed-in user is a member. */
export function MembershipList() {
  const { me, user, pick } = useSession();
  const { sessions: w } = words();
  const homes = useAllPages<Membership>('/v1/memberships');
  const { run, isBusy, error } = useAction();
  const show = ({ home_user_id }: Membership) =>
    run(async () => pick(await callApi<User>('GET', `/v1/users/${home_user_id}`)));
  const leave = ({ member_id, home_user_id }: Membership) =>
    run(async () => {
      await callApi('DELETE', `/v1/memberships/${member_id}`);
      if (user.user_id === home_user_id) pick(me);
      homes.again();
    });
  const actions = (one: Membership) => html`${
    one.home_user_id === user.user_id
      ? html`<button type="button" onClick=${() => pick(me)}>${w.showOwn}</button>`
      : html`<button type="button" ...${getBusyAttributes(isBusy)} onClick=${() => show(one)}>${w.showHome}</button>`
  }
    <${ConfirmButton} label=${w.leave} of=${one.home_email} question=${w.leaveQuestion} onSure=${() => leave(one)} />`;
  const table = (all: Membership[]) =>
    html`<${Card} title=${w.homesTitle}>
      <p>${w.homesAbout}</p>
      ${renderTable(
        all,
        [
          [w.homeOf, ({ home_email }) => home_email],
          [w.access, ({ access }) => w.accesses[access]],
        ],
        { key: ({ member_id }) => member_id, actions },
      )}
      <${ErrorMessage} text=${error} />
    <//>`;
  return html`<${LoadedList} label=${w.homesTitle} of=${homes}>${table}<//>`;
}
