import core from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { escapeHtml, type Highlight } from './markup.ts';

core.registerLanguage('bash', bash);
core.registerLanguage('json', json);
core.registerLanguage('python', python);
core.registerLanguage('typescript', typescript);

/** Language names that code blocks use in the guides and in the document. */
const LANGUAGES: Record<string, string> = {
  ...{ curl: 'bash', sh: 'bash', console: 'bash', shell: 'bash' },
  ...{ ts: 'typescript', javascript: 'typescript', python: 'python', json: 'json' },
};

/**
 * Returns code with syntax highlighting, or unchanged if its language is unknown. It is done on the server so that browsers need no
 * library.
 */
export const highlight: Highlight = (code, language) => {
  const known = LANGUAGES[language.toLowerCase()];
  return known === undefined ? escapeHtml(code) : core.highlight(code, { language: known }).value;
};
