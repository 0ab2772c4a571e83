/** Where devices reach this service. */
export interface ServiceAddress {
  host: string;
  tlsPort: number;
  /** Without TLS; answers on the service's own machine only. */
  plainPort: number;
  /** Whether the dashboard is open on the service's own machine. */
  isLocal: boolean;
  /** Whether the service knows the ports: with a broker of its own it does, else they are the usual ones. */
  isKnown: boolean;
}

/** `hostname`: of the page's address. `mqtt`: ports of the service's own broker. */
export function serviceAddress(hostname: string, mqtt: { port: number; tls_port: number } | null): ServiceAddress {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    host,
    tlsPort: mqtt?.tls_port ?? 8883,
    plainPort: mqtt?.port ?? 1883,
    isLocal: /^(localhost|127\.0\.0\.1|::1)$/.test(host),
    isKnown: mqtt !== null,
  };
}
