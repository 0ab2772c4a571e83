import { camelToSnakeCase } from '#src/api/openapi-samples.ts';
import {
  type ClientOperation,
  getReferencedSchemaName,
  type OpenApiSchema,
  type readOpenApiInterface,
  toPascalCase,
} from './interface.ts';

const HEADER = `# Generated from the OpenAPI document by \`npm run client\`: do not edit. A test holds it to the document.
`;

const KEYWORDS = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** Returns the sources of the Python client's types and methods. */
export function generatePythonClient(read: ReturnType<typeof readOpenApiInterface>): {
  types: string;
  client: string;
  version: string;
} {
  const { operations, schemas, version } = read;
  const types = pythonTypes();
  for (const [name, schema] of Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
    types.declare(name, schema);
  const events = Object.keys(schemas).filter((name) => name.endsWith('Event'));
  types.alias(
    'EnergyEvent',
    `Union[${events.map((name) => `"${name}"`).join(', ')}]`,
    'What a webhook is sent: tell them apart by `type`.',
  );
  const methods = operations.map((operation) => methodsOf(operation, types));
  return {
    types: `${HEADER}"""What the service takes and answers."""
from __future__ import annotations

from typing import Any, Literal, NotRequired, Optional, TypedDict, Union

${[...types.sources, ...types.aliases].join('\n\n')}
__all__ = [
${types.names.map((name) => `    "${name}",\n`).join('')}]
`,
    client: `${HEADER}"""Every operation of the service, as a method."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from . import types
from ._transport import CallOptions, Pages, Transport


class EnergyClient(Transport):
    """Every operation of the service, as a method."""

${methods.join('\n')}`,
    version: `${HEADER}__version__ = "${version}"\n`,
  };
}

/** Returns functions that collect type declarations. Each object type gets a name, because Python has no anonymous object types. */
function pythonTypes() {
  const sources: string[] = [];
  /** Declarations of type aliases, which must follow the types that they use. */
  const aliases: string[] = [];
  const names: string[] = [];
  const take = (name: string) => {
    if (names.includes(name)) throw new Error(`two types want the name ${name}`);
    names.push(name);
  };

  function typeOf(schema: OpenApiSchema, name: string): string {
    if (schema.$ref !== undefined) return getReferencedSchemaName(schema.$ref);
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    if (schema.anyOf) return anyOf(schema.anyOf, name);
    if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, name)));
    if (schema.type === 'array') return `list[${typeOf(schema.items ?? {}, name)}]`;
    if (schema.properties) {
      declareObject(name, schema);
      return name;
    }
    return PLAIN[schema.type ?? ''] ?? 'Any';
  }

  /** Merges alternative object schemas into one type. A member that is missing from some alternatives becomes optional. */
  function anyOf(options: OpenApiSchema[], name: string): string {
    const objects = options.filter(({ properties }) => properties);
    const others = options.filter(({ properties }) => !properties).map((one) => typeOf(one, name));
    if (objects.length === 0) return union(others);
    declareObject(name, merged(objects));
    return union([name, ...others]);
  }

  function declareObject(name: string, { properties = {}, required = [], description }: OpenApiSchema): void {
    const members = Object.entries(properties).map(([member, schema]) => {
      const type = typeOf(schema, name + toPascalCase(member));
      return { member, type: required.includes(member) ? type : `NotRequired[${type}]`, said: schema.description };
    });
    take(name);
    if (members.some(({ member }) => KEYWORDS.has(member) || !/^[a-z_]\w*$/i.test(member))) {
      // If a member is named like a keyword, Python needs the functional syntax for its type.
      const commentLine = description === undefined ? '' : `# ${description}\n`;
      const lines = members.map((one) => `    "${one.member}": "${one.type.replaceAll('"', "'")}",\n`).join('');
      sources.push(`${commentLine}${name} = TypedDict("${name}", {\n${lines}})\n`);
      return;
    }
    const lines = members.map(({ member, type, said }) => {
      return `    ${member}: ${type}\n${said === undefined ? '' : `    ${docstring(said)}\n`}`;
    });
    const head = description === undefined ? '' : `    ${docstring(description)}\n\n`;
    sources.push(`class ${name}(TypedDict):\n${head}${lines.join('') || '    pass\n'}`);
  }

  function alias(name: string, type: string, description?: string): void {
    take(name);
    aliases.push(`${description === undefined ? '' : `# ${description}\n`}${name} = ${type}\n`);
  }

  function declare(name: string, schema: OpenApiSchema): void {
    const options = schema.anyOf;
    if (schema.properties) {
      declareObject(name, schema);
    } else if (options?.every(({ properties }) => properties)) {
      declareObject(name, { ...merged(options), ...(schema.description && { description: schema.description }) });
    } else {
      const type = typeOf(schema, `${name}Value`);
      alias(name, type, schema.description);
    }
  }
  return { sources, aliases, names, declare, alias, typeOf };
}

const PLAIN: Record<string, string> = {
  string: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
  null: 'None',
  object: 'dict[str, Any]',
};

function merged(options: OpenApiSchema[]): OpenApiSchema {
  const properties: Record<string, OpenApiSchema> = {};
  for (const [name, schema] of options.flatMap((one) => Object.entries(one.properties ?? {}))) {
    const known = properties[name];
    const isAlike =
      known && JSON.stringify({ ...known, description: 0 }) === JSON.stringify({ ...schema, description: 0 });
    if (!known) properties[name] = schema;
    else if (!isAlike)
      properties[name] = { ...(known.description && { description: known.description }), anyOf: [known, schema] };
  }
  const required = Object.keys(properties).filter((name) => options.every((one) => one.required?.includes(name)));
  return { type: 'object', properties, required };
}

function union(types: string[]): string {
  const all = [...new Set(types)];
  const others = all.filter((one) => one !== 'None');
  const joined = others.length === 1 ? (others[0] ?? '') : `Union[${others.join(', ')}]`;
  return all.includes('None') ? (others.length === 0 ? 'None' : `Optional[${joined}]`) : joined;
}

const literal = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);

const docstring = (text: string): string =>
  `"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" ')}"""`;

function methodsOf(operation: ClientOperation, types: ReturnType<typeof pythonTypes>): string {
  const { name, body, answer, formats, item } = operation;
  const Name = toPascalCase(name);
  if (body) types.declare(`${Name}Body`, body.schema);
  const qualified = (type: string) =>
    type.replaceAll(/\b[A-Z]\w+/g, (one) => (types.names.includes(one) ? `types.${one}` : one));
  const answerType = qualified(types.typeOf(item ?? answer.schema, `${Name}Answer`));
  const isBytes = answer.mediaType !== 'application/json';
  const main = item
    ? methodOf(operation, '', `Pages[${answerType}]`, { how: 'pages' })
    : methodOf(operation, '', isBytes ? 'bytes' : answerType, {
        how: isBytes ? 'bytes' : 'json',
        ...(isBytes && { accept: answer.mediaType }),
      });
  const others = formats.map(({ ending, mediaType, isText }) =>
    methodOf(operation, ending, isText ? 'str' : 'bytes', { how: isText ? 'text' : 'bytes', accept: mediaType }),
  );
  const fromCsv = body?.hasCsv ? [methodOf(operation, 'Csv', answerType, { how: 'json', csv: true })] : [];
  return [main, ...others, ...fromCsv].join('\n');
}

function methodOf(
  { name, method, path, summary, inPath, query, body, isSafe, item }: ClientOperation,
  ending: string,
  answer: string,
  { how, accept, csv = false }: { how: string; accept?: string; csv?: boolean },
): string {
  const argument = (one: string) => (KEYWORDS.has(one) ? `${one}_` : one);
  const asked = query.filter((one) => !item || one.name !== 'cursor');
  const parameters = [
    'self',
    ...inPath.map((one) => `${argument(one)}: str`),
    ...(csv
      ? ['csv: str']
      : body
        ? [`body: types.${toPascalCase(name)}Body${body.isRequired ? '' : ' | None = None'}`]
        : []),
    ...(asked.length > 0 ? ['*'] : []),
    ...asked.map(
      (one) =>
        `${argument(one.name)}: ${one.isList ? 'str | Sequence[str]' : plainType(one.schema)}${one.required ? '' : ' | None = None'}`,
    ),
    '**options: Unpack[CallOptions]',
  ];
  const address = path.replaceAll(/\{(\w+)\}/g, (_, one: string) => `{self._segment(${argument(one)})}`);
  const sent = [
    ...(asked.length > 0 ? [`query={${asked.map((one) => `"${one.name}": ${argument(one.name)}`).join(', ')}}`] : []),
    ...(csv ? ['body=csv, content_type="text/csv"'] : body ? ['body=body'] : []),
    ...(accept === undefined ? [] : [`accept="${accept}"`]),
    ...(isSafe ? ['is_safe=True'] : []),
    'options=options',
  ];
  const what = csv ? ' From CSV.' : ending === '' ? '' : ` As ${SAID[ending]}.`;
  const argumentLines = asked.flatMap((one) =>
    one.description ? [`        ${argument(one.name)}: ${one.description}`] : [],
  );
  const doc =
    argumentLines.length === 0 ? `${summary}${what}` : `${summary}${what}\n\n${argumentLines.join('\n')}\n        `;
  return `    def ${camelToSnakeCase(name + ending)}(
        ${parameters.join(',\n        ')},
    ) -> ${answer}:
        ${docstring(doc)}
        return self._${how}("${method}", ${inPath.length > 0 ? 'f' : ''}"${address}", ${sent.join(', ')})
`;
}

const plainType = (schema: OpenApiSchema): string =>
  schema.enum ? 'str' : (PLAIN[String(schema.type ?? '')] ?? 'str');

const SAID: Record<string, string> = { Csv: 'CSV', Xlsx: 'a spreadsheet (XLSX)', GreenButton: 'a Green Button feed' };
