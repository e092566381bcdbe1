import { h } from './dom.js';
import { userMention } from './mrkdwn.js';

function styled(node, style = {}) {
  let shown = node;
  if (style.code) shown = h('code', {}, shown);
  if (style.strike) shown = h('s', {}, shown);
  if (style.italic) shown = h('em', {}, shown);
  if (style.bold) shown = h('strong', {}, shown);
  return shown;
}

function lines(text) {
  return String(text)
    .split('\n')
    .flatMap((line, index) => (index === 0 ? [line] : [h('br'), line]));
}

const PARTS = {
  text: (part) => styled(h('span', {}, lines(part.text)), part.style),
  user: (part, people) => userMention(part.user_id, people),
};

function section(element, people) {
  return (element.elements ?? []).map((part) => PARTS[part.type](part, people));
}

/** Rich text in a table cell, built from sections. */
export function richText(block, people) {
  return h(
    'div',
    { class: 'rich-text' },
    (block.elements ?? []).map((element) => h('div', {}, section(element, people))),
  );
}
