/**
 * The host of callbacks that the service answers itself: whoever tries webhooks sees his event in the log of its delivery, and needs
 * no server for it. No name below `.example` ever leads anywhere (RFC 2606), so nobody can have meant another one. Nothing is sent, and
 * nobody but the subscription's owner sees what was: there is nothing that a stranger could send to, or read.
 */
export const CATCHER_HOST = 'catcher.example';

/** What the catcher answers: the headers that it got. They are the only ones of a delivery that hold a signature and are kept. */
export const caughtAnswer = (headers: Record<string, string>): string => JSON.stringify(headers);

/** The headers in an answer of the catcher; none where it is no answer of it, or was cut off. */
export function caughtHeaders(answer: string | null): Record<string, string> {
  try {
    const headers: unknown = JSON.parse(answer ?? '');
    return typeof headers === 'object' && headers !== null ? (headers as Record<string, string>) : {};
  } catch {
    return {};
  }
}
