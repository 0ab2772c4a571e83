import { html } from '../html.ts';
import { useSession } from '../session.ts';
import { Accounts } from './operator/accounts.ts';
import { Audit } from './operator/audit.ts';
import { Health } from './operator/health.ts';
import { RejectedMessages } from './operator/rejected.ts';
import { RollupCheck } from './operator/rollup-check.ts';

/** State of the installation, for administrators. */
export function Page() {
  const { me } = useSession();
  if (me.role !== 'admin') return html`<h1>Operator</h1><p>This page is for administrators.</p>`;
  return html`
    <h1>Operator</h1>
    <${Health} />
    <${RejectedMessages} />
    <${RollupCheck} />
    <${Accounts} />
    <${Audit} />
  `;
}
