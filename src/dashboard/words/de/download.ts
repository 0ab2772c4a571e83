import type { Words } from '../en.ts';

export const download: Words['download'] = {
  download: 'Herunterladen',
  of: (start, end) => `${start} bis ${end}`,
  csvHint: 'eine Tabelle, für Programme',
  xlsx: 'Tabelle (XLSX)',
  xlsxHint: 'für Excel, LibreOffice und andere, mit Kosten',
  greenButtonHint: 'jede Stunde von Netzbezug und Einspeisung, für andere Energiedienste',
  /** The beginning of a file's name. */
  fileName: 'verbrauch',
  ready: (name) => `${name} wurde heruntergeladen.`,
};
