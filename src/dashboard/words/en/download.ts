/** The menu of files with what Home shows. */
export const download = {
  download: 'Download',
  of: (start: string, end: string) => `${start} to ${end}`,
  csvHint: 'a table, for programs',
  xlsx: 'Spreadsheet (XLSX)',
  xlsxHint: 'for Excel, LibreOffice and others, with costs',
  greenButtonHint: 'every hour of what was bought and fed in, for other energy services',
  /** The beginning of a file's name. */
  fileName: 'usage',
  ready: (name: string) => `${name} was downloaded.`,
};
