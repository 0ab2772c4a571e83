/**
 * Reasons why a relation is missing from a person's archive (`archive`), from a move of the installation (`installation`), or from a move
 * of an account (`account`).
 */
interface Reasons {
  /** The archive's files with the relation's data, or the reason why the data is not personal. */
  archive?: string;
  installation?: string;
  account?: string;
}

const RECOMPUTED = 'a worker recomputes it from the homes that exist';
const DISTINCT = 'each installation has its own';

/**
 * Relations that are missing from an archive or a move, with the reasons. Relations that are computed from the load profile need no reason.
 */
const UNCOVERED: Readonly<Record<string, Reasons>> = {
  apps: { account: 'programs call them at the address of the installation: their owners register them again' },
  arrivals: { account: 'the new installation records where the account came from' },
  arriving_names: {
    archive: 'ids and secrets of arriving accounts, for some seconds',
    account: 'until the account is there',
  },
  arriving_series: { archive: 'series numbers of arriving accounts', account: 'until the account is there' },
  authorizations: { account: 'apps call the installation at which the home consented: the home consents again' },
  believed_time: { archive: 'the latest time at which the installation was in use', account: DISTINCT },
  changed_home_days: { archive: 'load_profile.csv: changed days', installation: RECOMPUTED, account: RECOMPUTED },
  clock_steps: { archive: 'steps of clocks: their effect is in reading_edits.json', account: 'edits move instead' },
  closed_device_hourly: { archive: 'device_hourly.csv' },
  closed_device_intervals: { archive: 'load_profile.csv' },
  closed_user_daily: { archive: 'daily.csv' },
  closed_user_hourly: { archive: 'hourly.csv' },
  closed_user_monthly_by_hour: { archive: 'monthly_by_hour.csv' },
  daily_runs: { archive: 'when daily jobs last ran', account: DISTINCT },
  departed_logins: { archive: 'ids of the devices of moved accounts', account: 'the accounts have moved' },
  departed_messages: {
    archive: 'messages for moved accounts, until forwarded',
    account: 'the new installation writes them like any message, once it has the account',
  },
  departures: {
    archive: 'ids of moved accounts, which the new installation exports',
    account: 'the accounts have moved',
  },
  device_days: { archive: 'load_profile.csv' },
  device_hours: { archive: 'load_profile.csv' },
  device_notes: { archive: 'reading_notes.csv and quantity_changes.json' },
  email_changes: { account: 'the secret of the installation signs the links: people change the address again' },
  endings: {
    archive: 'ids of deleted or revoked objects, for some seconds',
    installation: 'belongs to the back-ups of the embedded database that is moved',
    account: DISTINCT,
  },
  group_sums_progress: { archive: 'how far sums of groups are stored', installation: RECOMPUTED, account: RECOMPUTED },
  home_members: { account: 'mostly only one of the two accounts moves: owners invite again' },
  host_clocks: { archive: 'state of the clocks of hosts', account: DISTINCT },
  ingest_slots: { archive: 'numbers of ingest workers', account: DISTINCT },
  installation: {
    archive: 'the name of the installation',
    installation: 'set last (filling.ts): until then it names the source from which the database is being filled',
    account: DISTINCT,
  },
  kept_begun_homes: { archive: 'load_profile.csv: totals of the month', installation: RECOMPUTED, account: RECOMPUTED },
  kept_device_pasts: { archive: 'load_profile.csv: earlier totals', installation: RECOMPUTED, account: RECOMPUTED },
  kept_group_homes: { archive: 'group_memberships.json', installation: RECOMPUTED, account: RECOMPUTED },
  kept_group_sums: { archive: 'sums over the homes of a group', installation: RECOMPUTED, account: RECOMPUTED },
  kept_groups: { archive: 'sums over the homes of a group', installation: RECOMPUTED, account: RECOMPUTED },
  late_deltas: {
    archive: 'load_profile.csv, some seconds later',
    installation: 'folded into the load profile before that is copied',
    account: 'folded into the load profile before that is copied',
  },
  login_places: {
    archive: 'the ingest process to which a device is connected',
    installation: 'not logged: recorded with the next connection of each login',
    account: 'recorded with the next connection of each login',
  },
  oauth_tokens: {
    archive: 'authorizations.json: digests of codes and tokens',
    account: 'the authorizations do not move',
  },
  open_hours: { archive: 'device_hourly.csv' },
  open_quarter_hours: { archive: 'load_profile.csv' },
  parcels: { archive: 'rows of moving accounts, for some seconds', account: 'the target has taken over its rows' },
  passkey_challenges: {
    archive: 'random numbers of sign-ins of the last minutes',
    installation: 'valid for minutes: people press the button again',
    account: 'valid for minutes: people press the button again',
  },
  request_counts: {
    installation: 'windows of a minute and a day, not logged: they begin again, as after a crash',
    account: 'windows of a minute and a day: they begin again',
  },
  rollup_progress: { archive: 'how far aggregates are computed', installation: DISTINCT, account: DISTINCT },
  schema_migrations: { archive: 'migrations that were applied', installation: DISTINCT, account: DISTINCT },
  series_roles: { archive: 'channels.json' },
  sign_ins: { account: 'codes are valid for minutes and sealed by the secret of the installation' },
  silence_watches: { archive: 'when workers last looked for silent devices', account: DISTINCT },
  source_checks: {
    archive: 'how often an account checked sources on a day, for a limit',
    installation: 'counts of a day: they begin again',
    account: 'counts of a day: they begin again',
  },
  source_hosts: {
    archive: 'when workers last fetched from hosts',
    installation: 'times of a second',
    account: DISTINCT,
  },
  stale_days: { archive: 'days whose aggregates are recomputed', installation: DISTINCT, account: DISTINCT },
  temporary_secrets: {
    installation: 'belong to running imports; they end with the old database',
    account: 'belong to running imports, which end',
  },
  untimed_series: { account: 'recorded with the next reading of each series' },
  usage_changes: { archive: 'hourly.csv: changed hours that are not yet compared with alerts' },
};

/** Returns the relations that are missing from the archive or from one kind of move. */
export const listUncoveredRelations = (by: keyof Reasons): string[] =>
  Object.keys(UNCOVERED).filter((relation) => UNCOVERED[relation]?.[by] !== undefined);

/** Relations whose rows a worker computes again after a move. */
export const RECOMPUTED_RELATIONS = Object.keys(UNCOVERED).filter(
  (relation) => UNCOVERED[relation]?.account === RECOMPUTED,
);
