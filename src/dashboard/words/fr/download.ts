import type { Words } from '../en.ts';

export const download: Words['download'] = {
  download: 'Télécharger',
  of: (start, end) => `du ${start} au ${end}`,
  csvHint: 'un tableau, pour des programmes',
  xlsx: 'Feuille de calcul (XLSX)',
  xlsxHint: 'pour Excel, LibreOffice et autres, avec les coûts',
  greenButtonHint: 'chaque heure de soutirage et d’injection, pour d’autres services d’énergie',
  /** The beginning of a file's name. */
  fileName: 'consommation',
  ready: (name) => `${name} a été téléchargé.`,
};
