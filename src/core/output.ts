/**
 * From here on this process goes on when nobody reads what it prints any more (a closed pipe, a terminal that is gone) or when it
 * cannot be written (a full disk): for a service, which must still stop in order. A command whose output is its result must fail.
 */
export function outliveOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
