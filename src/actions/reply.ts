import { auditLine } from '../../templates/audit/audit-line.ts';
import type { unclear } from '../../templates/dispatch/unclear.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { Message } from '../slack/message.ts';
import type { Action } from './action.ts';
import type { ActionDeps } from './deps.ts';
import { type Refused, refuse, refuseUnclear } from './record-refusal.ts';
import { recordUnchanged } from './record-unchanged.ts';
import { auditRecord } from './report.ts';

/** What somebody did, for the record. */
export interface Done {
  /** Past tense, the card follows: `muted`. Null: no line in the audit channel, only in the record. */
  readonly did: string | null;
  readonly card?: CardFacts | null;
  readonly before?: string | null;
  readonly after?: string | null;
  readonly detail?: string | null;
  /** Where it is not the action's own. */
  readonly reason?: string;
}

/** How the person who asked hears what became of it, and how that gets on record: the ways in which a verb ends. */
export interface Reply {
  readonly answer: (action: Action, message: Message) => Promise<void>;
  /** Somebody did something: on record and in the audit channel, once for each action. */
  readonly record: (action: Action, done: Done) => Promise<void>;
  /** True when {@link record} was called before a crash. */
  readonly isRecorded: (action: Action) => Promise<boolean>;
  /** That it was asked for is all there is to record. */
  readonly asked: (action: Action, card?: Pick<Refused, 'acctId' | 'cardId'>, detail?: string) => Promise<void>;
  /** What was asked for is so already: on record. */
  readonly unchanged: (action: Action, card?: Pick<Refused, 'acctId' | 'cardId'>) => Promise<void>;
  /** On record, then answered with the reason and who can. */
  readonly refuse: (action: Action, refusal: Refusal, about?: Refused) => Promise<void>;
  /** On record, then answered with what could not be understood and how it is written. */
  readonly refuseUnclear: (action: Action, words: Parameters<typeof unclear>[0], about?: Refused) => Promise<void>;
}

export function createReply(deps: ActionDeps): Reply {
  const isRecorded: Reply['isRecorded'] = async ({ id }) => (await deps.progress.read(id)) !== null;
  return {
    answer: deps.answer,
    isRecorded,
    async record(action, { did, card = null, before = null, after = null, detail = null, reason = action.reason }) {
      if (!(await isRecorded(action))) {
        const facts = { acctId: card?.acctId ?? null, cardId: card?.cardId ?? null, before, after, detail };
        await deps.audit.append({ ...auditRecord(action, 'done', facts, deps), reason });
        await deps.progress.write(action.id, { state: 'asked' });
      }
      if (did === null) return;
      const line = auditLine({
        by: action.actor.userId,
        did,
        card,
        at: deps.now().toISOString(),
        before,
        after,
        reason: reason === '' ? null : reason,
        outcome: '',
        ref: action.id.slice(-8),
      });
      await deps.postAuditLine(`audit-${action.id}-done`, line);
    },
    async asked(action, { acctId = null, cardId = null } = {}, detail) {
      await deps.audit.append(auditRecord(action, 'asked', { acctId, cardId, detail: detail ?? null }, deps));
    },
    unchanged: (action, card = {}) => recordUnchanged(action, card, deps),
    refuse: (action, refusal, about) => refuse(action, refusal, deps, about),
    refuseUnclear: (action, words, about) => refuseUnclear(action, words, deps, about),
  };
}
