import type { Json } from '#src/api/openapi-schema.ts';
import { escapeHtml } from '#src/core/html.ts';
import { renderInlineCode } from './markup.ts';

// biome-ignore lint/suspicious/noExplicitAny: the document is traversed as untyped JSON
export type AnyJsonSchema = any;

/** Maximum depth of nested members. Of deeper members, only the type is shown. */
const DEEPEST = 5;

/**
 * Creates a function that replaces a schema with a `$ref` by the schema to which it refers. Other schemas are returned unchanged;
 * undefined becomes an empty schema.
 */
export const createSchemaResolver =
  (document: Json) =>
  (one: AnyJsonSchema): AnyJsonSchema =>
    one?.$ref === undefined
      ? (one ?? {})
      : one.$ref
          .slice(2)
          .split('/')
          .reduce((at: AnyJsonSchema, name: string) => at[name], document);

/**
 * Returns two functions that render an OpenAPI schema as HTML: `schemaHtml` for a whole schema, and `member` for one member or
 * parameter.
 */
export function renderSchema(resolve: (one: AnyJsonSchema) => AnyJsonSchema) {
  return { schemaHtml, member };

  function schemaHtml(given: AnyJsonSchema, depth = 0): string {
    const schema = resolve(given);
    if (schema.properties) {
      const required = new Set(schema.required ?? []);
      const rows = Object.entries(schema.properties as Record<string, AnyJsonSchema>).map(([name, of]) =>
        member(name, of, required.has(name), of.description, undefined, depth),
      );
      return `<dl>${rows.join('')}</dl>`;
    }
    if (schema.type === 'array') return `<p class="quiet">A list of:</p>${schemaHtml(schema.items, depth)}`;
    const options = (schema.anyOf ?? [])
      .map(resolve)
      .filter((one: AnyJsonSchema) => one.properties || one.type === 'array');
    if (options.length === 1) return schemaHtml(options[0], depth);
    if (options.length > 1)
      return options
        .map((one: AnyJsonSchema) => `<p class="quiet">One of these:</p>${schemaHtml(one, depth)}`)
        .join('');
    return `<p>${renderInlineCode(schema.description ?? '')} <span class="type">${typeName(given)}</span></p>`;
  }

  function member(
    name: string,
    given: AnyJsonSchema,
    isRequired: boolean,
    description = '',
    place?: string,
    depth = 0,
  ): string {
    const schema = resolve(given);
    const inner = schema.type === 'array' ? resolve(schema.items) : schema;
    const hasMore = inner.properties || (inner.anyOf ?? []).some((one: AnyJsonSchema) => resolve(one).properties);
    const limits = limitsOf(schema);
    const more =
      hasMore && depth < DEEPEST
        ? `<details><summary>Members of <code>${escapeHtml(name)}</code></summary>${schemaHtml(inner, depth + 1)}</details>`
        : '';
    return `<dt><code>${escapeHtml(name)}</code> <span class="type">${typeName(given)}</span>${place && place !== 'query' ? ` <span class="type">in the ${place}</span>` : ''}${isRequired ? ' <span class="must">required</span>' : ''}</dt>
<dd>${renderInlineCode(description || (schema.description ?? ''))}${limits === '' ? '' : ` <span class="quiet">${limits}</span>`}${more}</dd>`;
  }

  function typeName(given: AnyJsonSchema): string {
    const schema = resolve(given);
    if (schema.const !== undefined) return `<code>${escapeHtml(String(schema.const))}</code>`;
    if (schema.enum) return 'one of';
    if (schema.anyOf) return [...new Set(schema.anyOf.map(typeName))].join(' or ');
    if (schema.type === 'array') return `list of ${typeName(schema.items ?? {}).replace(/^one of$/, 'names')}`;
    const plain = [schema.type ?? 'any'].flat().join(' or ');
    return escapeHtml(
      schema.format === 'date' || schema.format === 'date-time' ? plain.replace('string', schema.format) : plain,
    );
  }
}

/** Describes the permitted values and the bounds of a schema in words. */
function limitsOf(schema: AnyJsonSchema): string {
  const values = (schema.enum ?? schema.items?.enum ?? []) as unknown[];
  return [
    values.length > 0 ? values.map((one) => `<code>${escapeHtml(String(one))}</code>`).join(', ') : '',
    schema.default === undefined ? '' : `Default: <code>${escapeHtml(JSON.stringify(schema.default))}</code>.`,
    schema.minimum !== undefined && schema.maximum !== undefined ? `From ${schema.minimum} to ${schema.maximum}.` : '',
    schema.maxLength === undefined ? '' : `At most ${schema.maxLength} characters.`,
  ]
    .filter((one) => one !== '')
    .join(' ');
}
