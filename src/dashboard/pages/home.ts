import { html } from '../html.ts';
import { useSession } from '../session.ts';
import { words } from '../words/words.ts';
import { PeriodView } from './home/period-view.ts';

/** What a home uses, what that costs, and what uses it: of any day, week, month or year. */
export function Page() {
  const { rest } = useSession();
  return html`
    <h1>${words().common.pages.home}</h1>
    <${PeriodView} page="home" address=${rest} />`;
}
