// What the pages do beyond being read: samples as tabs and with the reader's key, copying, search, and the catcher of a first webhook.

const KEPT = 'energy-docs-language';
const kept = (value) => {
  // A browser may keep nothing for a page.
  try {
    if (value !== undefined) localStorage.setItem(KEPT, value);
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
};

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

/** Every group of samples shows one language, the same in all of them. */
function tabs() {
  const groups = [...document.querySelectorAll('.samples')].map((group, index) => {
    const panels = [...group.querySelectorAll('[data-language]')];
    const list = element('div', { role: 'tablist', 'aria-label': 'Language' });
    const buttons = panels.map((panel, at) => {
      const id = `samples-${index}-${at}`;
      panel.id = id;
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-label', panel.dataset.language);
      const button = element('button', { role: 'tab', type: 'button', 'aria-controls': id }, panel.dataset.language);
      button.addEventListener('click', () => choose(panel.dataset.language));
      return button;
    });
    list.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step === undefined) return;
      const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
      next.click();
      next.focus();
    });
    list.append(...buttons);
    group.prepend(list);
    group.classList.add('tabbed');
    return { panels, buttons };
  });
  function choose(language) {
    kept(language);
    for (const { panels, buttons } of groups) {
      const has = panels.some((panel) => panel.dataset.language === language);
      const wanted = has ? language : panels[0].dataset.language;
      panels.forEach((panel, at) => {
        const isChosen = panel.dataset.language === wanted;
        panel.hidden = !isChosen;
        buttons[at].setAttribute('aria-selected', String(isChosen));
        buttons[at].tabIndex = isChosen ? 0 : -1;
      });
    }
  }
  choose(kept() ?? 'curl');
}

function copying() {
  for (const block of document.querySelectorAll('pre')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2_000);
    });
    const frame = element('div', { class: 'code' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

function contents() {
  const list = document.querySelector('nav details');
  // On a phone the text comes first.
  const narrow = matchMedia('(max-width: 55rem)');
  const open = () => {
    list.open = !narrow.matches;
  };
  narrow.addEventListener('change', open);
  open();
}

/** What searches is fetched when somebody begins to. */
function search() {
  const field = document.querySelector('#search');
  field.closest('.search').hidden = false;
  const begin = async () => (await import('./search.js')).search(field, document.querySelector('#found'), element);
  field.addEventListener('focus', begin, { once: true });
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || /INPUT|TEXTAREA/.test(document.activeElement?.tagName ?? '')) return;
    event.preventDefault();
    field.focus();
  });
}

tabs();
copying();
contents();
search();
const operation = document.querySelector('.operation');
if (operation?.querySelector('.samples')) (await import('./own-key.js')).ownKey(operation, element);
const place = document.querySelector('[data-catcher]');
if (place) (await import('./catcher.js')).catcher(place, element);
