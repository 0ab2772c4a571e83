import type { Words } from '../en.ts';

export const download: Words['download'] = {
  download: 'Downloaden',
  of: (start, end) => `${start} tot en met ${end}`,
  csvHint: 'een tabel, voor programma’s',
  xlsx: 'Rekenblad (XLSX)',
  xlsxHint: 'voor Excel, LibreOffice en andere, met kosten',
  greenButtonHint: 'elk uur van wat is afgenomen en teruggeleverd, voor andere energiediensten',
  /** The beginning of a file's name. */
  fileName: 'verbruik',
  ready: (name) => `${name} is gedownload.`,
};
