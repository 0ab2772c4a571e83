/** Where in a table the service means: `line 3.type`, `line 3`, or neither of both, which is the table. */
export function placeIn(field: string): { line: number | null; member: string | null } {
  const [, line, member] = /^line (\d+)(?:\.(.+))?$/.exec(field) ?? [];
  return { line: line === undefined ? null : Number(line), member: member ?? null };
}
