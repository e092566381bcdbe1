import { describe, expect, it } from 'vitest';
import type { OpenRequest } from '../../../src/approvals/request.ts';
import { noFacts } from '../../../src/approvals/request-facts.ts';
import { noCard } from '../../../src/core/card-facts.ts';
import { MESSAGE_SIZE_MAX } from '../../../src/slack/limits.ts';
import { homeRequests } from '../../../templates/app-home/home-waiting.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { decideForm } from '../../../templates/approvals/decide-form.ts';
import { checkBlocks } from '../../../workspace/block-limits.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { shown } from '../shown.ts';

const link = 'https://example.slack.com/archives/C1/p1';

function blocksOf(count: number, name = (index: number) => `Holder ${index} · card ${1200 + index}`): OpenRequest {
  const acctIds = Array.from({ length: count }, (_, index) => index + 1);
  const action = ask('block-all', { actor: { userId: 'U0OLGA', teamId: 'T1' }, acctIds, names: acctIds.map(name) });
  const facts = { ...noFacts, warning: { merchant: 'Corner Diner', link } };
  return openRequestOf({ action, changes: [], goals: [], card: noCard, facts });
}

const form = (request: OpenRequest): string =>
  shown(
    decideForm({ privateMetadata: 'p', purpose: 'deny', request, capCents: null, today: '2026-11-20' })
      .blocks as Parameters<typeof shown>[0],
  );
const inChannel = (request: OpenRequest): string => shown(approvalRequest(request).blocks);
const inHome = (request: OpenRequest): string => shown(homeRequests([{ ...request, mayDecide: true }], {}));

describe.each([
  ['its channel', inChannel],
  ['App Home', inHome],
  ['the form of Deny with note…', form],
])('a request to block cards, in %s,', (_where, read) => {
  it('names every card once, the merchant, and links to the warning', () => {
    const text = read(blocksOf(8));

    expect(text).toContain('<@U0OLGA> asks to block 8 cards declined at Corner Diner*');
    for (let index = 1; index <= 8; index += 1)
      expect(text.split(`• Holder ${index} · card 120${index}`)).toHaveLength(2);
    expect(text).toContain(`<${link}|Open the warning>`);
    expect(text).not.toContain('and 3 more');
  });

  it('does not say that no reason was given: nobody was asked for one', () => {
    expect(read(blocksOf(8))).not.toContain('none given');
  });
});

it('says why blocking needs a second person', () => {
  expect(inChannel(blocksOf(8))).toContain('Blocking more than 5 cards needs a second person.');
  expect(inHome(blocksOf(8))).toContain('Blocking more than 5 cards needs a second person.');
});

it('names all of the most cards that one request can block', () => {
  const { blocks } = approvalRequest(blocksOf(100));

  expect(shown(blocks)).toContain('• Holder 100 · card 1300');
  expect(checkBlocks(blocks, 'message')).toEqual([]);
  expect(JSON.stringify(blocks).length).toBeLessThan(MESSAGE_SIZE_MAX);
});

it('says how many cards it cannot name if their names fill the message', () => {
  const { blocks } = approvalRequest(blocksOf(100, () => '"'.repeat(60)));

  expect(shown(blocks)).toMatch(/… and \d+ more\./);
});

it('without the warning that it came from, still names the cards', () => {
  const request = { ...blocksOf(6), facts: noFacts };

  expect(inChannel(request)).toContain('asks to block 6 cards*');
  expect(inChannel(request)).toContain('• Holder 6 · card 1206');
});

it('the form of an order names the order and what the card may spend', () => {
  const order = openRequestOf({
    action: ask('order-virtual', { actor: { userId: 'U0ANA', teamId: 'T1' }, target: { kind: 'order', sealed: '' } }),
    changes: [],
    goals: [],
    orderCents: 50_000,
    orderTerms: { ruleset: { id: 12, name: null }, groupId: 3 },
  });

  expect(form(order)).toContain('<@U0ANA> asks to order a virtual card for Jane Doe, funded with $500.00');
  expect(form(order)).toContain('*Ruleset*\n12');
});
