import type {
  ActionsBlock,
  ActionsBlockElement,
  Button,
  ConfirmationDialog,
  ContextBlock,
  HeaderBlock,
  MrkdwnElement,
  PlainTextElement,
  SectionBlock,
} from '@slack/types';
import { chunksOf } from '../../src/core/chunks.ts';
import { commandCode, slashCommand, terminalCommand } from '../../src/core/installation.ts';
import * as limits from '../../src/slack/limits.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken, escapeMrkdwn, plain, truncate } from '../../src/slack/mrkdwn.ts';

/** Outside text inside a mrkdwn text: escaped, one line, cut to `max`. */
export function escapeUntrusted(text: string, max = 120): string {
  return truncate(escapeMrkdwn(text), max);
}

/**
 * Outside text inside a command that people copy: only what can be seen and typed, in whole words. Where {@link escapeUntrusted}
 * puts a lookalike or a character that nobody sees, the command could not be read when it is pasted.
 */
export function copyable(text: string, max = 120): string {
  const typed = text
    .normalize('NFKC')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[“”„]/g, '"')
    .replaceAll(/[^\p{L}\p{M}\p{N}$.,:;/'"()+#%=!?_ -]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/gu, ' ');
  const words = typed.split(' ').filter((word) => word !== '');
  while (words.join(' ').length > max) words.pop();
  return words.join(' ');
}

const recordedTime = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/;

/** The text holds a time as recorded. */
export function hasTime(text: string): boolean {
  return recordedTime.test(text);
}

/**
 * Like {@link escapeUntrusted}, with all times as recorded shown in the reader's time zone. What is quoted stays as it was
 * typed.
 */
export function withTimes(text: string, max = 80): string {
  if (/[“ˋ][^”ˋ]*\d{4}-\d\d-\d\dT/.test(text)) return escapeUntrusted(text, max);
  const found = recordedTime.exec(text);
  if (found === null || Number.isNaN(Date.parse(found[0]))) return escapeUntrusted(text, max);
  const behind = escapeUntrusted(text.slice(0, found.index).trim(), max);
  // There may be several: `until …, travel mute until …`.
  const ahead = withTimes(text.slice(found.index + found[0].length).trim(), max);
  // Only a plain word goes into the token.
  const [, start = '', word] = /^(.*? ?)([A-Za-z]+)$/.exec(behind) ?? [];
  const said =
    word === undefined ? `${behind}${behind && ' '}${dateToken(found[0])}` : start + dateAfter(word, found[0]);
  return ahead === '' || /^[,.;:]/.test(ahead) ? `${said}${ahead}` : `${said} ${ahead}`;
}

/** A sentence of ours that may hold outside text: the commands that it names stay code, and its times are readable. */
export function sentenceWithCommands(text: string, max = 300): string {
  return withTimes(text, max).replaceAll(/ˋ([^ˋ]*)ˋ/g, (whole, code: string) => {
    const isOurs = [`${slashCommand()} `, terminalCommand('')].some((start) => `${code} `.startsWith(start));
    return isOurs ? `\`${code}\`` : whole;
  });
}

/** Longest text about the rules of one change: there may be several, each with an outside name. */
export const RULES_MAX = 600;

/** A text that may hold outside text; Slack formats nothing in it and makes no emoji of `:words:`. */
export function plainText(text: string, max: number): PlainTextElement {
  return { type: 'plain_text', text: truncate(plain(text), max) || '–', emoji: false };
}

/** `verbatim`: Slack turns no address, `@name` or `#channel` of outside text into a link. */
function mrkdwn(text: string, max: number): MrkdwnElement {
  return { type: 'mrkdwn', text: truncate(text, max) || '–', verbatim: true };
}

export function header(text: string): HeaderBlock {
  return { type: 'header', text: plainText(text, limits.HEADER_TEXT_MAX) };
}

/** Lines of mrkdwn, already escaped; empty ones are left out. */
export function section(...lines: readonly (string | null)[]): SectionBlock {
  const text = lines.filter((line) => line !== null && line !== '').join('\n');
  return { type: 'section', text: mrkdwn(text, limits.SECTION_TEXT_MAX) };
}

export type Field = readonly [label: string, value: string];

/** Facts in two columns. A fact whose value is empty is left out; the value is mrkdwn, already escaped. */
export function fields(facts: readonly Field[]): SectionBlock[] {
  const known = facts.filter(([, value]) => value !== '').slice(0, limits.SECTION_FIELDS_MAX);
  if (known.length === 0) return [];
  return [
    {
      type: 'section',
      fields: known.map(([label, value]) => mrkdwn(`*${label}*\n${value}`, limits.SECTION_FIELD_TEXT_MAX)),
    },
  ];
}

/** Small print, one element a text; no block when there is none. */
export function context(...texts: readonly (string | null)[]): ContextBlock[] {
  const known = texts.filter((text) => text !== null && text !== '').slice(0, limits.CONTEXT_ELEMENTS_MAX);
  if (known.length === 0) return [];
  return [{ type: 'context', elements: known.map((text) => mrkdwn(text ?? '', limits.TEXT_OBJECT_MAX)) }];
}

interface ConfirmWords {
  readonly title: string;
  readonly text: string;
  readonly confirmText: string;
  readonly style?: 'primary' | 'danger';
}

export function confirm({ title, text, confirmText, style }: ConfirmWords): ConfirmationDialog {
  return {
    title: plainText(title, limits.CONFIRM_TITLE_MAX),
    text: plainText(text, limits.CONFIRM_TEXT_MAX),
    confirm: plainText(confirmText, limits.CONFIRM_BUTTON_MAX),
    deny: plainText('Cancel', limits.CONFIRM_BUTTON_MAX),
    ...(style && { style }),
  };
}

interface ButtonWords {
  readonly text: string;
  readonly action: string;
  /** An opaque id, never card data. */
  readonly value?: string;
  readonly url?: string;
  readonly style?: 'primary' | 'danger';
  /** Asked first; the answer that goes on says the same as the button unless `confirmText` is given. */
  readonly confirm?: Pick<ConfirmWords, 'title' | 'text'> & Partial<Pick<ConfirmWords, 'confirmText'>>;
  /** Read out in place of the text, where the text alone does not say which card. */
  readonly label?: string;
}

export function button({ text, action, value, url, style, confirm: asked, label }: ButtonWords): Button {
  return {
    type: 'button',
    text: plainText(text, limits.BUTTON_TEXT_MAX),
    action_id: action,
    ...(value !== undefined && { value }),
    ...(url !== undefined && { url }),
    ...(style && { style }),
    ...(asked && { confirm: confirm({ confirmText: text, ...(style && { style }), ...asked }) }),
    ...(label !== undefined && { accessibility_label: truncate(plain(label), limits.BUTTON_TEXT_MAX) }),
  };
}

/** Buttons and menus in a row; no block when there is none. */
export function actions(...controls: readonly (ActionsBlockElement | null)[]): ActionsBlock[] {
  const elements = controls.filter((one) => one !== null);
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

/** Room that a message keeps for what stands around a list. */
const LIST_SIZE_MAX = limits.MESSAGE_SIZE_MAX - 3500;
const LIST_BLOCKS_MAX = limits.MESSAGE_BLOCKS_MAX - 10;

/** Lines in as many sections as they need. Empty ones are left out. */
export function inSections(lines: readonly (string | null)[], perSection: number): SectionBlock[] {
  const known = lines.filter((line) => line !== null && line !== '');
  return chunksOf(known, perSection).map((some) => section(...some));
}

/** One page of a list: as many blocks as a message can hold. Pages are counted from 1; one that is too high is the last. */
export function pageOf(
  blocks: readonly SectionBlock[],
  wanted: number,
): { readonly shown: SectionBlock[]; readonly page: number; readonly pages: number } {
  const pages: SectionBlock[][] = [[]];
  let size = 0;
  for (const block of blocks) {
    const own = JSON.stringify(block).length;
    const isFull = size + own > LIST_SIZE_MAX || (pages.at(-1)?.length ?? 0) >= LIST_BLOCKS_MAX;
    if (isFull && size > 0) {
      pages.push([]);
      size = 0;
    }
    size += own;
    pages.at(-1)?.push(block);
  }
  const page = Math.min(Math.max(1, wanted), pages.length);
  return { shown: pages[page - 1] ?? [], page, pages: pages.length };
}

/** The first blocks of a list that one message can hold, and how many are left. */
export function asManyAsFit(blocks: readonly SectionBlock[]): { shown: SectionBlock[]; left: number } {
  const { shown } = pageOf(blocks, 1);
  return { shown, left: blocks.length - shown.length };
}

/** `Page 2 of 3. Next: /card mutes 3`; null where everything is on one. */
export function pageWords(
  { page, pages }: { readonly page: number; readonly pages: number },
  command: string,
): string | null {
  if (pages === 1) return null;
  const next = page < pages ? ` Next: ${commandCode(`${command} ${page + 1}`)}` : '';
  return `Page ${page} of ${pages}.${next}`;
}

/** What the card service answered, in its own words. Raw. Empty: nothing. */
export function serviceSaysRaw(words: string | null): string {
  return words === null || words.trim() === '' ? '' : `The card service says: “${words.trim()}”`;
}

/** The card service's words as a quote. A code that nobody knows is named too. */
export function serviceExplanation(message: string, code = ''): string {
  const named = code === '' ? '' : ` (code ${code})`;
  if (message.trim() === '') return `The card service gave no explanation${named}.`;
  return `${serviceSaysRaw(message)}${named}.`;
}

/** What the card service answered, for Slack. */
export function serviceSays(words: string | null): string {
  return words === null ? '' : serviceSaysRaw(escapeUntrusted(words, 300));
}

const number = new Intl.NumberFormat('en-US');
/** `1,203`. */
export function formatCount(count: number): string {
  return number.format(count);
}

/** `1 limit`, `1,203 limits`. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Blocks show a command at the end of a sentence without a full stop, so that it can be copied. */
export const withFullStop = (text: string): string => (text.endsWith('`') ? `${text}.` : text);

/** The sentences for notifications and screen readers: on one line, without our own bold. Empty ones are left out. */
export function sentence(...sentences: readonly (string | null)[]): string {
  const text = sentences.filter(Boolean).join(' ');
  return truncate(text.replaceAll('*', '').replaceAll('\n', ' '), limits.MESSAGE_TEXT_MAX);
}

/** A message that is only sentences, a line for each argument. Empty ones are left out. */
export function textMessage(...lines: readonly (string | null)[]): Message {
  return { text: sentence(...lines), blocks: [section(...lines)] };
}

/** The same, the first line in bold. */
export function headed(head: string, ...lines: readonly (string | null)[]): Message {
  return textMessage(`*${head}*`, ...lines);
}
