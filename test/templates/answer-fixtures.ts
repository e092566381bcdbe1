import { goalsOf } from '../../src/card-api/rule-change.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { ActionResult } from '../../templates/actions/action-result.ts';
import type { ConfirmActivation } from '../../templates/actions/confirm-activation.ts';
import type { AuditLine } from '../../templates/audit/audit-line.ts';
import type { CardShow } from '../../templates/directory/card-show.ts';
import type { ChooseCard } from '../../templates/directory/choose-card.ts';
import type { RemedyForm } from '../../templates/limits/remedy-form.ts';
import type { OpsNotice } from '../../templates/ops/ops-notice.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import { limitChange, limitRaise, remedyOf } from '../support/limit-goals.ts';
import { openRequestOf } from '../support/limit-requests.ts';
import { ask } from '../support/perform-world.ts';
import { card, transactionAlert } from './fixtures.ts';

export { card } from './fixtures.ts';

const at = '2026-11-20T14:14:00Z';
const raised = limitChange('daily', 40_000, 200_000);
const other = (last4: string): CardFacts => ({ ...card, last4, cardId: Number(last4) });

/** One of each answer to commands and buttons. */
export const answer = {
  refusal: {
    what: 'Unblocking card 1212',
    why: 'You are not an approver.',
    whoCan: { text: 'Ask another approver.', userIds: ['U7', 'U8'] },
  } satisfies Refusal,
  choose: {
    doing: 'block',
    query: 'doe',
    choices: [
      { value: 'choice_1', card, status: 'Inactive' },
      { value: 'choice_2', card: other('3434'), status: null },
    ],
    matches: 2,
    unread: 0,
  } satisfies ChooseCard,
  confirm: {
    value: 'pending_1',
    card,
    ending: [
      { card: other('3434'), status: 'Active' },
      { card: other('5656'), status: 'BLOCKED' },
    ],
  } satisfies ConfirmActivation,
  show: {
    card,
    status: 'Active',
    balance: 15_600,
    hasLimits: true,
    limits: [
      { period: 'daily', category: null, limitCents: 40_000, remainingCents: 3510 },
      { period: 'weekly', category: null, limitCents: null, remainingCents: null },
      { period: 'monthly', category: 'Fuel', limitCents: 20_000, remainingCents: 20_000 },
      { period: 'yearly', category: null, limitCents: 100_000, remainingCents: -500 },
      { period: 'lifetime', category: null, limitCents: 500_000, remainingCents: null },
    ],
    declines: [
      {
        occurredAt: at,
        amountCents: 8410,
        merchant: { ...transactionAlert().event.merchant, name: 'Blue Bottle Coffee' },
        decline: { code: 'decline.rule.velocity', message: 'Transaction exceeded daily spend limit' },
      },
    ],
    isEveryDeclineKnown: true,
  } satisfies CardShow,
  result: {
    verb: 'limit',
    state: 'done',
    card,
    by: 'U1',
    at,
    before: 'daily limit $400.00',
    after: 'daily limit $450.00',
    apiWords: null,
    reason: 'Team lunch',
    note: 'It goes back to $400.00 at 6 PM.',
    ref: '7f3a',
  } satisfies ActionResult,
  request: openRequestOf({
    id: 'req_1',
    action: ask('limit', {
      actor: { userId: 'U1', teamId: 'T1' },
      askedAt: at,
      reason: 'Trade fair & booth',
      changeRequest: { goals: goalsOf([raised]), term: { kind: 'permanent' } },
    }),
    changes: [raised],
    term: { kind: 'permanent' },
    needed: 2,
    approvals: [{ by: 'U2', at, actionId: null }],
    expiresAt: '2026-11-20T15:14:00Z',
  }),
  audit: {
    by: 'U1',
    did: 'blocked',
    card,
    at,
    before: 'active',
    after: 'blocked',
    reason: 'lost',
    outcome: 'done',
    ref: 'evt_0123456789abcdef',
  } satisfies AuditLine,
  notice: {
    level: 'ops',
    title: '3 webhooks do not fit',
    what: 'The card service sent a field of another type.',
    means: 'Three declines are not shown.',
    todo: 'Run `npm run replay` after the fix.',
    at,
  } satisfies OpsNotice,
  form: {
    privateMetadata: 'alert_1',
    alert: transactionAlert({ decline: { code: 'decline.rule.velocity', message: 'over' } }),
    remedy: remedyOf(limitRaise('weekly', 40_000, 44_900, { remainingCents: 3510 })),
    state: 'checked',
    today: '2026-11-20',
  } satisfies RemedyForm,
};
