import { z } from 'zod';
import { DASHBOARD_OPERATIONS } from '#src/api/dashboard/operations.ts';
import { describePathParameter } from '#src/api/openapi.ts';
import { convertZodToJsonSchema, type Json } from '#src/api/openapi-schema.ts';
import { type AnyOperation, getOperationScopes, listPathParameters } from '#src/api/operation.ts';
import { OPERATIONS } from '#src/api/v1/operations.ts';
import type { Caller } from '#src/auth/authenticate.ts';

/** A tool, which runs an operation of the API. A language model chooses the tool by its description. */
interface ToolDefinition {
  name: string;
  title: string;
  description: string;
  /** Method and path of the operation that the tool runs. */
  operation: string;
  /** Parameters with values that the tool sets. Clients cannot change these values. */
  preset?: Readonly<Record<string, string>>;
  /** Members of the operation's request that the tool accepts as arguments. Default: all. */
  takes?: readonly string[];
  /** Set if only administrators can use the operation. */
  isForAdmins?: true;
}

/** All tools. The tools that change data come last; only clients that have allowed changes can use them. */
const DEFINITIONS: readonly ToolDefinition[] = [
  {
    name: 'list_homes',
    title: 'Homes',
    description:
      'Lists the accounts that the key can access, with their time zones. A homeowner’s key can access only its own home. Other tools take a user_id from this list.',
    operation: 'GET /v1/users',
    takes: ['search', 'role', 'has_attention', 'silent', 'limit', 'cursor'],
  },
  {
    name: 'energy_insights',
    title: 'Energy use',
    description:
      'Returns how much energy a home used, by hour, day or month, for any range of days; without dates, the sum of the last 30 days. `include` adds grid import and export, production, storage and coverage. A row that is missing or incomplete is unknown, not zero.',
    operation: 'GET /v1/energy-insights',
  },
  {
    name: 'energy_costs',
    title: 'Costs',
    description:
      'Returns what the energy of a home cost, by hour, day or month, for any range of days, by the tariffs that applied; without dates, the last 30 days. The cost is null if no tariff applied.',
    operation: 'GET /v1/energy-insights',
    preset: { include: 'cost' },
    takes: ['start', 'end', 'group_by', 'user_id', 'tz'],
  },
  {
    name: 'compare_period',
    title: 'Comparison of use',
    description:
      'Returns the usage of a home or of one device in a day, week, month or year, compared with the same part of the previous period and of the year before. Also returns the base load, the peak and the usage of each device.',
    operation: 'GET /v1/period',
  },
  {
    name: 'compare_costs',
    title: 'Comparison of costs',
    description:
      'Returns the cost of a day, week, month or year, compared with the same part of the previous period and of the year before. Also returns the costs of the devices with the highest use.',
    operation: 'GET /v1/period-costs',
  },
  {
    name: 'explain_figure',
    title: 'Sources of a figure',
    description:
      'Explains the usage of a home in up to 31 days: the measured part, the estimated part, the completeness of the data, and the contributing devices and findings.',
    operation: 'GET /v1/figure',
  },
  {
    name: 'list_remarks',
    title: 'Remarks',
    description:
      'Returns the current remarks on a home: devices that stay on, a raised base load, missing production, an unusual day, a cheaper tariff. Each remark contains the values that it is compared with.',
    operation: 'GET /v1/remarks',
  },
  {
    name: 'list_devices',
    title: 'Devices',
    description:
      'Lists the devices of all homes that the key can access, with state, last contact, silence and open problems. Filters find faulty and silent devices.',
    operation: 'GET /v1/fleet/devices',
  },
  {
    name: 'get_device',
    title: 'One device',
    description:
      'Returns one device with its settings. For each quantity, it gives its role in the home’s energy and its last value.',
    operation: 'GET /v1/devices/{device_id}',
  },
  {
    name: 'device_usage',
    title: 'Use of one device',
    description: 'Returns how much energy one device used, by hour, day or month; without dates, the last 30 days.',
    operation: 'GET /v1/devices/{device_id}/usage',
  },
  {
    name: 'device_quality',
    title: 'Quality of a device’s data',
    description:
      'Returns the quality of a device’s data by month: intervals received, estimated and missing, findings such as resets, and rejected messages with their reasons; without dates, the last twelve months.',
    operation: 'GET /v1/devices/{device_id}/quality',
  },
  {
    name: 'list_alerts',
    title: 'Alerts',
    description: 'Lists the alerts of a home.',
    operation: 'GET /v1/alerts',
  },
  {
    name: 'list_rejected_messages',
    title: 'Rejected messages',
    description: 'Lists messages that could not be used, newest first, with the reason. Administrators only.',
    operation: 'GET /v1/rejected',
    isForAdmins: true,
  },
  {
    name: 'create_alert',
    title: 'Create an alert',
    description: 'Creates an alert that notifies the owner of a home of its usage, its costs or a silent device.',
    operation: 'POST /v1/alerts',
  },
  {
    name: 'move_device',
    title: 'Change the location of a device',
    description: 'Changes the location of a device, the text by which its owner recognises it.',
    operation: 'PATCH /v1/devices/{device_id}',
    takes: ['device_id', 'location'],
  },
];

export interface Tool extends ToolDefinition {
  runs: AnyOperation;
  /** Whether the tool changes data. */
  isWriting: boolean;
  inputSchema: Json & { type: 'object' };
  outputSchema: Json & { type: 'object' };
}

/** All tools by name. Throws if the definition of a tool does not match an operation. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  DEFINITIONS.map((definition) => {
    const runs = operationOf(definition);
    const tool = {
      ...definition,
      runs,
      isWriting: runs.method !== 'GET',
      inputSchema: inputSchemaOf(definition, runs),
      outputSchema: outputSchemaOf(runs.answer),
    };
    return [tool.name, tool];
  }),
);

/**
 * Returns the tools that a caller may use, by its scopes and role. Tools that change data are included only if `mayWrite` is set.
 */
export const listToolsOfCaller = ({ scopes, role }: Caller, { mayWrite }: { mayWrite: boolean }): Tool[] =>
  [...TOOLS.values()].filter(
    ({ runs, isWriting, isForAdmins }) =>
      (mayWrite || !isWriting) &&
      (!isForAdmins || role === 'admin') &&
      getOperationScopes(runs).every((scope) => scopes.has(scope)),
  );

function operationOf({ name, operation }: ToolDefinition): AnyOperation {
  const found = [...OPERATIONS, ...DASHBOARD_OPERATIONS].find((one) => `${one.method} ${one.path}` === operation);
  if (!found) throw new Error(`the tool ${name} has no operation ${operation}`);
  return found;
}

export function listSchemaMembers(part: z.ZodType | undefined): Record<string, z.ZodType> {
  return (part as z.ZodObject | undefined)?.shape ?? {};
}

/** Returns the schema of a tool's arguments: the members of the operation's path, query and body. */
function inputSchemaOf({ name, takes, preset = {} }: ToolDefinition, { path, query, body }: AnyOperation) {
  const ids = listPathParameters(path).map((id) => [id, z.string().describe(describePathParameter(id))] as const);
  const all = { ...Object.fromEntries(ids), ...listSchemaMembers(query), ...listSchemaMembers(body) };
  const names = (takes ?? Object.keys(all)).filter((member) => !(member in preset));
  const shape = names.map((member) => {
    const schema = all[member];
    if (!schema) throw new Error(`the tool ${name} takes no ${member}`);
    return [member, schema];
  });
  return referringWithin(z.strictObject(Object.fromEntries(shape)), 'input');
}

/** Returns the schema of a tool's result. The protocol requires an object, so lists are in its member `data`. */
function outputSchemaOf(answer: z.ZodType) {
  if (!(answer instanceof z.ZodArray)) return referringWithin(answer, 'output');
  const cursor = z.string().nullable().describe('Cursor of the next page. Null: this is the last page.');
  return referringWithin(z.object({ data: answer, next_cursor: cursor }), 'output');
}

/** Converts a schema to a JSON Schema that contains all named schemas to which it refers. */
function referringWithin(schema: z.ZodType, io: 'input' | 'output'): Json & { type: 'object' } {
  const named: Record<string, Json> = {};
  const { $ref, ...json } = convertZodToJsonSchema(schema, io, named);
  // A named schema would become a reference, but some clients expect `type: object` at the top level.
  const name =
    String($ref ?? '')
      .split('/')
      .at(-1) ?? '';
  const { [name]: root = json, ...others } = named;
  const whole = { ...root, type: 'object', ...(Object.keys(others).length > 0 ? { $defs: others } : {}) };
  return JSON.parse(JSON.stringify(whole).replaceAll('"#/components/schemas/', '"#/$defs/'));
}
