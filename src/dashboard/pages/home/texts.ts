/** What the download of Home says. */
export const texts = {
  download: 'Download',
  of: (start: string, end: string) => `${start} to ${end}`,
  csv: 'CSV',
  csvHint: 'a table, for programs',
  xlsx: 'Spreadsheet (XLSX)',
  xlsxHint: 'for Excel, LibreOffice and others, with costs',
  greenButton: 'Green Button (XML)',
  greenButtonHint: 'every hour of what was bought and fed in, for other energy services',
  fileName: 'usage',
  ready: (name: string) => `${name} was downloaded.`,
};
