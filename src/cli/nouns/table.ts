import { forTerminal } from '#src/core/for-terminal.ts';

type Row = Readonly<Record<string, unknown>>;

/**
 * Rows as a table of these columns, with a head. What others wrote is made harmless; where there is a `width` (of a terminal) lines end there.
 * Pure.
 */
export function tableOf(rows: readonly Row[], columns: readonly string[], width: number | null): string {
  const cells = [
    columns.map((name) => name.toUpperCase()),
    ...rows.map((row) => columns.map((name) => cellOf(row[name]))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => (width !== null && line.length > width ? `${line.slice(0, width - 1)}…` : line))
    .join('\n');
}

/** One thing: a line for each member. Pure. */
export function linesOf(thing: Row): string {
  const width = Math.max(...Object.keys(thing).map((name) => name.length));
  return Object.entries(thing)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellOf(value)}`)
    .join('\n');
}

/** `-` stands for nothing. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.length === 0 ? '-' : forTerminal(value.join(','));
  return forTerminal(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
