/** What one account's sessions may take of this process: their requests do not count against its plan. */
export interface Share {
  /** Whether one more request is within the share; if so, `done` says when it is answered. */
  begin(name: string): { isWithin: boolean; done(): void };
}

/** `perMinute` requests of a name in each minute, `atOnce` of them under way at a time. */
export function share({ perMinute, atOnce }: { perMinute: number; atOnce: number }, clock: () => Date): Share {
  const underWay = new Map<string, number>();
  let minute = 0;
  let counts = new Map<string, number>();
  return {
    begin(name) {
      const now = Math.floor(clock().getTime() / 60_000);
      if (now !== minute) {
        minute = now;
        counts = new Map();
      }
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      const running = underWay.get(name) ?? 0;
      if (count > perMinute || running >= atOnce) return { isWithin: false, done() {} };
      underWay.set(name, running + 1);
      return {
        isWithin: true,
        done() {
          const left = (underWay.get(name) ?? 1) - 1;
          if (left > 0) underWay.set(name, left);
          else underWay.delete(name);
        },
      };
    },
  };
}
