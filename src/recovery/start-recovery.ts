import type { z } from 'zod';
import { recoveryStarted } from '../../templates/recovery/recovery-started.ts';
import { actionOf, target } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { VerbEntry } from '../actions/verb.ts';
import type { Gap } from '../core/gap.ts';
import { readSince, type Since } from '../core/since.ts';

const DAY_MS = 24 * 3_600_000;

/** Fetch what was missed. */
export const RecoverAction = actionOf('recover', target.since, {});
export type RecoverAction = z.infer<typeof RecoverAction>;

export const recoveryVerbs = {
  recover: {
    action: RecoverAction,
    permission: { role: 'approver', doing: 'have missed events fetched' },
    refusedTo: 'recover',
    isOfCard: false,
    command: {
      usage: 'recover [SINCE]',
      example: '/card recover 2h',
      effect: 'fetches what was missed since then (a day, if you do not say) and posts it as late',
      read(words) {
        const since = words.length === 0 ? { agoMs: DAY_MS } : readSince(words);
        const why = 'Since when? Write how long ago, or a date and time.';
        if (since === null) return { kind: 'unclear', why, usage: '/card recover [2h | 2026-11-20T09:00]' };
        return { kind: 'read', verb: 'recover', target: { kind: 'since', since }, reason: '', input: {} };
      },
    },
  },
} as const satisfies Record<string, VerbEntry>;

interface Deps {
  /** A moment that a person wrote, UTC ISO 8601; null when there is no such date. */
  readonly momentOf: (since: Since, askedAt: string) => string | null;
  /** Starts the search for what was missed. */
  readonly recoverGap: (gap: Gap) => Promise<void>;
  /** Where progress is shown. */
  readonly opsChannel: string;
  readonly reply: Pick<ActionTools, 'answer' | 'record' | 'refuse'>;
}

/** `/card recover …`: somebody wants to be sure that nothing was missed. Puts it on record, starts it, says where to look. */
export function createStartRecovery({ momentOf, recoverGap, opsChannel, reply }: Deps) {
  return async function startRecovery(action: RecoverAction): Promise<void> {
    const from = momentOf(action.target.since, action.askedAt);
    if (from === null || from >= action.askedAt) {
      const why = from === null ? 'There is no such date.' : 'That is not in the past.';
      const whoCan = 'Write `/card recover 2h` or `/card recover 2026-11-20T09:00`.';
      return await reply.refuse(action, { what: 'Your recovery', why, whoCan });
    }
    await reply.record(action, { event: 'done', isFirst: true, detail: `what was missed since ${from}` });
    await recoverGap({ id: action.id, from, to: action.askedAt, cause: 'asked' });
    await reply.answer(action, recoveryStarted({ from, channel: opsChannel }));
  };
}
