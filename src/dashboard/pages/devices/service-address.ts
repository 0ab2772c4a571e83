/** Where devices reach this service: the broker's default ports, at the name that the dashboard is reached by. */
export interface ServiceAddress {
  host: string;
  tlsPort: number;
  /** Without TLS; answers on the service's own machine only. */
  plainPort: number;
  /** Whether the dashboard is open on the service's own machine. */
  isLocal: boolean;
}

/** `hostname`: of the page's address. */
export function serviceAddress(hostname: string): ServiceAddress {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, tlsPort: 8883, plainPort: 1883, isLocal: /^(localhost|127\.0\.0\.1|::1)$/.test(host) };
}
