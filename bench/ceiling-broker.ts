import { createServer } from 'node:net';
import { Aedes } from 'aedes';

/** Child process that runs an aedes broker without any code of the service. Its rate is the maximum that the transport permits. */
const broker = await Aedes.createBroker({ heartbeatInterval: 60_000 });
const server = createServer(broker.handle);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));
process.on('disconnect', () => process.exit(0));
