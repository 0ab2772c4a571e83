import type { FastifyInstance } from 'fastify';

/**
 * Adds hooks to an API that count its requests and inject faults. A client requests a fault with the header `X-Test-Fault`: kind, number of
 * times and name.
 */
export function addFaultInjection(app: FastifyInstance): { requests(): number } {
  const seen = new Map<string, number>();
  let requests = 0;
  const isDue = (fault: string) => {
    const times = Number(fault.split(' ')[1]);
    const before = seen.get(fault) ?? 0;
    seen.set(fault, before + 1);
    return before < times;
  };
  app.addHook('onRequest', async (request, reply) => {
    requests++;
    const fault = String(request.headers['x-test-fault'] ?? '');
    const [kind] = fault.split(' ');
    // The fault `lost` breaks the connection after the API has executed the request.
    if (kind === '' || kind === 'lost' || !isDue(fault)) return;
    if (kind === 'cut') return void request.raw.socket.destroy();
    if (kind === 'slow') await new Promise((done) => setTimeout(done, 1_500));
    const status = { 429: 429, 503: 503, day: 429 }[kind ?? ''];
    if (status === undefined) return;
    const seconds = kind === 'day' ? 86_400 : 0;
    return reply.status(status).header('Retry-After', seconds).send({ error: 'A fault', status });
  });
  app.addHook('onSend', async (request) => {
    const fault = String(request.headers['x-test-fault'] ?? '');
    if (fault.startsWith('lost') && isDue(fault)) request.raw.socket.destroy();
  });
  return { requests: () => requests };
}
