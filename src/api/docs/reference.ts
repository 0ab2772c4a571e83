import type { Json } from '#src/api/openapi-schema.ts';
import { escapeHtml } from '#src/core/html.ts';
import {
  type CodeHighlighter,
  createHeadingAnchor,
  renderCodeBlock,
  renderCodeSamples,
  renderInlineCode,
  type SearchSection,
} from './markup.ts';
import { type AnyJsonSchema, createSchemaResolver, renderSchema } from './schema-markup.ts';

/** A page of the API reference about one resource. */
interface ReferencePage {
  href: string;
  title: string;
  lead: string;
  html: string;
  sections: SearchSection[];
}

/** Renders the reference pages of an OpenAPI document: one page for each tag, one for events, one for errors. */
export function buildReference(document: Json, highlight: CodeHighlighter): ReferencePage[] {
  const { tags, paths, webhooks, components } = document as AnyJsonSchema;
  const renderer = createRenderer(document, highlight);
  const operations = Object.entries(paths as Record<string, AnyJsonSchema>).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, AnyJsonSchema>).map(([method, one]) => ({
      ...one,
      path,
      method: method.toUpperCase(),
    })),
  );
  return [
    ...tags.map((tag: AnyJsonSchema) => tagPage(tag, operations, renderer)),
    eventsPage(webhooks, renderer),
    errorsPage(components.responses),
  ];
}

/** Returns functions that look up and render the parts of an OpenAPI document. */
function createRenderer(document: Json, highlight: CodeHighlighter) {
  const resolve = createSchemaResolver(document);
  return {
    ...renderSchema(resolve),
    resolve,
    highlight,
    /** Returns the JSON schema of a request's body; an empty object if the request has no body. */
    jsonBodyOf: ({ requestBody }: AnyJsonSchema): AnyJsonSchema =>
      resolve(requestBody).content?.['application/json'] ?? {},
    json: (value: unknown) =>
      value === undefined ? '' : renderCodeBlock(highlight(JSON.stringify(value, null, 2), 'json'), 'Example'),
  };
}

type Renderer = ReturnType<typeof createRenderer>;

/** Renders the reference page of a tag. `all`: all operations of the document; the page shows those that have the tag. */
function tagPage(tag: AnyJsonSchema, all: AnyJsonSchema[], renderer: Renderer): ReferencePage {
  const { resolve, jsonBodyOf } = renderer;
  const operations = all.filter((one) => one.tags.includes(tag.name));
  const href = `/docs/reference/${tag.name}`;
  const title = tag.name.replaceAll('-', ' ').replace(/^\w/, (letter: string) => letter.toUpperCase());
  return {
    href,
    title,
    lead: tag.description,
    html: operations.map((one) => operationHtml(one, renderer)).join('\n'),
    sections: operations.map((one) => ({
      href: `${href}#${one.operationId}`,
      page: title,
      title: `${one.method} ${one.path}`,
      text: `${one.operationId} ${one.summary} ${one.parameters.map((of: AnyJsonSchema) => of.name).join(' ')} ${Object.keys(resolve(jsonBodyOf(one).schema).properties ?? {}).join(' ')}`,
    })),
  };
}

const ORDER = ['path', 'query', 'header'];

function operationHtml(one: AnyJsonSchema, { highlight, jsonBodyOf, json, member, schemaHtml }: Renderer): string {
  const parameters = [...one.parameters].sort(
    (a: AnyJsonSchema, b: AnyJsonSchema) => ORDER.indexOf(a.in) - ORDER.indexOf(b.in),
  );
  const [status, answer] =
    Object.entries(one.responses as Record<string, AnyJsonSchema>).find(([code]) => Number(code) < 300) ?? [];
  const media: [string, AnyJsonSchema][] = Object.entries(answer?.content ?? {});
  const [, first] = media[0] ?? [];
  const errors = Object.keys(one.responses).filter((code) => Number(code) >= 400);
  const others = media
    .slice(1)
    .map(([type, of]) => `<li><code>${escapeHtml(type)}</code> ${renderInlineCode(of.schema.description ?? '')}</li>`);
  const shown = (one['x-codeSamples'] ?? []) as { label: string; lang: string; source: string }[];
  return `<section class="operation" aria-labelledby="${one.operationId}">
<div>
<h2 id="${one.operationId}"><a class="anchor" href="#${one.operationId}">${renderInlineCode(one.summary.replace(/\.$/, ''))}</a></h2>
<p class="path"><span class="method ${one.method.toLowerCase()}">${one.method}</span> <code>${escapeHtml(one.path)}</code></p>
<p class="quiet">${renderInlineCode(one.description)}</p>
${parameters.length > 0 ? `<h3>Parameters</h3><dl>${parameters.map((of: AnyJsonSchema) => member(of.name, of.schema, of.required, of.description, of.in)).join('')}</dl>` : ''}
${one.requestBody ? `<h3>Body</h3>${schemaHtml(jsonBodyOf(one).schema)}` : ''}
<h3>Answer <span class="status">${status}</span></h3>${schemaHtml(first?.schema)}
${others.length > 0 ? `<p>By <code>Accept</code> also as:</p><ul>${others.join('')}</ul>` : ''}
<p>Errors: ${errors.map((code) => `<a href="/docs/reference/errors#error-${code}">${code}</a>`).join(', ')}</p>
</div>
<div class="aside">
${renderCodeSamples(shown.map(({ label, lang, source }) => ({ label, html: renderCodeBlock(highlight(source, lang), label) })))}
${first?.example === undefined ? '' : `<p class="language">Answer</p>${json(first.example)}`}
</div>
</section>`;
}

/** Renders the reference page of events. `webhooks`: the part `webhooks` of the OpenAPI document, by event name. */
function eventsPage(
  webhooks: Record<string, AnyJsonSchema>,
  { jsonBodyOf, schemaHtml, json }: Renderer,
): ReferencePage {
  const events = Object.entries(webhooks);
  return {
    href: '/docs/reference/events',
    title: 'Events',
    lead: 'Events that webhooks receive.',
    html: events
      .map(([name, { post }]) => {
        const { schema, example } = jsonBodyOf(post);
        return `<section class="operation" aria-labelledby="${createHeadingAnchor(name)}"><div><h2 id="${createHeadingAnchor(name)}"><a class="anchor" href="#${createHeadingAnchor(name)}"><code>${escapeHtml(name)}</code></a></h2>
<p>${renderInlineCode(post.summary ?? '')}</p>${schemaHtml(schema)}</div><div class="aside"><p class="language">Example</p>${json(example)}</div></section>`;
      })
      .join('\n'),
    sections: events.map(([name, { post }]) => ({
      href: `/docs/reference/events#${createHeadingAnchor(name)}`,
      page: 'Events',
      title: name,
      text: `webhook event ${post.summary}`,
    })),
  };
}

/** Renders the reference page of errors. `responses`: the document's error responses by name; each name ends in the status. */
function errorsPage(responses: Record<string, AnyJsonSchema>): ReferencePage {
  const statuses = Object.entries(responses).map(
    ([name, of]) => ({ ...of, code: name.replace(/\D/g, '') }) as AnyJsonSchema,
  );
  return {
    href: '/docs/reference/errors',
    title: 'Errors',
    lead: 'Every error of the API, and what to do about it.',
    html: statuses
      .map(({ code, content }) => {
        const all = Object.values(content['application/json'].examples as Record<string, AnyJsonSchema>);
        return `<section aria-labelledby="error-${code}"><h2 id="error-${code}"><a class="anchor" href="#error-${code}">${code}</a></h2><dl>${all
          .map(
            ({ value, summary }) =>
              `<dt id="${value.code}"><code>${value.code}</code> ${escapeHtml(value.error)}</dt><dd>${renderInlineCode(summary)}</dd>`,
          )
          .join('')}</dl></section>`;
      })
      .join('\n'),
    sections: statuses.map(({ code, description }) => ({
      href: `/docs/reference/errors#error-${code}`,
      page: 'Errors',
      title: `Error ${code}`,
      text: description,
    })),
  };
}
