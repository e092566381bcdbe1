import type { Control } from '../../src/actions/action-state.ts';
import type { Term } from '../../src/card-api/rule-change.ts';
import { capital } from '../../src/core/first-letter.ts';
import { BETWEEN_RULES } from '../../src/limits/rule-words.ts';
import { termWords } from '../../src/limits/term.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted, RULES_MAX } from './blocks.ts';

/**
 * `daily limit $150.00`, `daily limit $400.00` → `Daily limit $150.00 → $400.00`: what both sides name is named once. Raw.
 *
 * Of several rules each on its own: `Daily limit $150.00 → $400.00; weekly limit $600.00 → $650.00`.
 */
export function changeWords(before: string, after: string): string {
  const text = ruleByRule(before, after)
    .map(([from, to]) => moved(from, to))
    .join(BETWEEN_RULES);
  return capital(text);
}

/** What each rule was and is, where both sides tell of as many; else the two sides as they are. */
export function ruleByRule(before: string, after: string): [before: string, after: string][] {
  const [from, to] = [before.split(BETWEEN_RULES), after.split(BETWEEN_RULES)];
  return from.length === to.length ? from.map((side, index) => [side, to[index] ?? '']) : [[before, after]];
}

/** One rule, raw. */
export function moved(before: string, after: string): string {
  if (before === after) return before;
  // `no daily limit`, `daily limit $150.00`
  const name = `${before.replace(/^no /, '')} `;
  if (name.length < before.length && after.startsWith(name)) return `${before} → ${after.slice(name.length)}`;
  const [from, to] = [before.split(' '), after.split(' ')];
  const shared = from.findIndex((word, i) => word !== to[i]);
  const short = shared < 1 ? after : to.slice(shared).join(' ');
  return `${before} → ${short || after}`;
}

/** `for 4 hours`, `until today at 6:00 PM` in the reader's time zone: follows a change. */
export function lasting(term: Term): string {
  return term.kind === 'until' ? dateAfter('until', term.at) : escapeUntrusted(termWords(term), 80);
}

/** Each part as a sentence: it begins with a capital and ends with one full stop. Raw. */
export function sentences(...parts: readonly (string | null | undefined)[]): string {
  return parts
    .map((part) => part?.trim() ?? '')
    .filter(Boolean)
    .map((part) => capital(part) + (/[.!?…][”"]?$/.test(part) ? '' : '.'))
    .join(' ');
}

/** `Goes back to $150.00 automatically today at 11:20 AM.` Empty if it does not. */
export function goesBack({ back, until }: Pick<Control, 'back' | 'until'>): string {
  return back === undefined
    ? ''
    : `Goes back to ${escapeUntrusted(back.to, RULES_MAX)} ${dateAfter(back.when, until)}.`;
}
