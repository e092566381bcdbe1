import { dateToken, fullDate } from './dates.js';
import { h, link } from './dom.js';
import { emoji } from './emoji.js';

function unescaped(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function emojiNode(name) {
  const character = emoji(name);
  return character
    ? h('span', { class: 'emoji', title: `:${name}:`, role: 'img', 'aria-label': name }, character)
    : `:${name}:`;
}

/** Plain text with line breaks and emoji only. */
export function plain(text, withEmoji = true) {
  const nodes = [];
  for (const part of unescaped(String(text)).split(/(:[a-z0-9_+'-]+:|\n)/)) {
    if (part === '\n') nodes.push(h('br'));
    else if (withEmoji && /^:[a-z0-9_+'-]+:$/.test(part)) nodes.push(emojiNode(part.slice(1, -1)));
    else if (part !== '') nodes.push(part);
  }
  return nodes;
}

/** A person's name, with the viewer's own name marked. */
export function userMention(id, people) {
  const user = people.user(id);
  const mine = id === people.me ? ' mention-me' : '';
  return h('span', { class: `mention${mine}`, title: user?.realName ?? id }, `@${user?.realName ?? id}`);
}

/** A link to a channel of this workspace. */
export function channelMention(id, label, people) {
  const name = people.channel(id)?.name ?? label ?? 'private-channel';
  return h('a', { class: 'mention', href: `/?channel=${id}`, 'data-channel-id': id }, `#${name}`);
}

/** A user group's handle. */
function groupMention(id, label, people) {
  const group = people.group(id);
  const mine = group?.users.includes(people.me) ? ' mention-me' : '';
  const handle = group ? `@${group.handle}` : (label ?? '@user-group');
  return h('span', { class: `mention${mine}`, title: group?.name ?? id }, handle);
}

function special(token, people) {
  const [body, label] = [token.split('|')[0], token.includes('|') ? token.slice(token.indexOf('|') + 1) : undefined];
  if (body.startsWith('@')) return userMention(body.slice(1), people);
  if (body.startsWith('#')) return channelMention(body.slice(1), label, people);
  if (body.startsWith('!subteam^')) return groupMention(body.slice('!subteam^'.length), label, people);
  if (body.startsWith('!date^')) {
    const [, seconds, pattern = '', address] = body.split('^');
    if (!/^-?\d+$/.test(seconds ?? '')) return label ?? '';
    const shown = dateToken(Number(seconds), unescaped(pattern), people.zone);
    const time = h('time', { title: fullDate(Number(seconds) * 1000, people.zone) }, shown);
    return address ? link(unescaped(address), time) : time;
  }
  if (/^!(here|channel|everyone)/.test(body)) return h('span', { class: 'mention mention-me' }, `@${body.slice(1)}`);
  if (body.startsWith('!')) return label ?? `<${body}>`;
  const address = unescaped(body);
  return link(address, label === undefined ? address.replace(/^mailto:/, '') : plain(label));
}

const MARKS = { '*': 'strong', _: 'em', '~': 's' };
const WORD = /[\p{L}\p{N}]/u;

/** The end of a mark that starts at `start`, or -1. As in Slack, marks must touch their words. */
function closing(text, start) {
  const mark = text[start];
  const before = text[start - 1] ?? ' ';
  const after = text[start + 1] ?? ' ';
  if (WORD.test(before) || /\s/.test(after) || after === mark) return -1;
  for (let end = text.indexOf(mark, start + 2); end !== -1; end = text.indexOf(mark, end + 1)) {
    if (text.slice(start, end).includes('\n')) return -1;
    const next = text[end + 1] ?? ' ';
    if (!/\s/.test(text[end - 1]) && !WORD.test(next) && next !== mark) return end;
  }
  return -1;
}

/** One line or paragraph of mrkdwn. */
export function inline(text, people) {
  const nodes = [];
  let run = '';
  const flush = () => {
    if (run !== '') nodes.push(unescaped(run));
    run = '';
  };
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const match =
      /^<([^<>\n]+)>/.exec(rest) ??
      /^`([^`\n]+)`/.exec(rest) ??
      /^:([a-z0-9_+'-]+):/.exec(rest) ??
      /^https?:\/\/[^\s<>|]+[^\s<>|.,;:!?)]/.exec(rest);
    if (match && !(rest[0] === ':' && !emoji(match[1]))) {
      flush();
      if (rest[0] === '<') nodes.push(special(match[1], people));
      else if (rest[0] === '`') nodes.push(h('code', {}, unescaped(match[1])));
      else if (rest[0] === ':') nodes.push(emojiNode(match[1]));
      else nodes.push(link(unescaped(match[0]), unescaped(match[0])));
      at += match[0].length;
      continue;
    }
    const end = MARKS[text[at]] ? closing(text, at) : -1;
    if (end > at) {
      flush();
      nodes.push(h(MARKS[text[at]], {}, inline(text.slice(at + 1, end), people)));
      at = end + 1;
      continue;
    }
    if (text[at] === '\n') {
      flush();
      nodes.push(h('br'));
    } else run += text[at];
    at += 1;
  }
  flush();
  return nodes;
}

function quoteStart(line) {
  return /^(>|&gt;) ?/.exec(line);
}

function paragraphs(text, people) {
  const nodes = [];
  let lines = [];
  let quote = [];
  const flush = () => {
    if (quote.length > 0) nodes.push(h('blockquote', {}, inline(quote.join('\n'), people)));
    if (lines.length > 0) nodes.push(h('div', {}, inline(lines.join('\n'), people)));
    [lines, quote] = [[], []];
  };
  for (const line of text.split('\n')) {
    const mark = quoteStart(line);
    if (mark ? lines.length > 0 : quote.length > 0) flush();
    if (mark) quote.push(line.slice(mark[0].length));
    else lines.push(line);
  }
  flush();
  return nodes;
}

/** Slack's markup as nodes: paragraphs, quotes and code blocks. */
export function mrkdwn(text, people) {
  return String(text)
    .split(/```\n?([\s\S]+?)\n?```/)
    .flatMap((part, index) => {
      if (index % 2 === 1) return h('pre', {}, unescaped(part));
      const trimmed = part.replace(/^\n/, '').replace(/\n$/, '');
      return trimmed === '' ? [] : paragraphs(trimmed, people);
    });
}

/** A text object. */
export function textObject(object, people) {
  if (!object) return [];
  return object.type === 'mrkdwn' ? mrkdwn(object.text, people) : plain(object.text, object.emoji !== false);
}
