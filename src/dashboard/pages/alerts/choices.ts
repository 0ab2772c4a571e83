import { type Children, html } from '../../html.ts';

/** One of a few, each with what it means; in two columns where that is long. `children` comes below, inside the group. */
export function Choices<T extends string>(props: {
  legend: string;
  name: string;
  of: Record<T, { name: string; meaning: string }>;
  value: T;
  onPick: (value: T) => void;
  isWide?: boolean;
  children?: Children;
}) {
  const { legend, name, of, value, onPick, isWide, children } = props;
  return html`<fieldset>
    <legend>${legend}</legend>
    <div class=${isWide ? 'choices wide' : 'choices'}>
      ${(Object.keys(of) as T[]).map(
        (one) => html`<label>
          <input type="radio" name=${name} value=${one} checked=${one === value} onChange=${() => onPick(one)} />
          <span>${of[one].name} <small class="quiet">${of[one].meaning}</small></span>
        </label>`,
      )}
    </div>
    ${children}
  </fieldset>`;
}
