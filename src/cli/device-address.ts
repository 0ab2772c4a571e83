import { resolve } from 'node:path';
import { formatHostAndPort } from '#src/config/addresses.ts';
import type { Config } from '#src/config/load.ts';

/** Returns lines of text with the address to which devices connect, and the certificate that devices must trust. */
export function formatDeviceAddress({ mqtt, tls, dataDir }: Config): string {
  if (mqtt.url) return `host      ${mqtt.publicHost} (the broker of MQTT_URL)`;
  const lines = [`host      ${mqtt.publicHost}, port ${mqtt.tlsPort} with TLS`];
  if (!tls.certFile) lines.push(`trust     ${resolve(dataDir, 'tls/cert.pem')}, or GET /certificate.pem`);
  return lines.join('\n');
}

/** Returns the broker's address as text for the output of the running service. */
export function formatBrokerLine({ mqtt }: Config): string {
  if (mqtt.url) return 'the broker of MQTT_URL';
  return `mqtts://${formatHostAndPort(mqtt.publicHost, mqtt.tlsPort)}, and mqtt://${formatHostAndPort(mqtt.host, mqtt.port)} without TLS`;
}
