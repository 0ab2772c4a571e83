import { escapeHtml } from '#src/core/html.ts';

interface Link {
  href: string;
  title: string;
}

/**
 * Returns a page of the documentation as HTML, with the navigation to all pages. Its content security policy forbids inline
 * scripts and styles.
 */
export function renderPage(
  page: { href: string; title: string; description: string; html: string },
  parts: readonly { title: string; pages: readonly Link[] }[],
): string {
  const list = (of: readonly Link[]) =>
    `<ul>${of.map(({ href, title }) => `<li><a href="${href}"${href === page.href ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`).join('')}</ul>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${page.description}">
<title>${escapeHtml(page.title)} · Energy usage service</title>
<link rel="icon" href="/dashboard/app/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
<script type="module" src="/docs/app.js"></script>
</head>
<body>
<a class="skip" href="${page.href}#main">To the text</a>
<header>
<a class="home" href="/docs">Energy usage service</a>
<search class="search" hidden><label class="hidden" for="search">Search the documentation</label><input id="search" type="search" placeholder="Search" autocomplete="off" aria-controls="found"><div id="found" class="found" role="region" aria-label="Found" hidden></div></search>
<a href="/dashboard">Dashboard</a>
</header>
<div class="columns">
<nav aria-label="Documentation"><details open><summary>Contents</summary>
${parts.map(({ title, pages }) => `<h2>${title}</h2>${list(pages)}`).join('\n')}
<p><a href="/v1/openapi.json">OpenAPI document</a></p>
</details></nav>
<main id="main" tabindex="-1">
${page.html}
</main>
</div>
</body>
</html>
`;
}
