import { html } from '../html.ts';
export const Page = () => html`<h1>devices</h1>`;
