import { dateToken } from './dates.js';
import { h, link } from './dom.js';
import { emoji } from './emoji.js';
import { channelMention, groupMention, userMention } from './mrkdwn.js';

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
  link: (part) => styled(link(part.url, part.text ?? part.url), part.style),
  emoji: (part) => emoji(part.name) ?? `:${part.name}:`,
  user: (part, people) => userMention(part.user_id, people),
  channel: (part, people) => channelMention(part.channel_id, undefined, people),
  usergroup: (part, people) => groupMention(part.usergroup_id, undefined, people),
  broadcast: (part) => h('span', { class: 'mention mention-me' }, `@${part.range}`),
  date: (part, people) => dateToken(part.timestamp, part.format, people.zone),
  color: (part) => h('code', {}, part.value),
};

function section(element, people) {
  return (element.elements ?? []).map((part) => PARTS[part.type]?.(part, people) ?? part.text ?? '');
}

const ELEMENTS = {
  rich_text_section: (element, people) => h('div', {}, section(element, people)),
  rich_text_preformatted: (element, people) => h('pre', {}, section(element, people)),
  rich_text_quote: (element, people) => h('blockquote', {}, section(element, people)),
  rich_text_list: (element, people) =>
    h(
      element.style === 'ordered' ? 'ol' : 'ul',
      { class: `indent-${Math.min(element.indent ?? 0, 4)}`, start: element.offset ? element.offset + 1 : undefined },
      element.elements.map((item) => h('li', {}, section(item, people))),
    ),
};

/** A rich text block, also in table cells. */
export function richText(block, people) {
  return h(
    'div',
    { class: 'rich-text' },
    (block.elements ?? []).map((element) => ELEMENTS[element.type]?.(element, people)),
  );
}
