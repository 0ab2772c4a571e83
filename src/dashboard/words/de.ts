import { alerts } from './de/alerts.ts';
import { bills } from './de/bills.ts';
import { common } from './de/common.ts';
import { devices } from './de/devices.ts';
import { download } from './de/download.ts';
import { edits } from './de/edits.ts';
import { fleet } from './de/fleet.ts';
import { groups } from './de/groups.ts';
import { home } from './de/home.ts';
import { homeassistant } from './de/homeassistant.ts';
import { imports } from './de/imports.ts';
import { keys } from './de/keys.ts';
import { messages } from './de/messages.ts';
import { period } from './de/period.ts';
import { plainWords } from './de/plain-words.ts';
import { provider } from './de/provider.ts';
import { sessions } from './de/sessions.ts';
import { tariffs } from './de/tariffs.ts';
import { unread } from './de/unread.ts';
import { webhooks } from './de/webhooks.ts';

import type { Words } from './en.ts';

/** All that the dashboard says, in German. */
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
