import MiniSearch from 'minisearch';

/** Finds sections of the documentation while somebody types. */
export async function search(field, found, element) {
  const sections = await (await fetch('/docs/search.json')).json();
  const index = new MiniSearch({
    fields: ['title', 'page', 'text'],
    searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  });
  index.addAll(sections);
  const show = () => {
    const hits = field.value.trim() === '' ? [] : index.search(field.value).slice(0, 10);
    found.hidden = field.value.trim() === '';
    if (hits.length === 0) return found.replaceChildren(element('p', {}, 'Nothing was found.'));
    const items = hits.map(({ id }) => {
      const { href, page, title } = sections[id];
      return element('li', {}, element('a', { href }, title, element('span', {}, page)));
    });
    found.replaceChildren(element('ul', {}, ...items));
  };
  field.addEventListener('input', show);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') found.querySelector('a')?.click();
    if (event.key === 'Escape') found.hidden = true;
  });
  found.addEventListener('click', () => {
    found.hidden = true;
  });
  show();
}
