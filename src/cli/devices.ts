import { type Command, Option } from 'commander';
import type { z } from 'zod';
import { createDevice, deleteDevice, getDevice, listDevices, updateDevice } from '#src/api/v1/devices/operations.ts';
import type { pairedDeviceSchema } from '#src/api/v1/devices/shape.ts';
import { createGateway, listGateways, updateGateway } from '#src/api/v1/gateways/operations.ts';
import type { createdGatewaySchema } from '#src/api/v1/gateways/shape.ts';
import type { Config } from '#src/config/load.ts';
import { omitUndefined } from '#src/core/omit-undefined.ts';
import { escapeLineForTerminal } from '#src/core/output.ts';
import type { Database } from '#src/database/connect.ts';
import { PLACEMENTS } from '#src/database/enums.ts';
import { ALL_ACCOUNTS } from '#src/database/reach.ts';
import { type DiscoveredDevice, listDiscoveredDevices } from '#src/devices/gateways.ts';
import { formatDeviceAddress } from './device-address.ts';
import { importDeviceTable } from './devices-import.ts';
import { findUserId } from './named-user.ts';
import { createObjectForUser } from './nouns/as-operator.ts';
import { type ApiNoun, addDeleteCommand, addGetCommand, addListCommand, addUpdateCommand } from './nouns/verbs.ts';
import { printResult, runOnServiceDatabase } from './running-service.ts';

/** Number of discovered devices that the command reads from the database at a time. */
const PAGE_ROWS = 200;

interface NewDevice {
  user: string;
  type: string;
  location: string;
  discoveryId?: string;
  json?: boolean;
  placement?: string;
  upstreamDeviceId?: string;
}

interface NewGateway {
  user: string;
  name: string;
  json?: boolean;
}

const DEVICE: ApiNoun = {
  name: 'device',
  id: 'device_id',
  columns: ['device_id', 'type', 'location', 'placement', 'status', 'last_seen_at', 'attention'],
};
const GATEWAY: ApiNoun = { name: 'gateway', id: 'gateway_id', columns: ['gateway_id', 'name', 'managed_by'] };

/** Registers `energy devices|gateways …`, which call the operations of the HTTP API. */
export function registerCommands(program: Command): void {
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
    .option(
      '--upstream, --upstream-device-id <device_id>',
      'upstream device: the meter whose measurement includes this device',
    )
    .option(
      '--discovery, --discovery-id <discovery_id>',
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
  addListCommand(gateways, GATEWAY, listGateways, { ofUser: true });
}

async function create(db: Database, config: Config, { user, name, json }: NewGateway): Promise<void> {
  const made = await createObjectForUser(createGateway, { user, name }, { db, config, what: 'user' });
  const { mqtt } = made as z.output<typeof createdGatewaySchema>;
  printResult(json, made, `${formatLogin(config, mqtt)}\nprefix    ${mqtt.topic_prefix}`);
}

const formatLogin = (config: Config, { username, password }: { username: string; password: string }): string =>
  `${formatDeviceAddress(config)}\nusername  ${username}\npassword  ${password} (shown only once)`;

async function pair(db: Database, config: Config, { json, ...options }: NewDevice): Promise<void> {
  const { upstreamDeviceId: upstream_device_id, discoveryId: discovery_id, user, ...settings } = options;
  const typed = { user, ...settings, ...omitUndefined({ upstream_device_id, discovery_id }) };
  const what = `discovered device ${discovery_id} of ${user}. List them with: energy devices discovered --user ${user}`;
  const paired = await createObjectForUser(createDevice, typed, { db, config, what });
  const { device_id, mqtt } = paired as z.output<typeof pairedDeviceSchema>;
  printResult(
    json,
    paired,
    mqtt === undefined
      ? `${device_id} is paired. Its energy counts from its next message.`
      : `${formatLogin(config, mqtt)}\ntopic     ${mqtt.topic}`,
  );
}

function whyNothingCounts({ awaits, quantities }: DiscoveredDevice): string {
  if (awaits !== null) return `announced, but no value received yet. Add this topic to your bridge: ${awaits}`;
  const others = quantities.map(({ channel, kind }) => `${channel} ${kind}`).join(', ');
  return others === '' ? 'not counted yet: usually its unit is missing in the settings' : `no electricity: ${others}`;
}

async function discovered(db: Database, { user, json }: { user: string; json?: boolean }): Promise<void> {
  const userId = await findUserId(db, user);
  let last: string | undefined;
  for (;;) {
    const page = { limit: PAGE_ROWS, ...omitUndefined({ cursor: last }) };
    const rows = await listDiscoveredDevices(db, ALL_ACCOUNTS, userId, page);
    for (const one of rows) printResult(json, one, formatDiscovered(one));
    if (rows.length === 0 && last === undefined && !json) console.log('There are no unpaired devices.');
    if (rows.length < PAGE_ROWS) return;
    last = rows.at(-1)?.discovery_id;
  }
}

function formatDiscovered(one: DiscoveredDevice): string {
  const counted = one.quantities.filter(({ counts }) => counts !== null);
  const what = counted.map(({ channel, kind, counts }) => `${channel} ${kind} counts as ${counts}`).join(', ');
  // Line breaks in a device's text are escaped, because such a text could otherwise forge lines of output.
  const head = escapeLineForTerminal(`${one.discovery_id}  ${one.family}  ${one.native_id}`);
  return `${head}\n  ${escapeLineForTerminal(what || whyNothingCounts(one))}`;
}
