import { html } from '../html.ts';
export const Page = () => html`<h1>operator</h1>`;
