import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { User } from '#clients/typescript/client.ts';

/** The session as the pages see it: the signed-in account, the selected account, and navigation. */
export interface Session {
  me: User;
  /** Whether the time zone of the account has never been set. */
  asksTimezone: boolean;
  /**
   * Replaces the signed-in account with the account in an API response. The time zone must be set in it, because the pages then stop asking
   * for one.
   */
  changeMe(me: User): void;
  /** Ends the session in this page and shows the sign-in page. `reason`: text that the sign-in page shows. */
  leave(reason?: string): void;
  environment: 'live' | 'sandbox';
  /** Settings with which devices reach the MQTT broker. */
  mqtt: {
    host: string;
    /** Ports of the service's own broker. Null if the service uses an external broker. */
    ports: { tls: number; plain: number } | null;
    /** Whether devices in other networks may also connect without TLS. */
    is_plain_open: boolean;
    /** Whether devices need a copy of the service's certificate. */
    needs_certificate: boolean;
  };
  /** The account that the pages show: the selected one or, by default, the signed-in one. */
  user: User;
  pick(user: User): void;
  /** Rest of the page's address after the name of the page, such as `month/2026-10`. */
  rest: string;
  /** Opens another page and moves the focus to it. */
  go(path: string): void;
  /** Changes the address within the current page, without moving the focus. */
  move(path: string): void;
}

export const SessionContext = createContext<Session | null>(null);

/** Returns the session. It exists whenever a page is rendered, because pages are rendered only while an account is signed in. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session');
  return session;
}

/** Attributes of a link to a page of the dashboard. */
export type PageLink = (page: string) => { href: string; onClick: (event: MouseEvent) => void };

/** Returns a function that returns the attributes of a link to a page. Such a link opens the page without loading the document again. */
export function usePageLink(): PageLink {
  const { go } = useSession();
  return (page) => ({
    href: page === '' ? '/dashboard' : `/dashboard/${page}`,
    onClick: createPlainClickHandler(() => go(page)),
  });
}

/** Returns a handler for clicks on a link. Ignores clicks with a modifier key, with which the browser opens the link in another tab. */
export const createPlainClickHandler = (act: () => void) => (event: MouseEvent) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  act();
};
