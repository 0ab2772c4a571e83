import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export interface User {
  user_id: string;
  email: string;
  role: 'homeowner' | 'utility' | 'admin';
  phone: string | null;
  timezone: string;
  plan: string;
}

/** Who is signed in, whose data are looked at, and how to get elsewhere. */
export interface Session {
  me: User;
  environment: 'live' | 'sandbox';
  /** Ports of the service's own broker; null where it uses another one. */
  mqtt: { port: number; tls_port: number } | null;
  /** The account that the pages show: one's own, unless another one was picked. */
  user: User;
  pick(user: User): void;
  go(path: string): void;
}

export const SessionContext = createContext<Session | null>(null);

/** The session, for pages: they are shown to who is signed in only. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session');
  return session;
}
