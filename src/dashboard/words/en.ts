import { alerts } from './en/alerts.ts';
import { bills } from './en/bills.ts';
import { common } from './en/common.ts';
import { devices } from './en/devices.ts';
import { download } from './en/download.ts';
import { edits } from './en/edits.ts';
import { fleet } from './en/fleet.ts';
import { groups } from './en/groups.ts';
import { home } from './en/home.ts';
import { homeassistant } from './en/homeassistant.ts';
import { imports } from './en/imports.ts';
import { keys } from './en/keys.ts';
import { messages } from './en/messages.ts';
import { period } from './en/period.ts';
import { plainWords } from './en/plain-words.ts';
import { provider } from './en/provider.ts';
import { sessions } from './en/sessions.ts';
import { tariffs } from './en/tariffs.ts';
import { unread } from './en/unread.ts';
import { webhooks } from './en/webhooks.ts';

/** All that the dashboard says, in English; the other languages say the same. */
export const words = {
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

/** What every language says: English decides what there is. */
export type Words = typeof words;
