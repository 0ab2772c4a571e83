import type { Words } from '../en.ts';

export const download: Words['download'] = {
  download: 'Descargar',
  of: (start, end) => `del ${start} al ${end}`,
  csvHint: 'una tabla, para programas',
  xlsx: 'Hoja de cálculo (XLSX)',
  xlsxHint: 'para Excel, LibreOffice y otros, con costes',
  greenButtonHint: 'cada hora de lo importado de la red y de los excedentes, para otros servicios de energía',
  /** The beginning of a file's name. */
  fileName: 'consumo',
  ready: (name) => `${name} se ha descargado.`,
};
