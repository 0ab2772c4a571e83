import { type Command, Option } from 'commander';
import { deleteDevice, getDevice, listDevices, updateDevice } from '#src/api/v1/devices/operations.ts';
import { updateGateway } from '#src/api/v1/gateways/operations.ts';
import type { Config } from '#src/config/load.ts';
import { AppError } from '#src/core/errors.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { escapeLineForTerminal } from '#src/core/output.ts';
import type { Database } from '#src/database/connect.ts';
import { PLACEMENTS, type Placement } from '#src/database/enums.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { createGateway, type DiscoveredDevice, listDiscoveredDevices, listGateways } from '#src/devices/gateways.ts';
import { readFutureManagers } from '#src/devices/management.ts';
import { createDevice, pairDiscovered } from '#src/devices/store.ts';
import { gatewayPrefix, readingsTopic } from '#src/devices/topics.ts';
import { runAsOperator } from '#src/users/audit.ts';
import { formatDeviceAddress } from './device-address.ts';
import { importDeviceTable } from './devices-import.ts';
import { findUserId } from './named-user.ts';
import { addDeleteCommand, addGetCommand, addListCommand, addUpdateCommand, type CommandNoun } from './nouns/verbs.ts';
import { printResult, runOnServiceDatabase } from './running-service.ts';

/** Maximum number of objects in a list that is printed on a terminal. */
const PAGE = { limit: 200 };

interface NewDevice {
  user: string;
  type: string;
  location: string;
  discovery?: string;
  json?: boolean;
  placement?: Placement;
  upstream?: string;
}

interface NewGateway {
  user: string;
  name: string;
  json?: boolean;
}

const DEVICE: CommandNoun = {
  name: 'device',
  id: 'device_id',
  columns: ['device_id', 'type', 'location', 'placement', 'status', 'last_seen_at', 'attention'],
};
const GATEWAY: CommandNoun = { name: 'gateway', id: 'gateway_id', columns: [] };

/** Registers `energy devices|gateways …` for pairing, with the same functions as the HTTP API. */
export function register(program: Command): void {
  addDeviceCommands(program.command('devices'));
  addGatewayCommands(program.command('gateways'));
}

function addDeviceCommands(devices: Command): void {
  devices
    .command('create')
    .description('pair a device; its MQTT password is shown only once')
    .requiredOption('--user <user>', 'owner: a user_id or an e-mail address')
    .option('--type <type>', 'type of the device, such as smart_meter or thermostat', 'smart_meter')
    .option('--location <location>', 'location of the device', 'home')
    .addOption(
      new Option('--placement <placement>', 'position of the device in the home (default: by its type)').choices(
        PLACEMENTS,
      ),
    )
    .option('--upstream <device_id>', 'upstream device: the meter whose measurement includes this device')
    .option(
      '--discovery <discovery_id>',
      'id of a device that was discovered through a gateway (energy devices discovered)',
    )
    .option('--json', 'print one JSON object')
    .action((options: NewDevice) => runOnServiceDatabase((db, config) => pair(db, config, options)));
  devices
    .command('import <file>')
    .description(
      'pair all devices of a CSV table, or none: columns user_id or email, type, location and other members of POST /v1/devices; repeating it changes nothing',
    )
    .option(
      '--credentials <file>',
      'file for the MQTT passwords (default: FILE.credentials.csv; with --json the output)',
    )
    .option('--create-users', 'create an account for each unknown e-mail address')
    .option('--utility <user>', 'utility of the existing and new homeowners: a user_id or an e-mail address')
    .option('--json', 'print one JSON object')
    .action(importDeviceTable);
  devices
    .command('discovered')
    .description('list devices that were discovered through a user’s gateways and are not paired')
    .requiredOption('--user <user>', 'owner of the gateways: a user_id or an e-mail address')
    .option('--json', 'print one JSON object per line')
    .action((options: { user: string; json?: boolean }) => runOnServiceDatabase((db) => discovered(db, options)));
  addListCommand(devices, DEVICE, listDevices, { ofUser: true });
  addGetCommand(devices, DEVICE, getDevice);
  addUpdateCommand(devices, DEVICE, updateDevice);
  addDeleteCommand(devices, DEVICE, deleteDevice, 'the device can no longer log in; its past consumption stays');
}

function addGatewayCommands(gateways: Command): void {
  gateways
    .command('create')
    .description('create a gateway; its MQTT password is shown only once')
    .requiredOption('--user <user>', 'owner: a user_id or an e-mail address')
    .option('--name <name>', 'name of the gateway', 'home')
    .option('--json', 'print one JSON object')
    .action((options: NewGateway) => runOnServiceDatabase((db, config) => create(db, config, options)));
  addUpdateCommand(gateways, GATEWAY, updateGateway);
  gateways
    .command('list')
    .description('list the gateways of a user')
    .requiredOption('--user <user>', 'owner: a user_id or an e-mail address')
    .option('--json', 'print one JSON object per line')
    .action((options: { user: string; json?: boolean }) =>
      runOnServiceDatabase(async (db) => {
        const all = await listGateways(db, ALL_ACCOUNTS, await findUserId(db, options.user), PAGE);
        for (const one of all) printResult(options.json, one, escapeLineForTerminal(`${one.gateway_id}  ${one.name}`));
        if (all.length === 0 && !options.json)
          console.log('There are no gateways. Create one with: energy gateways create');
      }),
    );
}

async function create(db: Database, config: Config, { user, name, json }: NewGateway): Promise<void> {
  const wanted = { userId: await findUserId(db, user), name };
  const { gateway, secret } = await runAsOperator(
    db,
    'gateway.created',
    (trx) => createGateway(trx, wanted),
    (made) => made.gateway.gateway_id,
  );
  const prefix = gatewayPrefix(gateway.gateway_id);
  const mqtt = { username: gateway.gateway_id, password: secret, topic_prefix: prefix };
  printResult(json, { ...gateway, mqtt }, `${formatLogin(config, mqtt)}\nprefix    ${prefix}`);
}

const formatLogin = (config: Config, { username, password }: { username: string; password: string }): string =>
  `${formatDeviceAddress(config)}\nusername  ${username}\npassword  ${password} (shown only once)`;

async function pair(db: Database, config: Config, options: NewDevice): Promise<void> {
  const { user, type, location, placement, upstream, discovery, json } = options;
  const userId = await findUserId(db, user);
  const placementSettings = omitUndefined({ placement, upstream_device_id: upstream });
  const managedBy = (await readFutureManagers(db, ALL_ACCOUNTS, [userId]))(userId);
  const wanted = { userId, managedBy, type, location, ...placementSettings };
  if (discovery !== undefined) {
    const pair = async (trx: Database) => {
      const paired = await pairDiscovered(trx, ALL_ACCOUNTS, discovery, wanted).catch((error: unknown) => {
        const [detail] = error instanceof AppError ? (error.details ?? []) : [];
        throw detail ? new Error(`${discovery}: ${detail.message}`) : error;
      });
      if (!paired)
        throw new Error(
          `${user} has no discovered device ${discovery}. List them with: energy devices discovered --user ${user}`,
        );
      return paired;
    };
    const paired = await runAsOperator(db, 'device.paired', pair, ({ device_id }) => device_id);
    return printResult(json, paired, `${paired.device_id} is paired. Its energy counts from its next message.`);
  }
  const { device, secret } = await runAsOperator(
    db,
    'device.paired',
    (trx) => createDevice(trx, wanted),
    (made) => made.device.device_id,
  );
  const mqtt = { username: device.device_id, password: secret, topic: readingsTopic(device.device_id) };
  printResult(json, { ...device, mqtt }, `${formatLogin(config, mqtt)}\ntopic     ${mqtt.topic}`);
}

function whyNothingCounts({ awaits, quantities }: DiscoveredDevice): string {
  if (awaits !== null) return `announced, but no value received yet. Add this topic to your bridge: ${awaits}`;
  const others = quantities.map(({ channel, kind }) => `${channel} ${kind}`).join(', ');
  return others === '' ? 'not counted yet: usually its unit is missing in the settings' : `no electricity: ${others}`;
}

async function discovered(db: Database, { user, json }: { user: string; json?: boolean }): Promise<void> {
  const all = await listDiscoveredDevices(db, ALL_ACCOUNTS, await findUserId(db, user), PAGE);
  for (const one of all) {
    const counted = one.quantities.filter(({ counts }) => counts !== null);
    const what = counted.map(({ channel, kind, counts }) => `${channel} ${kind} counts as ${counts}`).join(', ');
    // Line breaks in a device's text are escaped, so that the text cannot start a new line of output.
    const head = escapeLineForTerminal(`${one.discovery_id}  ${one.family}  ${one.native_id}`);
    printResult(json, one, `${head}\n  ${escapeLineForTerminal(what || whyNothingCounts(one))}`);
  }
  if (all.length === 0 && !json) console.log('There are no unpaired devices.');
}
