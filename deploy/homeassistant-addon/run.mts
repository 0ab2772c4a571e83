import { execFile } from 'node:child_process';
import { chownSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

/*
 * Starts the service in the add-on's container: node run.mts PROGRAM. The supervisor of Home Assistant starts it as root, with the options in
 * options.json of the data folder and a token for its API. The service itself runs as the user node, as in every other image: PostgreSQL
 * refuses root.
 */

/** Options of the add-on, in the form of `schema` in config.yaml. */
interface Options {
  email: string;
  public_url: string;
  smtp_url?: string;
  show_in_home_assistant: boolean;
  log_level: string;
}

/** Home Assistant's broker, as the supervisor describes it. */
interface Broker {
  host: string;
  port: number;
  username?: string;
  password?: string;
  ssl?: boolean;
}

/** User and group `node` of the image. */
const NODE_USER = 1000;
const SUPERVISOR = process.env.SUPERVISOR_API ?? 'http://supervisor';
const HEALTH = `http://127.0.0.1:${process.env.OPERATOR_PORT ?? 9464}/healthz`;

/** Returns the service's variables for these options. Without a broker nothing is published in Home Assistant. */
function environmentOf(options: Options, broker: Broker | null): Record<string, string> {
  return {
    PUBLIC_URL: options.public_url,
    SMTP_URL: options.smtp_url ?? '',
    LOG_LEVEL: options.log_level,
    ...(broker ? { HOMEASSISTANT_MQTT_URL: urlOf(broker), HOMEASSISTANT_USERS: options.email } : {}),
  };
}

function urlOf({ host, port, username, password, ssl }: Broker): string {
  const login = [username, password].filter((text) => text !== undefined).map(encodeURIComponent);
  return `${ssl ? 'mqtts' : 'mqtt'}://${login.join(':')}${login.length > 0 ? '@' : ''}${host}:${port}`;
}

/** Returns Home Assistant's broker. Null if it has none: the supervisor answers 400, "Service not enabled". */
async function findBroker(): Promise<Broker | null> {
  const headers = { Authorization: `Bearer ${process.env.SUPERVISOR_TOKEN}` };
  const answer = await fetch(`${SUPERVISOR}/services/mqtt`, { headers, signal: AbortSignal.timeout(10_000) });
  if (answer.status === 400) return null;
  if (!answer.ok) throw new Error(`The supervisor answered ${answer.status} for the MQTT broker`);
  return ((await answer.json()) as { data: Broker }).data;
}

/** Gives up root for good, after the data folder belongs to the user that the service runs as. */
function becomeNode(dataDir: string): void {
  if (process.getuid?.() !== 0) return;
  chownSync(dataDir, NODE_USER, NODE_USER);
  process.setgroups?.([]);
  process.setgid?.(NODE_USER);
  process.setuid?.(NODE_USER);
}

/** Prints a link that signs in to the dashboard as the home's account, which the first start creates. Waits until all roles run. */
async function printSignInLink(program: string, email: string): Promise<void> {
  const isReady = () =>
    fetch(HEALTH).then(
      ({ ok }) => ok,
      () => false,
    );
  // The timer does not keep a service alive that is stopped before it is ready.
  while (!(await isReady())) await pause(1_000, undefined, { ref: false });
  const energy = async (...args: string[]) => (await promisify(execFile)(process.execPath, [program, ...args])).stdout;
  const signIn = () => energy('users', 'sign-in', email);
  const link = await signIn().catch(() => energy('users', 'create', '--email', email).then(signIn));
  console.log(`\nThis link signs you in as ${email}, once and within a day:\n\n  ${link}`);
}

const [, , program = ''] = process.argv;
const dataDir = process.env.DATA_DIR ?? '/data';
const options: Options = JSON.parse(readFileSync(join(dataDir, 'options.json'), 'utf8'));
const broker = options.show_in_home_assistant ? await findBroker() : null;
if (options.show_in_home_assistant && !broker)
  console.log('Home Assistant has no MQTT broker yet. Install one and restart this add-on to see the home there.');
Object.assign(process.env, environmentOf(options, broker));
// The service and its programs do not call the supervisor.
for (const name of ['SUPERVISOR_TOKEN', 'HASSIO_TOKEN']) delete process.env[name];
becomeNode(dataDir);
process.argv.splice(1, Number.POSITIVE_INFINITY, program, 'start');
printSignInLink(program, options.email).catch((error: Error) => console.error(`No link to sign in: ${error.message}`));
await import(pathToFileURL(program).href);
