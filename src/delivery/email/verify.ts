import { createTransport } from 'nodemailer';

/** Connects to a mail server and logs in; nothing is sent. Throws where it is not reached, or does not take the login. */
export async function verifySmtp(url: string, timeoutMs: number): Promise<void> {
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const transport = createTransport({ url, ...timeouts });
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}
