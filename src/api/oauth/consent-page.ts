import type { Interaction } from 'oidc-provider';
import { renderPlainPage } from '#src/api/plain-page.ts';
import type { App } from '#src/auth/apps.ts';
import { AUTHORIZATION_DAYS_BY_DURATION } from '#src/auth/authorizations.ts';
import { GREEN_BUTTON_REQUIRED_SCOPE, parseGreenButtonTerms } from '#src/auth/green-button.ts';
import { APP_SCOPE_NAMES, type AppScope } from '#src/auth/scopes.ts';
import { escapeHtml } from '#src/core/html.ts';
import { DAY_MS } from '#src/core/units.ts';
import { type Language, loadWords } from '#src/delivery/words/words.ts';
import { GREEN_BUTTON_SCOPE_PARAMETER } from './green-button-requests.ts';

export const AUTHORIZATION_DURATIONS = Object.keys(
  AUTHORIZATION_DAYS_BY_DURATION,
) as (keyof typeof AUTHORIZATION_DAYS_BY_DURATION)[];

export interface ConsentRequest {
  found: Interaction;
  app: App;
}

/** Returns the requested scopes that the app may have, in the order of `APP_SCOPE_NAMES`. */
export const getRequestedScopes = ({ found, app }: ConsentRequest): AppScope[] => {
  const asked = found.params.scope?.split(' ') ?? [];
  return APP_SCOPE_NAMES.filter((scope) => asked.includes(scope) && app.scopes.includes(scope));
};

/** Returns the Green Button scope string of a request for consent. Null if the app requested none or may not read usage. */
export const findGreenButtonScope = (asked: ConsentRequest): string | null =>
  getRequestedScopes(asked).includes(GREEN_BUTTON_REQUIRED_SCOPE)
    ? (asked.found.params[GREEN_BUTTON_SCOPE_PARAMETER] ?? null)
    : null;

/** Returns the app's redirect URI with the code or the refusal. */
export const getRedirectUri = ({ found }: ConsentRequest): URL => new URL(found.params.redirect_uri ?? '');

const link = (href: string, text: string, more = '') => `<a href="${href}"${more}>${text}</a>`;
const button = (decision: string, text: string) =>
  `<button name="decision" value="${decision}" style="font:inherit">${text}</button>`;
const form = (csrf: string, content: string) =>
  `<form method="post"><input type="hidden" name="csrf" value="${csrf}">\n${content}</form>\n`;

/**
 * Returns the consent pages in a language, as HTML without scripts. `csrf`: token that is valid only for this session and request
 * for consent.
 */
export async function createConsentPages(language: Language) {
  const {
    apps: { scopes: scopeWords },
    pages: { consent: words },
  } = await loadWords(language);
  const page = (text: string, more = '', head = '') => renderPlainPage(words.title, text, { more, head, language });
  const amount = (value: number, unit: 'minute' | 'day') =>
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  const greenButton = (asked: ConsentRequest) => {
    const scope = findGreenButtonScope(asked);
    if (scope === null) return '';
    const { intervalSeconds, historySeconds } = parseGreenButtonTerms(scope);
    const length = amount(intervalSeconds / 60, 'minute');
    const history = amount(Math.ceil((historySeconds * 1_000) / DAY_MS), 'day');
    return `<p>${words.greenButton({ length, history })}</p>\n`;
  };
  return {
    /** Returns the page for a request for consent that has ended, or that another browser began. */
    over: () => page(words.over),
    /**
     * Returns a page that reloads itself. After a link from another site, browsers send the session cookie only with the reload.
     */
    reload: () =>
      page(
        words.moment,
        `<p>${link('?again', words.next)}</p>\n`,
        '<meta http-equiv="refresh" content="0;url=?again">',
      ),
    signIn: (asked: ConsentRequest) =>
      page(
        words.signInFirst({ app: asked.app.name }),
        `<p>${link('/dashboard/sign-in', words.signIn, ' target="_blank"')}</p>\n<p>${words.comeBack} ${link('?again', words.next)}</p>\n`,
      ),
    signOut: (asked: ConsentRequest, csrf: string) =>
      page(words.signInFirst({ app: asked.app.name }), form(csrf, button('sign-out', words.signOut))),
    notAHome: (csrf: string) => page(words.notAHome, form(csrf, button('deny', words.goBack))),
    consent(asked: ConsentRequest, csrf: string): string {
      const website = escapeHtml(asked.app.website);
      const choices = AUTHORIZATION_DURATIONS.map(
        (value, at) =>
          `<label style="display:block"><input type="radio" name="until" value="${value}"${at === 0 ? ' checked' : ''}> ${words.until[value]}</label>`,
      );
      const content = `<fieldset><legend>${words.howLong}</legend>\n${choices.join('\n')}</fieldset>
<p>${button('allow', words.allow)} ${button('deny', words.deny)}</p>
`;
      const scopes = getRequestedScopes(asked).map((scope) => `<li>${scopeWords[scope]}</li>`);
      const more = `<ul>\n${scopes.join('\n')}\n</ul>
${greenButton(asked)}<p>${words.about} ${link(website, website, ' rel="noreferrer"')}. ${words.receives({ host: escapeHtml(getRedirectUri(asked).host) })}</p>
<p>${words.end}</p>
${form(csrf, content)}`;
      return page(words.asks({ app: asked.app.name }), more);
    },
  };
}
