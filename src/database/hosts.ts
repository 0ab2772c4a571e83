/** Which of several servers a pool's connections go to: copies of each other, of which one takes writes. */
export type Wanted = 'primary' | 'standby';

export interface Hosts {
  /** The number of the host that is what is wanted: the one that was, or else the first that says so now. Throws where none does. */
  choose(): Promise<number>;
  /** Asks all of them now, whatever was the case. */
  search(): Promise<number>;
  /** Whether that host says now that it is what is wanted; not where it does not answer. */
  isWanted(host: number): Promise<boolean>;
  /** That host is away, or something else by now. */
  forget(host: number): void;
}

/**
 * `ask` connects to a host of that number and says whether it is what is wanted; it throws where it does not answer. All are asked
 * side by side: a machine without power, which answers nothing, costs no more time than the others take.
 */
export function createHosts(count: number, wanted: Wanted, ask: (host: number) => Promise<boolean>): Hosts {
  let known: number | null = null;
  let underWay: Promise<number> | null = null;

  async function find(): Promise<number> {
    const reasons: string[] = [];
    const asked = Array.from({ length: count }, async (_, host) => {
      const isWanted = await ask(host).catch((error: Error) => {
        reasons[host] = error.message;
        throw error;
      });
      if (isWanted) return host;
      reasons[host] = wanted === 'primary' ? 'is a standby' : 'is no standby';
      throw new Error(reasons[host]);
    });
    try {
      known = await Promise.any(asked);
      return known;
    } catch {
      const each = reasons.map((reason, host) => `host ${host + 1}: ${reason}`).join('; ');
      throw new HostAway(`no host of the database ${wanted === 'primary' ? 'takes writes' : 'is a standby'} (${each})`);
    }
  }

  function search(): Promise<number> {
    underWay ??= find().finally(() => {
      underWay = null;
    });
    return underWay;
  }

  return {
    choose: async () => known ?? search(),
    search,
    isWanted: (host) => ask(host).catch(() => false),
    forget(host) {
      if (known === host) known = null;
    },
  };
}

/** A host is away, or not what is wanted. Whoever asks tries again. */
export class HostAway extends Error {
  override name = 'HostAway';
  /** As a server says it that cannot be connected to now (cannot_connect_now). */
  readonly code = '57P03';
}
