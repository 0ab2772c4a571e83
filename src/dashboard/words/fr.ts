import type { Words } from './en.ts';
import { alerts } from './fr/alerts.ts';
import { bills } from './fr/bills.ts';
import { common } from './fr/common.ts';
import { devices } from './fr/devices.ts';
import { download } from './fr/download.ts';
import { edits } from './fr/edits.ts';
import { fleet } from './fr/fleet.ts';
import { groups } from './fr/groups.ts';
import { home } from './fr/home.ts';
import { homeassistant } from './fr/homeassistant.ts';
import { imports } from './fr/imports.ts';
import { keys } from './fr/keys.ts';
import { messages } from './fr/messages.ts';
import { period } from './fr/period.ts';
import { plainWords } from './fr/plain-words.ts';
import { provider } from './fr/provider.ts';
import { sessions } from './fr/sessions.ts';
import { tariffs } from './fr/tariffs.ts';
import { unread } from './fr/unread.ts';
import { webhooks } from './fr/webhooks.ts';

/** All that the dashboard says, in French. */
export const words: Words = {
  common,
  home,
  messages,
  period,
  plainWords,
  download,
  keys,
  devices,
  edits,
  fleet,
  unread,
  imports,
  homeassistant,
  tariffs,
  bills,
  alerts,
  webhooks,
  sessions,
  groups,
  provider,
};
