/** Says whether one more is within `most` of a name in this minute. Forgets all names each minute. */
export function perMinute(most: number, clock: () => Date): (name: string) => boolean {
  let minute = 0;
  let counts = new Map<string, number>();
  return (name) => {
    const now = Math.floor(clock().getTime() / 60_000);
    if (now !== minute) {
      minute = now;
      counts = new Map();
    }
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= most;
  };
}
