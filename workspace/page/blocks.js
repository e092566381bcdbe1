import { chart } from './charts.js';
import { h, link, safeUrl } from './dom.js';
import { element } from './elements.js';
import { icon as drawn } from './icons.js';
import { markdown } from './markdown.js';
import { plain, textObject } from './mrkdwn.js';
import { richText } from './rich-text.js';
import { dataTable, table } from './tables.js';

function section(block, host) {
  const long = (block.text?.text.length ?? 0) > 700 && !block.expand;
  const text = block.text
    ? h('div', { class: `section-text${long ? ' clamped' : ''}` }, textObject(block.text, host.people))
    : undefined;
  const more = long
    ? h(
        'button',
        {
          type: 'button',
          class: 'show-more',
          onclick: (event) => {
            text.classList.remove('clamped');
            event.currentTarget.remove();
          },
        },
        'See more',
      )
    : undefined;
  const fields = block.fields
    ? h(
        'div',
        { class: 'fields' },
        block.fields.map((field) => h('div', { class: 'field' }, textObject(field, host.people))),
      )
    : undefined;
  const accessory = block.accessory
    ? h('div', { class: 'accessory' }, element(block.accessory, block, host))
    : undefined;
  return h('div', { class: 'block-section' }, h('div', { class: 'section-body' }, text, more, fields), accessory);
}

function context(block, host) {
  return h(
    'div',
    { class: 'block-context' },
    block.elements.map((part) =>
      part.type === 'image' ? element(part, block, host) : h('span', {}, textObject(part, host.people)),
    ),
  );
}

function image(block) {
  const source = safeUrl(block.image_url ?? block.slack_file?.url);
  const picture = source ? h('img', { src: source, alt: block.alt_text }) : h('span', {}, block.alt_text);
  return h(
    'figure',
    { class: 'block-image' },
    block.title ? h('figcaption', {}, plain(block.title.text)) : undefined,
    picture,
  );
}

function input(block, host) {
  const fault = host.errors?.[block.block_id];
  const optional = block.optional ? h('span', { class: 'optional' }, ' (optional)') : undefined;
  return h(
    'div',
    { class: `block-input${fault ? ' has-fault' : ''}`, 'data-block-id': block.block_id },
    h('label', { class: 'input-label' }, plain(block.label.text), optional, element(block.element, block, host)),
    fault ? h('div', { class: 'fault', role: 'alert', 'data-testid': 'input-error' }, fault) : undefined,
    block.hint ? h('div', { class: 'hint' }, plain(block.hint.text)) : undefined,
  );
}

function card(block, host) {
  const hero = safeUrl(block.hero_image?.image_url);
  const icon = safeUrl(block.icon?.image_url);
  return h(
    'div',
    { class: 'block-card' },
    hero ? h('img', { class: 'card-hero', src: hero, alt: block.hero_image.alt_text }) : undefined,
    h(
      'div',
      { class: 'card-inner' },
      h(
        'div',
        { class: 'card-head' },
        icon ? h('img', { class: 'card-icon', src: icon, alt: block.icon.alt_text }) : undefined,
        h(
          'div',
          {},
          block.title ? h('div', { class: 'card-title' }, textObject(block.title, host.people)) : undefined,
          block.subtitle ? h('div', { class: 'card-subtitle' }, textObject(block.subtitle, host.people)) : undefined,
        ),
      ),
      block.body ? h('div', { class: 'card-body' }, textObject(block.body, host.people)) : undefined,
      block.actions
        ? h(
            'div',
            { class: 'block-actions' },
            block.actions.map((action) => element(action, block, host)),
          )
        : undefined,
    ),
  );
}

function container(block, host) {
  const icon = safeUrl(block.icon?.image_url);
  const title = block.rich_text_title ? richText(block.rich_text_title, host.people) : plain(block.title?.text ?? '');
  const head = [
    icon ? h('img', { class: 'card-icon', src: icon, alt: block.icon.alt_text }) : undefined,
    h(
      'span',
      { class: 'container-words' },
      h('span', { class: 'card-title' }, title),
      block.subtitle ? h('span', { class: 'card-subtitle' }, textObject(block.subtitle, host.people)) : undefined,
    ),
  ];
  const inside = h('div', { class: 'container-body' }, blocks(block.child_blocks, host));
  const kind = `block-container width-${block.width ?? 'standard'}${block.has_header_divider ? ' ruled' : ''}`;
  if (!block.is_collapsible) return h('div', { class: kind }, h('div', { class: 'container-head' }, head), inside);
  return h(
    'details',
    { class: kind, open: !block.default_collapsed },
    h('summary', { class: 'container-head' }, head),
    inside,
  );
}

const ALERT_ICONS = { default: 'info', info: 'info', warning: 'warning', error: 'stop', success: 'check' };

const BLOCKS = {
  section,
  context,
  image,
  input,
  card,
  container,
  header: (block) => h('h3', { class: 'block-header' }, plain(block.text.text)),
  divider: () => h('hr', { class: 'block-divider' }),
  actions: (block, host) =>
    h(
      'div',
      { class: 'block-actions' },
      block.elements.map((part) => element(part, block, host)),
    ),
  context_actions: (block, host) =>
    h(
      'div',
      { class: 'block-actions' },
      block.elements.map((part) => element(part, block, host)),
    ),
  rich_text: (block, host) => richText(block, host.people),
  markdown: (block) => h('div', { class: 'block-markdown' }, markdown(block.text)),
  table: (block, host) => table(block, host.people),
  data_table: (block, host) => dataTable(block, host.people),
  data_visualization: (block) => chart(block),
  carousel: (block, host) =>
    h(
      'div',
      { class: 'block-carousel' },
      block.elements.map((part) => card(part, host)),
    ),
  alert: (block, host) =>
    h(
      'div',
      { class: `block-alert alert-${block.level ?? 'default'}`, role: 'note' },
      h('span', { class: 'alert-sign' }, drawn(ALERT_ICONS[block.level ?? 'default'], 18)),
      h('div', {}, textObject(block.text, host.people)),
    ),
  video: (block) =>
    h(
      'figure',
      { class: 'block-image' },
      h('figcaption', {}, link(block.title_url ?? block.video_url, plain(block.title.text))),
    ),
};

/** Blocks as Slack draws them. */
export function blocks(list, host) {
  return (list ?? []).map((block) =>
    h(
      'div',
      { class: 'block', 'data-block-type': block.type },
      BLOCKS[block.type]?.(block, host) ?? h('span', { class: 'unknown' }, `[${block.type}]`),
    ),
  );
}
