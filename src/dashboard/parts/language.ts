import { html } from '../html.ts';
import { chooseLanguage } from '../words/choice.ts';
import { isLanguage, LANGUAGES, language, words } from '../words/words.ts';
import { useAction } from './load.ts';

/** Chooses the language of the dashboard; each is called what it calls itself. */
export function LanguageChoice() {
  const { run, error } = useAction();
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (isLanguage(value)) run(() => chooseLanguage(value));
  };
  return html`<select class="language" aria-label=${words().common.language} onChange=${choose}>
      ${Object.entries(LANGUAGES).map(
        ([tag, name]) => html`<option value=${tag} lang=${tag} selected=${tag === language()}>${name}</option>`,
      )}
    </select>${error && html` <span role="alert">${error}</span>`}`;
}
