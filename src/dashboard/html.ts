import htm from 'htm';
import { type ComponentChildren, h, type VNode } from 'preact';

/** Template tag for markup, as in html`<p class=${name}>${text}</p>`. The browser never parses interpolated text as markup. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

export type Children = ComponentChildren;
