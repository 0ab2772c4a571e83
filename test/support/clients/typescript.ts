import { snakeToCamelCase } from '#src/api/openapi-samples.ts';
import {
  type ClientOperation,
  getReferencedSchemaName,
  type OpenApiSchema,
  type readOpenApiInterface,
  toPascalCase,
} from './interface.ts';

const HEADER = `// Generated from the OpenAPI document by \`npm run client\`: do not edit. A test holds it to the document.
import { type CallOptions, type ClientOptions, Pages, Transport } from './transport.ts';
`;

/** Returns the source of the TypeScript client's types and methods. */
export function generateTypescriptClient({
  operations,
  schemas,
  version,
}: ReturnType<typeof readOpenApiInterface>): string {
  const types = Object.entries(schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => declaration(name, schema));
  const ofOperations = operations.flatMap((operation) => {
    const Name = toPascalCase(operation.name);
    const { answer, body, query } = operation;
    return [
      ...(query.length > 0 ? [declaration(`${Name}Query`, querySchema(operation))] : []),
      ...(body ? [declaration(`${Name}Body`, body.schema)] : []),
      ...(isNamedHere(answer.schema) ? [declaration(`${Name}Answer`, answer.schema)] : []),
    ];
  });
  const client = `/** Every operation of the service, as a method. */
export class EnergyClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }
${operations.map(methodsOf).join('')}}
`;
  const event = `/** What a webhook is sent: tell them apart by \`type\`. */
export type EnergyEvent = ${Object.keys(schemas)
    .filter((name) => name.endsWith('Event'))
    .join(' | ')};
`;
  const versionLine = `/** Version of the service that this client was made for. */\nexport const VERSION = '${version}';\n`;
  return [HEADER, versionLine, ...types, event, ...ofOperations, client].join('\n');
}

/** Whether only this response uses the object schema. The client then exports its type. */
const isNamedHere = (schema: OpenApiSchema): boolean => schema.properties !== undefined;

const querySchema = ({ query, item }: ClientOperation): OpenApiSchema => {
  // A method for a paged list requests further pages itself, so it has no cursor parameter.
  const asked = query.filter(({ name }) => !item || name !== 'cursor');
  return {
    type: 'object',
    properties: Object.fromEntries(
      asked.map(({ name, schema, description, isList }) => [
        name,
        { ...(isList ? { anyOf: [schema, { type: 'array', items: schema }] } : schema), description },
      ]),
    ),
    required: asked.filter(({ required }) => required).map(({ name }) => name),
  };
};

function declaration(name: string, schema: OpenApiSchema): string {
  const { description, ...rest } = schema;
  const comment = description === undefined ? '' : `/** ${description} */\n`;
  if (rest.properties && !rest.anyOf) return `${comment}export interface ${name} ${typeOf(rest, '')}\n`;
  return `${comment}export type ${name} = ${typeOf(rest, '')};\n`;
}

function typeOf(schema: OpenApiSchema, indent: string): string {
  if (schema.$ref !== undefined) return getReferencedSchemaName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (schema.anyOf)
    return apart(schema.anyOf)
      .map((one) => typeOf(one, indent))
      .join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  if (schema.type === 'array') {
    const item = typeOf(schema.items ?? {}, indent);
    return / \| /.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties) return objectOf(schema, indent);
  return PLAIN[schema.type ?? ''] ?? 'unknown';
}

const PLAIN: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'Record<string, unknown>',
};

/**
 * If all variants of an object share a JSON member, adds the missing members to each variant as undefined, so that TypeScript allows access
 * to them.
 */
function apart(options: OpenApiSchema[]): OpenApiSchema[] {
  const [first, ...others] = options.map(({ properties = {} }) => Object.keys(properties));
  if (!first?.some((name) => others.every((names) => names.includes(name)))) return options;
  const all = new Set(options.flatMap(({ properties }) => Object.keys(properties ?? {})));
  return options.map((one) => {
    const missing = [...all].filter((name) => !(name in (one.properties ?? {})));
    return { ...one, properties: { ...one.properties, ...Object.fromEntries(missing.map((name) => [name, ABSENT])) } };
  });
}
const ABSENT: OpenApiSchema = { format: 'absent' };

function objectOf({ properties = {}, required = [] }: OpenApiSchema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    if (schema === ABSENT) return `${inner}${key(name)}?: undefined;\n`;
    const comment = schema.description === undefined ? '' : `${inner}/** ${schema.description} */\n`;
    return `${comment}${inner}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)};\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

const key = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name));

function methodsOf(operation: ClientOperation): string {
  const { name, answer, item, body, formats } = operation;
  const Name = toPascalCase(name);
  const isBytes = answer.mediaType !== 'application/json';
  const answerType = item ? typeOf(item, '') : isNamedHere(answer.schema) ? `${Name}Answer` : typeOf(answer.schema, '');
  const main = item
    ? methodOf(operation, '', `Pages<${answerType}>`, { how: 'pages' })
    : methodOf(operation, '', isBytes ? 'Promise<Uint8Array>' : `Promise<${answerType}>`, {
        how: isBytes ? 'bytes' : 'json',
        ...(isBytes && { accept: answer.mediaType }),
      });
  const others = formats.map(({ ending, mediaType, isText }) =>
    methodOf(operation, ending, isText ? 'Promise<string>' : 'Promise<Uint8Array>', {
      how: isText ? 'text' : 'bytes',
      accept: mediaType,
    }),
  );
  const fromCsv = body?.hasCsv
    ? [methodOf(operation, 'Csv', `Promise<${answerType}>`, { how: 'json', csv: true })]
    : [];
  return [main, ...others, ...fromCsv].join('');
}

function methodOf(
  { name, method, path, summary, inPath, query, body, isSafe }: ClientOperation,
  ending: string,
  answer: string,
  { how, accept, csv = false }: { how: 'json' | 'text' | 'bytes' | 'pages'; accept?: string; csv?: boolean },
): string {
  const Name = toPascalCase(name);
  const mustAsk = query.some(({ required }) => required);
  const parameters = [
    ...inPath.map((one) => `${snakeToCamelCase(one)}: string`),
    ...(csv ? ['csv: string'] : body ? [`body${body.isRequired ? '' : '?'}: ${Name}Body`] : []),
    ...(query.length > 0 ? [`query${mustAsk ? '' : '?'}: ${Name}Query`] : []),
    'options?: CallOptions',
  ];
  const address = path.replaceAll(/\{(\w+)\}/g, (_, one: string) => `\${encodeURIComponent(${snakeToCamelCase(one)})}`);
  const sent = [
    ...(query.length > 0 ? ['query'] : []),
    ...(csv ? ["body: csv, type: 'text/csv'"] : body ? ['body'] : []),
    ...(accept === undefined ? [] : [`accept: '${accept}'`]),
    ...(isSafe ? ['isSafe: true'] : []),
    'options',
  ];
  const quote = inPath.length > 0 ? '`' : "'";
  const what = csv ? ' From CSV.' : ending === '' ? '' : ` As ${SAID[ending]}.`;
  return `
  /** ${summary}${what} */
  ${name}${ending}(${parameters.join(', ')}): ${answer} {
    return this.#transport.${how}('${method}', ${quote}${address}${quote}, { ${sent.join(', ')} });
  }
`;
}

const SAID: Record<string, string> = { Csv: 'CSV', Xlsx: 'a spreadsheet (XLSX)', GreenButton: 'a Green Button feed' };
