// Made from en.json by `npm run words`.
/** A value as it is to be shown. */
type Shown = string | number;
/** Arguments of the English messages, by the path of the message. */
export interface Arguments {
  'common.day': { weekday: Shown; date: Shown };
  'common.moment': { day: Shown; time: Shown; zone: Shown };
  'common.line': { label: Shown; value: Shown };
  'common.quoted': { name: Shown };
  'common.more': { count: Shown };
  'alert.used.peak_usage': { energy: Shown; threshold: Shown; at: Shown };
  'alert.used.daily_usage': { energy: Shown; threshold: Shown; at: Shown };
  'alert.used.monthly_usage': { energy: Shown; threshold: Shown; at: Shown };
  'alert.cost.daily_cost': { cost: Shown; threshold: Shown; at: Shown };
  'alert.cost.monthly_cost': { cost: Shown; threshold: Shown; at: Shown };
  'alert.silent': { location: Shown; at: Shown };
  'webhookPaused.subject': { url: Shown };
  'accessEnded.from': { browser: Shown; address: Shown };
  'keyExpiring.subject': { key: Shown; at: Shown };
  'seriesFailing.price.subject': { series: Shown };
  'seriesFailing.emission.subject': { series: Shown };
  'members.invited': { home: Shown };
  'members.joined': { member: Shown };
  'members.began': { home: Shown };
  'members.memberEnded': { member: Shown };
  'members.membershipEnded': { home: Shown };
  'apps.began': { app: Shown };
  'apps.ended': { app: Shown };
  'signIn.subject': { code: Shown };
  'signIn.end': { minutes: Shown };
  'backups.interrupted': { folder: Shown };
  'pages.invitation.question.read': { home: Shown; member: Shown };
  'pages.invitation.question.manage': { home: Shown; member: Shown };
  'pages.invitation.done': { member: Shown; home: Shown };
  'pages.consent.signInFirst': { app: Shown };
  'pages.consent.asks': { app: Shown };
  'pages.consent.greenButton': { length: Shown; history: Shown };
  'pages.consent.receives': { host: Shown };
}
