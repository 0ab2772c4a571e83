import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';

/** The signed-in account, the selected account, and navigation. */
export interface Session {
  me: User;
  /** Whether the time zone of the account has never been set. */
  asksTimezone: boolean;
  /** Replaces the signed-in account by an API response, in which the time zone is set. */
  changeMe(me: User): void;
  /** Shows the sign-in page after the service has ended the session. `reason`: text that the page shows. */
  leave(reason?: string): void;
  environment: 'live' | 'sandbox';
  /** Settings of the broker for devices. */
  mqtt: {
    host: string;
    /** Ports of the service's own broker; null if it uses an external one. */
    ports: { tls: number; plain: number } | null;
    /** Whether devices in other networks may also connect without TLS. */
    is_plain_open: boolean;
    /** Whether clients need a copy of the service's certificate. */
    needs_certificate: boolean;
  };
  /** The account that the pages show: the selected one or, by default, the signed-in one. */
  user: User;
  pick(user: User): void;
  /** Rest of the address after the page's name, such as `month/2026-10`. */
  rest: string;
  /** Opens another page and moves the focus to it. */
  go(path: string): void;
  /** Changes the address within the same page, without moving the focus. */
  move(path: string): void;
}

export const SessionContext = createContext<Session | null>(null);

/** Returns the session. Pages are rendered only while an account is signed in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session');
  return session;
}

/** Attributes of a link to a page of the dashboard. */
export type PageLink = (page: string) => { href: string; onClick: (event: MouseEvent) => void };

/** Returns a function for the attributes of links that open pages without loading the document again. */
export function usePageLink(): PageLink {
  const { go } = useSession();
  return (page) => ({
    href: page === '' ? '/dashboard' : `/dashboard/${page}`,
    onClick: onPlainClick(() => go(page)),
  });
}

/** Returns a handler for clicks on a link. With a modifier key, the browser opens the link in another tab instead. */
export const onPlainClick = (act: () => void) => (event: MouseEvent) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  act();
};
