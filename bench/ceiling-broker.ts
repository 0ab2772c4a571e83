import { createServer } from 'node:net';
import { Aedes } from 'aedes';

/** Child process: an aedes broker like the embedded one, without any code of the service. Its rate is the maximum of the transport. */
const broker = await Aedes.createBroker({ heartbeatInterval: 60_000 });
const server = createServer(broker.handle);
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));
process.on('disconnect', () => process.exit(0));
