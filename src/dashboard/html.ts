import htm from 'htm';
import { type ComponentChildren, h, type VNode } from 'preact';

/** Markup as a tagged template: html`<p class=${name}>${text}</p>`. Text is escaped by being text. */
export const html = htm.bind(h) as (strings: TemplateStringsArray, ...values: unknown[]) => VNode;

/** Content between a component's tags. */
export type Children = ComponentChildren;
