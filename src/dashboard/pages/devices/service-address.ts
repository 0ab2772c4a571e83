import type { Session } from '../../session.ts';

/** Where devices reach this service. */
export interface ServiceAddress {
  /** As devices elsewhere name it. */
  host: string;
  tlsPort: number;
  plainPort: number;
  /** Where it answers without TLS to who looks at this page; null where it does not, or nobody here knows. */
  plainHost: string | null;
  /** Whether devices elsewhere may go without TLS, too. */
  isPlainOpen: boolean;
  /** Whether who connects needs a copy of the service's certificate. */
  needsCertificate: boolean;
  /** Whether the service knows the ports: with a broker of its own it does, else they are the usual ones. */
  isKnown: boolean;
}

/** The name that the certificate is downloaded by. */
export const CERTIFICATE_FILE = 'energy-service.pem';

/** `hostname`: of the page's address. `mqtt`: what the service says of the broker. */
export function serviceAddress(hostname: string, mqtt: Session['mqtt']): ServiceAddress {
  const { host, ports, is_plain_open: isPlainOpen } = mqtt;
  const isHere = /^(localhost|127\.0\.0\.1|\[?::1\]?)$/.test(hostname);
  const plainHost = isPlainOpen ? host : isHere ? '127.0.0.1' : null;
  return {
    host,
    tlsPort: ports?.tls ?? 8883,
    plainPort: ports?.plain ?? 1883,
    plainHost: ports && plainHost,
    isPlainOpen,
    needsCertificate: mqtt.needs_certificate,
    isKnown: ports !== null,
  };
}

/** `host:port`; an IPv6 address in brackets. */
export const hostAndPort = ({ host, tlsPort }: ServiceAddress): string =>
  host.includes(':') ? `[${host}]:${tlsPort}` : `${host}:${tlsPort}`;
