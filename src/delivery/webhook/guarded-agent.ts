import { Resolver } from 'node:dns/promises';
import { Agent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { assertHostAllowed, createAllowedAddressLookup, type ResolveHostName } from './guard.ts';

/** Settings of requests to URLs that owners configure. */
export interface GuardedAgentOptions {
  /** Whether private and loopback addresses are allowed, for development. */
  allowPrivate: boolean;
  /** PEM of a certificate authority that is trusted in addition to the public ones. */
  ca?: string;
  resolve?: ResolveHostName;
  /** Agent that makes the connections. By default, one is created. */
  agent?: Agent;
}

/** Agent for requests to URLs that owners configure. */
export interface GuardedAgent {
  /** Returns the options of a request to a host. Throws if the host is a forbidden network address. */
  optionsFor(hostname: string): { agent: Agent; lookup?: LookupFunction };
  close(): void;
}

/** Creates an agent that connects only to public addresses, unless private addresses are allowed. */
export function createGuardedAgent({ allowPrivate, ca, ...options }: GuardedAgentOptions): GuardedAgent {
  const resolve = options.resolve ?? resolver();
  // Idle connections are closed after a short time, so that the name is resolved and checked again. The certificates are read only once,
  // because reading them takes 15 ms.
  const trusted = ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...rootCertificates, ca] }) };
  const agent = options.agent ?? new Agent({ keepAlive: true, timeout: 10_000, maxCachedSessions: 1_000, ...trusted });
  const guard = allowPrivate ? {} : { lookup: createAllowedAddressLookup(resolve) };
  return {
    optionsFor(hostname) {
      if (!allowPrivate) assertHostAllowed(hostname);
      return { agent, ...guard };
    },
    close: () => agent.destroy(),
  };
}

/** Returns a resolver with a time limit. The operating system's resolver has four threads, which unresponsive name servers would block. */
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
