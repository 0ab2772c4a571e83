import { join } from 'node:path';

/** Addresses and folder that a program of the comparison needs to start. */
export interface ComparedProgramInputs {
  /** Port of the mosquitto from which the program receives messages. */
  brokerPort: number;
  databaseUrl: string;
  /** Folder for the program's files. A program that was killed is restarted with the same folder. */
  folder: string;
}

/** Command that starts a program, and the files that the program reads, by their names in the program's folder. */
export interface ComparedProgramCommand {
  command: string;
  args: string[];
  files: Record<string, string>;
}

/** Table into which the other programs write, without index or checks. `ingest-script.ts` also contains this name. */
export const COMPARISON_READINGS_TABLE = 'bench_bare';
/** The columns have the same order as in the INSERT of `ingest-script.ts`. Telegraf requires the name `time`. */
export const CREATE_COMPARISON_READINGS_TABLE = `CREATE TABLE ${COMPARISON_READINGS_TABLE} (device text, time timestamptz, energy_total_kwh float8)`;
const TOPICS = 'energy/v1/+/readings';

/** Version of Node-RED. It is fixed, so that two runs compare the same program. */
export const NODE_RED_VERSION = '5.0.7';

/** Time in ms for which the flow of Node-RED collects rows. The naive script and the Python bridge use the same time. */
const FLUSH_MS = 20;

const SET_UP = `const rows = [];
context.set('rows', rows);
const pool = new (global.get('pg').Pool)({ connectionString: global.get('databaseUrl'), max: 2 });
let isWriting = false;
setInterval(async () => {
  if (isWriting || rows.length === 0) return;
  isWriting = true;
  const batch = rows.splice(0);
  try {
    await pool.query(
      'INSERT INTO ${COMPARISON_READINGS_TABLE} (device, time, energy_total_kwh) SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::float8[])',
      [batch.map((row) => row[0]), batch.map((row) => row[1]), batch.map((row) => row[2])],
    );
  } catch (error) {
    rows.unshift(...batch);
    node.error(error.message);
  } finally {
    isWriting = false;
  }
}, ${FLUSH_MS});`;

const ON_MESSAGE = `context.get('rows').push([msg.topic.split('/')[2], msg.payload.ts, msg.payload.energy_total_kwh]);
return null;`;

/**
 * Returns Node-RED with one flow: the node "mqtt in" (QoS 1, persistent session), and a function node that inserts batches. It acknowledges
 * a message on arrival. `installation`: folder with Node-RED; `driver`: path of the PostgreSQL driver.
 */
export function createNodeRedCommand(
  place: ComparedProgramInputs,
  { installation, driver }: { installation: string; driver: string },
): ComparedProgramCommand {
  // Each node has coordinates, because Node-RED treats a node without coordinates as a configuration node.
  const flow = [
    { id: 'readings', type: 'tab', label: 'Readings' },
    {
      id: 'broker',
      type: 'mqtt-broker',
      broker: '127.0.0.1',
      port: String(place.brokerPort),
      clientid: 'node-red',
      cleansession: false,
      autoConnect: true,
      usetls: false,
      protocolVersion: '4',
      keepalive: '60',
    },
    {
      id: 'in',
      type: 'mqtt in',
      z: 'readings',
      topic: TOPICS,
      qos: '1',
      datatype: 'json',
      broker: 'broker',
      inputs: 0,
      x: 100,
      y: 100,
      wires: [['insert']],
    },
    {
      id: 'insert',
      type: 'function',
      z: 'readings',
      name: 'Insert batches',
      func: ON_MESSAGE,
      initialize: SET_UP,
      outputs: 0,
      libs: [],
      x: 300,
      y: 100,
      wires: [],
    },
  ];
  // Node-RED opens no port if its editor and its HTTP nodes are disabled.
  const settings = `module.exports = {
  httpAdminRoot: false,
  httpNodeRoot: false,
  credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false },
  externalModules: { autoInstall: false, palette: { allowInstall: false } },
  functionGlobalContext: { pg: require(${JSON.stringify(driver)}), databaseUrl: ${JSON.stringify(place.databaseUrl)} },
  logging: { console: { level: 'warn', metrics: false, audit: false } },
};
`;
  return {
    command: process.execPath,
    args: [
      join(installation, 'node_modules/node-red/red.js'),
      ...['--settings', join(place.folder, 'settings.js')],
      ...['--userDir', place.folder],
      join(place.folder, 'flows.json'),
    ],
    files: { 'settings.js': settings, 'flows.json': JSON.stringify(flow, null, 2) },
  };
}

/**
 * Returns the Python bridge. `each`: commits each message before it acknowledges the message. `batches`: commits several messages at once.
 */
export const createPythonBridgeCommand = (
  { brokerPort, databaseUrl }: ComparedProgramInputs,
  mode: 'batches' | 'each',
): ComparedProgramCommand => ({
  // This is the path of Debian's Python, which has Debian's packages. Another Python on the PATH may lack them.
  command: '/usr/bin/python3',
  args: [join(import.meta.dirname, 'bridge.py'), String(brokerPort), databaseUrl, COMPARISON_READINGS_TABLE, mode],
  files: {},
});

/**
 * Returns Telegraf with `mqtt_consumer` and the PostgreSQL output, with the documented settings. Telegraf acknowledges each message after
 * writing it.
 */
export function createTelegrafCommand({
  brokerPort,
  databaseUrl,
  folder,
}: ComparedProgramInputs): ComparedProgramCommand {
  const configuration = `[agent]
  omit_hostname = true
  metric_batch_size = 1000
  metric_buffer_limit = 100000
  flush_interval = "200ms"
  flush_jitter = "0s"
  precision = "1ms"
  quiet = true

[[inputs.mqtt_consumer]]
  servers = ["tcp://127.0.0.1:${brokerPort}"]
  topics = ["${TOPICS}"]
  topic_tag = ""
  qos = 1
  persistent_session = true
  client_id = "telegraf"
  max_undelivered_messages = 2000
  name_override = "${COMPARISON_READINGS_TABLE}"
  data_format = "json"
  json_time_key = "ts"
  json_time_format = "2006-01-02T15:04:05Z07:00"
  [[inputs.mqtt_consumer.topic_parsing]]
    topic = "${TOPICS}"
    tags = "_/_/device/_"

[[outputs.postgresql]]
  connection = ${JSON.stringify(databaseUrl)}
  add_column_templates = []
`;
  return {
    command: 'telegraf',
    args: ['--config', join(folder, 'telegraf.conf')],
    files: { 'telegraf.conf': configuration },
  };
}
