import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isInstalled } from '../../test/support/setup/needs.ts';
import { installPackages } from '../../test/support/setup/packages.ts';
import { NODE_RED_VERSION } from './programs.ts';

/** Version of an installed program, or the reason why it cannot run here. */
type ProgramVersionOrMissingReason = { version: string } | { missing: string };

const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'energy-usage-service');
/** Folder outside the repository into which npm installs Node-RED. */
export const NODE_RED_FOLDER = join(CACHE, `node-red-${NODE_RED_VERSION}`);
const PYTHON_PACKAGES = ['python3-paho-mqtt', 'python3-psycopg2'];
/** Python program that prints the versions of the bridge's libraries, and whether these can acknowledge a message after the commit. */
const PYTHON_VERSIONS = `import inspect, platform, paho.mqtt, paho.mqtt.client as mqtt, psycopg2
late = "manual_ack" in inspect.signature(mqtt.Client.__init__).parameters
print(f"Python {platform.python_version()}, paho-mqtt {paho.mqtt.__version__}, psycopg2 {psycopg2.__version__.split()[0]}")
print("after the commit" if late else "on arrival")`;

/** Installs missing packages of Debian, if the process runs as root on Debian. Elsewhere, the programs that need them do not run. */
export function installDebianPackages(): void {
  const wanted = [...(isInstalled('mosquitto') ? [] : ['mosquitto']), ...(pythonVersions() ? [] : PYTHON_PACKAGES)];
  if (wanted.length === 0 || process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return;
  process.stderr.write(`installing ${wanted.join(', ')} …\n`);
  try {
    installPackages(wanted);
  } catch (error) {
    process.stderr.write(`${String((error as { stderr?: Buffer }).stderr ?? error).trim()}\n`);
  }
}

/** Installs Node-RED with npm unless Node-RED is already installed. */
export function findNodeRedVersion(): ProgramVersionOrMissingReason {
  if (!existsSync(NODE_RED_FOLDER)) {
    process.stderr.write(`installing Node-RED ${NODE_RED_VERSION} with npm in ${NODE_RED_FOLDER}, once …\n`);
    const fresh = `${NODE_RED_FOLDER}.new-${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    const options = [
      '--no-save',
      '--no-package-lock',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--omit=optional',
    ];
    try {
      execFileSync('npm', ['install', '--prefix', fresh, ...options, `node-red@${NODE_RED_VERSION}`], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      renameSync(fresh, NODE_RED_FOLDER);
    } catch {
      rmSync(fresh, { recursive: true, force: true });
      return { missing: `npm could not install Node-RED ${NODE_RED_VERSION}` };
    }
  }
  const { version } = JSON.parse(readFileSync(join(NODE_RED_FOLDER, 'node_modules/node-red/package.json'), 'utf8'));
  return { version: `Node-RED ${version}` };
}

/** Returns the versions of Debian's Python libraries, and when the Python bridge that writes batches acknowledges a message. */
export function findPythonVersion(): ProgramVersionOrMissingReason & { acknowledges?: string } {
  const found = pythonVersions();
  if (!found) return { missing: `${PYTHON_PACKAGES.join(' or ')} is missing (apt-get install)` };
  const [version = '', acknowledges = ''] = found.split('\n');
  return { version, acknowledges };
}

function pythonVersions(): string | null {
  const { status, stdout } = spawnSync('/usr/bin/python3', ['-c', PYTHON_VERSIONS], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** Returns the version of Telegraf. It is neither in Debian 12 nor on npm, so it takes part only if the user has installed it. */
export function findTelegrafVersion(): ProgramVersionOrMissingReason {
  const { status, stdout } = spawnSync('telegraf', ['--version'], { encoding: 'utf8' });
  return status === 0
    ? { version: stdout.trim().split(' (')[0] as string }
    : { missing: 'no package in Debian 12, and no `telegraf` on the PATH' };
}
