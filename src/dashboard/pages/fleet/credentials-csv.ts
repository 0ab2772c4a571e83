import type { ImportCredentials } from '#clients/typescript/client.ts';

const COLUMNS = ['row', 'external_id', 'device_id', 'username', 'password', 'topic'] as const;

/** A cell as RFC 4180 has it. */
const cell = (text: string | null): string =>
  text !== null && /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : (text ?? '');

/** Passwords of an import as CSV, as the command line writes them: a row a device, in the order of the table. */
export const credentialsCsv = ({ credentials }: ImportCredentials): string =>
  [COLUMNS.join(','), ...credentials.map((one) => COLUMNS.map((name) => cell(one[name])).join(','))]
    .map((line) => `${line}\n`)
    .join('');
