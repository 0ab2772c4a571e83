import { Agent, request } from 'node:https';

export interface ApiResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: a response can have any form; each test asserts the form
  json: any;
}

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** Sends a request to an API that runs in another process. Throws if there is no response. */
export function sendApiRequest(
  port: number,
  path: string,
  sent: { key?: string; method?: string; body?: unknown } = {},
): Promise<ApiResponse> {
  const { key, method = 'GET', body } = sent;
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const asking = request({ host: 'localhost', port, path, method, headers, agent, timeout: 300_000 }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          json: text === '' ? null : JSON.parse(text),
        }),
      );
    });
    asking.on('timeout', () => asking.destroy(new Error(`no answer within 30 s: ${method} ${path}`)));
    asking.on('error', reject);
    asking.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
