import { X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import { createSecureContext, getCACertificates } from 'node:tls';
import type { CustomFetch } from 'openid-client';

/** More than metadata, keys or claims of anybody have. Nothing behind it is read. */
const MAX_ANSWER_BYTES = 524_288;
/** A Response of these has no body (Fetch standard, null body status). */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * What `fetch` does, for one provider: over TLS alone, with a certificate authority (PEM) beside the known ones, without following
 * redirects, and with an end to what it reads. Throws where `ca` is no certificate. Rejects where nobody answers, too much, or not before the signal.
 */
export function limitedFetch(ca: string | undefined): CustomFetch {
  if (ca !== undefined) new X509Certificate(ca);
  const agent = new Agent(
    ca === undefined ? {} : { secureContext: createSecureContext({ ca: [...getCACertificates('default'), ca] }) },
  );
  return async (url, { method, headers, body, signal }) => {
    const sent =
      body === undefined || body === null ? undefined : Buffer.from(await new Response(body as BodyInit).arrayBuffer());
    return new Promise((resolve, reject) => {
      const length = sent === undefined ? {} : { 'content-length': sent.length };
      const outgoing = request(
        url,
        { agent, method, headers: { ...headers, ...length }, ...(signal ? { signal } : {}) },
        (incoming) => {
          const chunks: Buffer[] = [];
          let read = 0;
          incoming.on('data', (chunk: Buffer) => {
            read += chunk.length;
            chunks.push(chunk);
            if (read > MAX_ANSWER_BYTES) outgoing.destroy(new Error(`answered more than ${MAX_ANSWER_BYTES} bytes`));
          });
          incoming.on('error', reject);
          incoming.on('end', () => {
            const { statusCode: status = 500, headers: answered } = incoming;
            const told = Object.entries(answered).flatMap(([name, value]) =>
              [value ?? []].flat().map((one): [string, string] => [name, one]),
            );
            const content = WITHOUT_BODY.has(status) ? null : Buffer.concat(chunks);
            // A status that is none throws: rejected like any other answer that cannot be read.
            try {
              resolve(new Response(content, { status, headers: told }));
            } catch (error) {
              reject(error);
            }
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(sent);
    });
  };
}
