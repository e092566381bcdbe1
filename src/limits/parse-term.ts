import { Term } from '../card-api/rule-change.ts';
import { readDuration } from '../core/duration.ts';
import { permanent } from './change-request.ts';

/**
 * How long, where it is said: `for 4h`, `until midnight`, `until 2026-12-24`.
 *
 * @returns the term and what is left, or what is wrong: "for the team lunch" is a reason, "for 4 lightyears" is a
 * duration that nobody can read. Whoever writes "until" wants an end: one that cannot be read must not become none.
 */
export function readTerm(words: readonly string[]): { term: Term; rest: readonly string[] } | string {
  const [preposition = '', next = ''] = words;
  const said = words.slice(0, 3).join(' ').slice(0, 40);
  if (preposition.toLowerCase() === 'for') {
    const duration = readDuration(words.slice(1));
    if (duration !== null) {
      return { term: { kind: 'duration', ms: duration.ms }, rest: words.slice(1 + duration.words) };
    }
    if (/^\d/.test(next)) return `“${said}” is no duration. Write “for 4h”, “for 90m” or “for 2 days”.`;
  }
  if (preposition.toLowerCase() === 'until') {
    const term = readUntil(next);
    if (term !== null) return { term, rest: words.slice(2) };
    return `“${said}” is no day that I can read. Write “until midnight” or “until 2026-12-24”.`;
  }
  return { term: permanent, rest: words };
}

/** Behind "until": `midnight` or `2026-12-24`. Null when it is neither. */
function readUntil(word: string): Term | null {
  if (word.toLowerCase() === 'midnight') return { kind: 'midnight' };
  const day = Term.safeParse({ kind: 'day', day: word });
  return day.success ? day.data : null;
}
