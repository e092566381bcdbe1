import type { z } from 'zod';
import { actionOf, target } from '../actions/action.ts';
import type { VerbEntry } from '../actions/verb.ts';
import { readSince } from '../core/since.ts';

const DAY_MS = 24 * 3_600_000;

export const RecoverAction = actionOf('recover', target.since, {});
export type RecoverAction = z.infer<typeof RecoverAction>;

/** `2026-11-19T09:00`: how to write a moment, with one that can be recovered from. */
export function recentMoment(now: Date): string {
  return `${new Date(now.getTime() - DAY_MS).toISOString().slice(0, 10)}T09:00`;
}

export const recoveryVerbs = {
  recover: {
    action: RecoverAction,
    permission: { role: 'approver', ofAllCards: true, doing: 'fetch missed events' },
    refusedTo: 'start a recovery',
    alsoCalled: ['backfill', 'resync'],
    command: {
      usage: 'recover [SINCE]',
      example: 'recover 2h',
      effect: 'fetches what was missed since then (a day, if you do not say) and posts it as late',
      read(words, { now }) {
        const since = words.length === 0 ? { agoMs: DAY_MS } : readSince(words);
        const why = 'Since when? Write how long ago, or a date and time.';
        if (since === null) return { kind: 'unclear', why, usage: `recover [2h | ${recentMoment(now)}]` };
        return { kind: 'read', verb: 'recover', target: { kind: 'since', since }, reason: '', input: {} };
      },
    },
  },
} as const satisfies Record<string, VerbEntry>;
