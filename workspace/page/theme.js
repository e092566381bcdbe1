import { h } from './dom.js';

const CHOICES = [
  ['system', 'Same as system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function chosenTheme() {
  const kept = localStorage.getItem('theme');
  return CHOICES.some(([value]) => value === kept) ? kept : 'system';
}

/** Applies the chosen colors to the page. Default: the system's. */
export function applyTheme() {
  const theme = chosenTheme();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** The switch between light, dark and the system's setting. Saved for the next visit. */
export function themeSwitch() {
  const change = (event) => {
    localStorage.setItem('theme', event.currentTarget.value);
    applyTheme();
  };
  return h(
    'label',
    { class: 'theme-switch' },
    h('small', {}, 'Appearance'),
    h(
      'select',
      { 'data-testid': 'theme-switch', 'aria-label': 'Appearance', onchange: change },
      CHOICES.map(([value, words]) => h('option', { value, selected: value === chosenTheme() }, words)),
    ),
  );
}
