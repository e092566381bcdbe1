import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Alert, CardTestingAlert, FraudCaseAlert, type StatusChange } from '../../src/alerts/alert.ts';
import { declineCodes } from '../../src/alerts/decline-reason.ts';
import type { ApprovalRequest } from '../../src/approvals/request.ts';
import { limitWindows } from '../../src/card-api/rule.ts';
import { transactionKinds } from '../../src/core/event.ts';
import { helpFor } from '../../src/dispatch/verbs.ts';
import type { Claim } from '../../src/holders/claim-store.ts';
import { actionResult } from '../../templates/actions/action-result.ts';
import { confirmActivation } from '../../templates/actions/confirm-activation.ts';
import { renderAlert } from '../../templates/alerts/alert.ts';
import { alertDetails } from '../../templates/alerts/alert-details.ts';
import { approvalRequest } from '../../templates/approvals/approval-request.ts';
import { auditLine } from '../../templates/audit/audit-line.ts';
import type { View } from '../../templates/core/view.ts';
import { cardShow } from '../../templates/directory/card-show.ts';
import { chooseCard } from '../../templates/directory/choose-card.ts';
import { help } from '../../templates/dispatch/help.ts';
import { claimDecided, claimWaits, confirmOwnCard } from '../../templates/holders/claim-answers.ts';
import { claimRequest } from '../../templates/holders/claim-request.ts';
import { renderHolderAlert } from '../../templates/holders/holder-alert.ts';
import { holderWelcome, linkEnded, linkLost, linkResult, linkUnchanged } from '../../templates/holders/link-result.ts';
import { remedyForm } from '../../templates/limits/remedy-form.ts';
import { opsNotice } from '../../templates/ops/ops-notice.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import { checkBlocks } from '../../workspace/block-limits.ts';
import { examples } from '../support/examples.ts';
import { limitRaise, remedyOf } from '../support/limit-goals.ts';
import { inFlight } from '../support/limit-requests.ts';
import { ask } from '../support/perform-world.ts';
import { answer } from './answer-fixtures.ts';
import { card, change, outcome, shippingAlert, statusAlert, transactionAlert, virtualAlert } from './fixtures.ts';
import { expectFit, expectPlain, expectSafe, leaks, spiteful } from './judge.ts';

const everyRole = ['holder', 'operator', 'approver'] as const;

/** The alert in all forms: short, long and in a modal; for the team and for the cardholder. */
function expectAlertFits(alert: Alert, view: View): void {
  for (const isLong of [true, false]) {
    expectFit(renderAlert(alert, { ...view, isLong }));
    const direct = renderHolderAlert(alert, { place: 'direct', isLong });
    if (direct !== null) expectFit(direct);
  }
  for (const audience of ['team', 'holder'] as const) {
    const details = alertDetails(alert, audience, { ...view, place: 'direct', now: new Date() });
    if (details !== null) expectPlain(details.blocks);
  }
}

const outcomes = fc.array(
  fc.record({
    verb: fc.constantFrom(
      'block' as const,
      'unblock' as const,
      'activate' as const,
      'limit' as const,
      'acknowledge' as const,
      'recognize' as const,
      'supersede' as const,
      'rebase' as const,
      'keep' as const,
    ),
    by: fc.option(fc.oneof(fc.constant('U1'), spiteful)),
    at: fc.oneof(fc.constant('2026-11-20T14:20:00Z'), spiteful),
    state: fc.constantFrom('done' as const, 'failed' as const, 'waiting' as const),
    text: spiteful,
  }),
  { maxLength: 12 },
);

const anyCard = fc.record({
  acctId: fc.option(fc.constant(7378)),
  cardId: fc.option(fc.constant(6231)),
  last4: fc.option(spiteful),
  holder: fc.option(spiteful),
  customId: fc.option(spiteful),
  isVirtual: fc.option(fc.boolean()),
  group: fc.option(spiteful),
});

const around = { card: anyCard, outcomes, late: fc.boolean() };
const view = fc.record({ place: fc.constantFrom('public' as const, 'private' as const, 'direct' as const) });

describe('with any strings, Slack accepts the message and shows them as text', () => {
  it('of a transaction', () => {
    const event = fc.record({
      kind: fc.constantFrom(...transactionKinds),
      direction: fc.constantFrom('debit', 'credit'),
      amountCents: fc.nat(),
      requestedCents: fc.option(fc.nat()),
      availableCents: fc.option(fc.integer()),
      merchant: fc.record({ name: spiteful, city: spiteful, state: spiteful, country: spiteful, id: spiteful }),
      mcc: fc.oneof(spiteful, fc.constantFrom('5812', '3690')),
      isCardPresent: fc.option(fc.boolean()),
      decline: fc.record({ code: fc.oneof(spiteful, fc.constantFrom(...declineCodes)), message: spiteful }),
    });
    const remedy = fc.option(
      fc.oneof(
        fc.constantFrom({ kind: 'activate' as const }, { kind: 'unblock' as const }),
        fc
          .record({ category: fc.option(fc.record({ id: fc.nat(), name: spiteful })) })
          .map(({ category }) => remedyOf(limitRaise('daily', 40_000, 44_900, { remainingCents: 3510, category }))),
      ),
    );
    fc.assert(
      fc.property(event, fc.record({ ...around, remedy }), view, (event, rest, view) => {
        expectAlertFits(transactionAlert(event, rest), view);
      }),
      { numRuns: examples(25) },
    );
  });

  it('of repeats and of a card-testing warning', () => {
    const counted = {
      count: fc.integer({ min: 1 }),
      firstAt: spiteful,
      lastAt: spiteful,
      minCents: fc.nat(),
      maxCents: fc.nat(),
    };
    const repeats = fc.record(counted);
    const tried = fc.record({
      ...counted,
      acctId: fc.nat(),
      holder: fc.option(spiteful),
      last4: fc.option(spiteful),
    });
    const merchant = fc.record({ name: spiteful, city: spiteful, state: spiteful, country: spiteful, id: spiteful });
    const blocked = fc.constantFrom(null, { kind: 'unblock' as const });
    fc.assert(
      fc.property(
        fc.array(tried, { maxLength: 130 }),
        fc.record({ ...around, remedy: blocked, repeats: fc.dictionary(fc.constant('C1'), repeats) }),
        merchant,
        view,
        (cards, { remedy, repeats: counted, ...rest }, where, view) => {
          const alert = transactionAlert({ merchant: where }, { ...rest, remedy, repeats: counted });
          expectFit(renderAlert(alert, { ...view, channel: 'C1' }));
          const tried = cards.map((one, index) => ({ ...one, alertId: `evt_${String(index).padStart(16, '0')}` }));
          expectFit(
            renderAlert(CardTestingAlert.parse({ ...rest, kind: 'card-testing', event: alert.event, tried }), view),
          );
          const purchases = cards.map((one) => ({ at: one.firstAt, amountCents: one.minCents, merchant: where.name }));
          const reported = { by: where.name, at: where.city };
          const operators = tried.map(({ alertId }) => alertId);
          const opened = { ...rest, kind: 'fraud-case', event: alert.event, alertId: where.id, reported, purchases };
          expectFit(renderAlert(FraudCaseAlert.parse({ ...opened, operators }), view));
        },
      ),
    );
  });

  it('of a status change', () => {
    const status = fc.constantFrom('INACTIVE' as const, 'ACTIVE' as const, 'BLOCKED' as const, 'CLOSED' as const);
    const step = fc.record({ status, at: spiteful });
    const one = fc.record({
      cardId: fc.integer({ min: 1 }),
      last4: spiteful,
      from: fc.option(status),
      steps: fc
        .tuple(step, fc.array(step, { maxLength: 4 }))
        .map(([first, more]): StatusChange['steps'] => [first, ...more]),
      supersededBy: fc.option(status),
      causedBy: fc.option(fc.oneof(fc.constant('U1'), spiteful)),
    });
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 15 }), fc.record(around), view, (changes, rest, view) => {
        expectAlertFits(statusAlert(changes, rest), view);
      }),
      { numRuns: examples(25) },
    );
  });

  it('of a shipment and of a virtual card', () => {
    const shipment = fc.record({ trackingNumber: spiteful, shippingMethod: spiteful, last4: spiteful });
    const virtual = fc.record({
      holder: spiteful,
      last4: fc.option(spiteful),
      status: fc.option(spiteful),
      outcome: fc.constantFrom('created', 'not_created', 'partial', 'resend'),
      failed: fc.array(spiteful, { maxLength: 20 }),
      message: spiteful,
    });
    fc.assert(
      fc.property(shipment, virtual, fc.record(around), view, (shipment, virtual, rest, view) => {
        expectAlertFits(shippingAlert(shipment, rest), view);
        expectAlertFits(virtualAlert(virtual, rest), view);
      }),
      { numRuns: examples(25) },
    );
  });

  it('of an answer', () => {
    fc.assert(
      fc.property(spiteful, spiteful, anyCard, view, (one, two, card, view) => {
        const others = Array.from({ length: 25 }, () => ({ card, status: one, value: 'id' }));
        const declines = Array.from({ length: 9 }, () => ({
          merchant: { ...transactionAlert().event.merchant, name: one },
          decline: { code: two, message: one },
          amountCents: 1,
          occurredAt: two,
        }));
        const limits = Array.from({ length: 30 }, () => ({
          period: 'daily' as const,
          category: one,
          limitCents: 500,
          remainingCents: 20,
        }));

        expectFit(refusal({ what: one, why: two, whoCan: one }));
        expectFit(refusal({ what: one, why: two, whoCan: { text: one, userIds: Array(40).fill(two) } }));
        expectFit(chooseCard({ doing: one, query: two, choices: others.slice(0, 20), matches: 25, unread: 3120 }));
        expectFit(confirmActivation({ value: 'id', card, ending: others }));
        const facts = { card, status: one, balance: 5, limits, hasLimits: true, declines, isEveryDeclineKnown: true };
        expectFit(cardShow(facts, view));
        expectFit(
          auditLine({ ...answer.audit, by: one, did: two, card, reason: one, before: two, outcome: one, ref: two }),
        );
        expectFit(
          opsNotice({ ...answer.notice, title: one, what: two, means: one, todo: two, about: one, ref: one, at: two }),
        );
        for (const state of ['done', 'failed', 'unknown'] as const) {
          expectFit(
            actionResult({
              ...answer.result,
              state,
              card,
              by: one,
              before: two,
              after: one,
              apiWords: two,
              reason: one,
              note: two,
              ref: one,
            }),
          );
        }
        for (const state of ['open', 'approved', 'denied', 'withdrawn', 'expired', 'overridden'] as const) {
          const approvals = Array.from({ length: 30 }, () => ({ by: one, at: two, actionId: null }));
          const { action, expiresAt } = answer.request;
          expectFit(
            approvalRequest({
              ...answer.request,
              action: { ...action, reason: two, actor: { userId: one, teamId: 'T1' } },
              state,
              card,
              changes: [{ rule: { kind: 'category', category: { id: 1, name: one } }, from: false, to: true }],
              temporary: [
                { rule: { kind: 'category', category: { id: 1, name: one } }, now: true, back: false, until: two },
              ],
              note: one,
              remindedAt: expiresAt,
              inFlight: [{ ...inFlight(state === 'open' ? 'sent' : 'unconfirmed'), by: two, at: one }],
              approvals,
              counted: {
                rule: { kind: 'category', category: { id: 1, name: one } },
                ownCents: 1,
                earlier: Array.from({ length: 30 }, () => ({ by: one, at: two, cents: 99_999 })),
                aboveCents: 100_000,
                cap: { scope: 'program', days: 30, earlierCents: 99_999_999, capCents: 100_000_000 },
              },
              ...(state !== 'open' &&
                state !== 'expired' && {
                  decision: { actionId: 'act_1', by: two, at: two },
                  temporaryChangeId: null,
                }),
            } as ApprovalRequest),
          );
        }
      }),
      { numRuns: examples(20) },
    );
  });

  it('of messages about cardholders', () => {
    const state = fc.constantFrom('open' as const, 'confirmed' as const, 'refused' as const, 'expired' as const);
    fc.assert(
      fc.property(spiteful, fc.array(anyCard, { maxLength: 5 }), anyCard, state, (text, cards, card, state) => {
        const same = [
          { isSameName: true, isSameEmail: false },
          { isSameName: null, isSameEmail: null },
        ] as const;
        for (const isUnlink of [true, false]) {
          const asked = { actor: { userId: text, teamId: 'T1' }, askedAt: text };
          for (const compared of same) {
            const claim = {
              id: 'clm_1',
              action: isUnlink ? ask('unlink', asked) : ask('claim', asked),
              card: { acctId: 7, ...compared },
              expiresAt: text,
              state,
              ...(state !== 'open' && state !== 'expired' && { decision: { actionId: 'act_1', by: text, at: text } }),
            } as Claim;
            expectFit(claimRequest({ claim, card, value: 'clm_1', heldBy: text, ...compared }));
          }
          for (const linkOf of [undefined, text]) {
            expectFit(claimDecided({ state: 'refused', by: text, isUnlink, linkOf }));
            expectFit(claimWaits({ isUnlink, linkOf }));
          }
        }
        for (const heldBy of [text, null]) expectFit(linkLost({ card, by: text, heldBy, isClaim: heldBy === null }));
        expectFit(confirmOwnCard([card, ...cards].map((one) => ({ value: 'p_1', card: one }))));
        for (const isSame of [true, false])
          expectFit(linkResult({ card, userId: text, isOwn: !isSame, before: text, isSame }));
        for (const heldNow of [text, null]) {
          expectFit(linkResult({ card, userId: text, isOwn: false, before: null, isSame: false, heldNow }));
          expectFit(linkEnded({ card, heldNow }));
          expectFit(linkUnchanged({ card, heldBy: heldNow }));
        }
        expectFit(holderWelcome({ card, by: text }));
      }),
      { numRuns: examples(20) },
    );
  });

  it('of the form', () => {
    fc.assert(
      fc.property(spiteful, anyCard, (text, card) => {
        const event = { ...answer.form.alert.event, merchant: { ...answer.form.alert.event.merchant, name: text } };
        const alert = { ...answer.form.alert, card, event };
        const [weekly] = answer.form.remedy.limits;
        const ofCategory = { ...weekly, rule: { ...weekly.rule, category: { id: 1, name: text } } };
        const remedy = remedyOf(ofCategory);
        const { blocks } = remedyForm({ ...answer.form, alert, remedy });

        expect(checkBlocks(blocks, 'modal')).toEqual([]);
        expectSafe(blocks);
        const others = limitWindows.flatMap((period) =>
          [{ id: 2, name: text }, null].map((category) => limitRaise(period, 40_000, 44_900, { category })),
        );
        const several = remedyForm({ ...answer.form, alert, remedy: remedyOf(ofCategory, ...others) });
        expect(checkBlocks(several.blocks, 'modal')).toEqual([]);
        expectSafe(several.blocks);
      }),
      { numRuns: examples(25) },
    );
  });
});

it('every plain alert fits', () => {
  expectFit(help(helpFor(everyRole, everyRole)));
  expectAlertFits(statusAlert([change()], { card, outcomes: [outcome({})] }), { place: 'public' });
});

describe('these checks can fail', () => {
  it.each([
    ['<!channel>', 'an angle bracket'],
    ['<@u1> hi', 'an angle bracket'],
    ['a & b', 'a bare ampersand'],
    ['*FOREIGN*', 'formatting'],
    ['\u202E', 'a direction override or half a surrogate pair'],
    ['@here', 'a mention of everyone'],
  ])('%j leaks', (text, leak) => {
    expect(leaks(text)).toContain(leak);
  });

  it('rejects a header that is too long', () => {
    expect(
      checkBlocks([{ type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }], 'message'),
    ).not.toEqual([]);
  });
});
