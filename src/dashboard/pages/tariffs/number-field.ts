import { html } from '../../html.ts';
import { DecimalInput } from '../../parts/decimal-input.ts';
import { Field } from '../../parts/ui.ts';

/** What the service says is wrong, by the path of the member. */
export type Mistakes = Readonly<Record<string, string>>;

/** A decimal as it is written on a bill, with a comma or a point. `name`: path of the member. */
export function NumberField(props: {
  label: string;
  name: string;
  value: string;
  onInput: (text: string) => void;
  mistakes: Mistakes;
  hint?: string;
  isRequired?: boolean;
}) {
  const { label, name, value, onInput, mistakes, hint, isRequired = false } = props;
  return html`<${Field} label=${label} hint=${hint} mistake=${mistakes[name]}>
    ${(attributes: object) => html`<${DecimalInput}
      attributes=${attributes}
      name=${name}
      value=${value}
      limits=${null}
      isRequired=${isRequired}
      onInput=${onInput}
    />`}
  <//>`;
}
