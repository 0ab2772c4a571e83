import { html } from '../html.ts';
export const Page = () => html`<h1>alerts</h1>`;
