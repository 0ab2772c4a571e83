import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startBroker } from '#test/support/broker.ts';
import { scaleTimeLimitMs } from '../../bench/time-limits.ts';

test('a socket on the broker’s TLS port that begins no handshake, or only half of one, is closed', async () => {
  const broker = await startBroker({
    handshakeMs: 300,
  });
  try {
    const fromMs = performance.now();
    for (const sentBytes of [[], [0x16, 3, 1, 2, 0, 1, 0]]) {
      const socket = connect(broker.tlsPort, '127.0.0.1');
      socket.on('error', () => {});
      socket.resume();
      socket.write(Buffer.from(sentBytes));
      await once(socket, 'close');
    }
    expect(performance.now() - fromMs).toBeLessThan(scaleTimeLimitMs(5_000));
  } finally {
    await broker.close();
  }
});
