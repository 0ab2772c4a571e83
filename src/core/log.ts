import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Structured log of a process on standard error, so that standard output stays for results. Secrets are cut out. */
export function createLog(name: string, level = 'info'): Logger {
  const output = pino.destination({ fd: 2, sync: true });
  // A disk that is full, or a reader that is gone, must not end what the log tells of.
  output.on('error', () => {});
  return pino(
    {
      name,
      level,
      redact: ['authorization', 'password', 'secret', 'key', '*.authorization', '*.password', '*.secret'],
    },
    output,
  );
}
