import { Resolver } from 'node:dns/promises';
import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { createGuardedLookup, type ResolveHostName, refuseForbiddenHost } from './guard.ts';

/** Settings of requests to URLs that owners configure. */
export interface GuardOptions {
  /** Whether private and loopback addresses are allowed, for development. */
  allowPrivate: boolean;
  /** Certificate authority (PEM) that is trusted in addition to the public ones. */
  ca?: string;
  resolve?: ResolveHostName;
  /** Agent that makes the connections with the given lookup. */
  agent?: Agent;
}

/** Agent for requests to URLs that owners configure. */
export interface GuardedAgent {
  /**
   * Returns the options of a request to a host. Throws if the host is a forbidden network address. A host name is checked when it is
   * resolved.
   */
  optionsFor(hostname: string): { agent: Agent; lookup?: LookupFunction };
  close(): void;
}

/** Creates an agent that connects only to public addresses, unless private addresses are allowed. */
export function createGuardedAgent({ allowPrivate, ca, ...options }: GuardOptions): GuardedAgent {
  const resolve = options.resolve ?? resolver();
  // A connection is reused only for the address that was checked for it. Agents store connections by host name; idle connections are closed
  // soon, so that the name is resolved again for the next connection. The certificates are read once: reading 150 certificates for each
  // connection would delay all other requests by 15 ms.
  const trusted = ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) };
  const agent = options.agent ?? new Agent({ keepAlive: true, timeout: 10_000, maxCachedSessions: 1_000, ...trusted });
  const guard = allowPrivate ? {} : { lookup: createGuardedLookup(resolve) };
  return {
    optionsFor(hostname) {
      if (!allowPrivate) refuseForbiddenHost(hostname);
      return { agent, ...guard };
    },
    close: () => agent.destroy(),
  };
}

/**
 * Returns a resolver that queries name servers directly, with a time limit. The system's lookup uses four threads for the whole process. A
 * few names whose name servers do not respond would block all four.
 */
function resolver(): ResolveHostName {
  const names = new Resolver({ timeout: 2_000, tries: 1 });
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([names.resolve4(hostname), names.resolve6(hostname)]);
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
    return [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
  };
}
