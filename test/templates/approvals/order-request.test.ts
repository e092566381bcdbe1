import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/approvals/request.ts';
import { homeOwnRequests, homeRequests } from '../../../templates/app-home/home-waiting.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { ask, virtualOrder } from '../../support/perform-world.ts';
import { shown } from '../shown.ts';

const action = ask('order-virtual', { actor: { userId: 'U0ANA', teamId: 'T1' }, target: virtualOrder });
const terms = { ruleset: { id: 12, name: 'Travel' }, groupId: 3 };

const orderOf = (over: Partial<Extract<ApprovalRequest, { state: 'open' }>> = {}) =>
  openRequestOf({ action, changes: [], goals: [], orderCents: 50_000, orderTerms: terms, ...over });

describe.each([
  ['its channel', (request: ReturnType<typeof orderOf>) => shown(approvalRequest(request).blocks)],
  ['App Home', (request: ReturnType<typeof orderOf>) => shown(homeRequests([{ ...request, mayDecide: true }], {}))],
])('an order of a virtual card, in %s,', (_where, read) => {
  it('shows the ruleset and the group that decide what the card may spend', () => {
    expect(read(orderOf())).toContain('*Ruleset*\n“Travel”\n*Group*\n3');
    expect(read(orderOf({ orderTerms: { ...terms, ruleset: { id: 12, name: null } } }))).toContain('*Ruleset*\n12');
    expect(read(orderOf({ orderTerms: { ruleset: null, groupId: null } }))).toContain('*Ruleset*\nnone\n*Group*\nnone');
  });

  it('says its amount once', () => {
    expect(read(orderOf()).match(/\$500\.00/g)).toHaveLength(1);
  });

  it('is not funded with $0.00', () => {
    expect(read(orderOf({ orderCents: 0 }))).toContain('virtual card for Jane Doe, not funded');
    expect(read(orderOf({ orderCents: 0 }))).not.toContain('$0.00');
  });

  it('says that it needs others because the card is for whoever asked', () => {
    const own = 'It has <@U0ANA>’s name or email address, so it needs';
    expect(read(orderOf({ isOwnCard: true }))).toContain(`${own} another approver.`);
    expect(read(orderOf({ isOwnCard: true, needed: 2, orderWhy: { kind: 'amount' } }))).toContain(
      `2 approvals:* it is more than one person may order alone.\n${own} 2 other approvers.`,
    );
    expect(read(orderOf())).not.toContain('email address');
  });
});

it('tells whoever asked why an order for themselves needs others', () => {
  const own = homeOwnRequests([{ ...orderOf({ isOwnCard: true }), mayDecide: false }], {});

  expect(shown(own)).toContain('It has your name or email address, so it needs another approver.');
});

it('a raise of the asker’s own card says why it needs others, and not that the asker counts', () => {
  const raise = openRequestOf({
    action: ask('limit', { actor: { userId: 'U0ANA', teamId: 'T1' } }),
    holder: 'U0ANA',
    isOwnCard: true,
    needed: 2,
  });

  const text = shown(approvalRequest(raise).blocks);
  expect(text).toContain('It is <@U0ANA>’s own card, so it needs 2 other approvers.');
  expect(text).not.toContain('whoever asked counts as one');
});
