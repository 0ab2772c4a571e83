import { connect } from 'amqplib';
import type { AmqpUrl } from '#src/config/addresses.ts';

/** Connects to the first host of a cluster that accepts the login, and disconnects. Throws the last host's error. */
export async function testAmqpLogin(
  { hosts, isSecure, username, password, vhost }: AmqpUrl,
  timeoutMs: number,
): Promise<void> {
  const protocol = isSecure ? 'amqps' : 'amqp';
  let lastError: unknown;
  for (const { host, port } of hosts) {
    try {
      const address = { protocol, hostname: host, port, username, password, vhost };
      const connection = await connect(address, { timeout: timeoutMs / hosts.length });
      // Later errors of this connection are ignored.
      connection.on('error', () => {});
      await connection.close();
      return;
    } catch (error) {
      lastError = error;
    }
  }
  throw lastError;
}
