import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';

/** Who is signed in, whose data are looked at, and how to get elsewhere. */
export interface Session {
  me: User;
  /** Whether nobody has set the time zone of the account yet. */
  asksTimezone: boolean;
  /** Takes the account as an answer returned it, with a time zone that somebody has set. */
  changeMe(me: User): void;
  environment: 'live' | 'sandbox';
  /** Where devices reach the broker. */
  mqtt: {
    host: string;
    /** Of the service's own broker; null where it uses another one. */
    ports: { tls: number; plain: number } | null;
    /** Whether devices elsewhere may go without TLS, too. */
    is_plain_open: boolean;
    /** Whether who connects needs a copy of the service's certificate. */
    needs_certificate: boolean;
  };
  /** The account that the pages show: one's own, unless another one was picked. */
  user: User;
  pick(user: User): void;
  /** What the address has after the page's own name: `month/2026-10`. */
  rest: string;
  /** To another page, which takes the focus. */
  go(path: string): void;
  /** To another address of the same page: the focus stays. */
  move(path: string): void;
}

export const SessionContext = createContext<Session | null>(null);

/** The session, for pages: they are shown to who is signed in only. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session');
  return session;
}
