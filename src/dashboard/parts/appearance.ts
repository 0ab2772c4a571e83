import { useState } from 'preact/hooks';
import { html } from '../html.ts';
import { chooseLanguage } from '../words/choice.ts';
import { isLanguage, LANGUAGES, language, words } from '../words/words.ts';
import { useAction } from './load.ts';

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const themeOf = (text: string | null): Theme => THEMES.find((theme) => theme === text) ?? 'auto';
const STORED = 'theme';

export function applyTheme(): void {
  document.documentElement.dataset.theme = themeOf(localStorage.getItem(STORED));
}

/** Select box for the colour theme of the pages in this browser. */
export function ThemeSelect(attributes: { id?: string }) {
  const { colours } = words().common;
  const [theme] = useState(() => themeOf(localStorage.getItem(STORED)));
  const choose = (event: Event) => {
    localStorage.setItem(STORED, themeOf((event.target as HTMLSelectElement).value));
    applyTheme();
  };
  return html`<select ...${attributes} onChange=${choose}>
    ${THEMES.map((one) => html`<option value=${one} selected=${one === theme}>${colours[one]}</option>`)}
  </select>`;
}

/** Select box for the dashboard's language in this browser. */
export function LanguageSelect(attributes: { id?: string }) {
  const { run, error } = useAction();
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (isLanguage(value)) run(() => chooseLanguage(value));
  };
  return html`<select class="language" ...${attributes} aria-label=${attributes.id ? undefined : words().common.language} onChange=${choose}>
      ${Object.entries(LANGUAGES).map(
        ([tag, name]) => html`<option value=${tag} lang=${tag} selected=${tag === language()}>${name}</option>`,
      )}
    </select>${error && html` <span role="alert">${error}</span>`}`;
}
