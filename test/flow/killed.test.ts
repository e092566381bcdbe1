import { beforeAll, describe, expect, it } from 'vitest';
import { verifyChain } from '../../bin/audit/verify-chain.ts';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { createAuditReader } from '../../src/audit/audit.ts';
import type { AuditRecord } from '../../src/audit/audit-record.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { ageRequest } from '../support/age-request.ts';
import { approvalSteps, askSteps, each, name, orderSteps, overrideSteps, table } from '../support/crash-points.ts';
import { createCrashingWorkers } from '../support/crashing-worker.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, holderOf, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';
import { filledOrder } from '../support/virtual-order-form.ts';

const cardbell = useCardbell({ pace: atOnce });
const { ana, ben, zoe, olga, otto } = people;

interface Case {
  readonly card: SandboxAccount;
  readonly actionId: string;
  readonly request: StoredMessage;
}
const asks = new Map<string, Case>();
const approvedCases = new Map<string, Case>();
const overriddenCases = new Map<string, Case>();
const orders = new Map<string, { readonly holder: string; readonly actionId: string }>();
const trees = ['Alder', 'Birch', 'Cedar', 'Elder', 'Hazel', 'Larch', 'Maple', 'Rowan'];

const direct = (user: string): string => `D${user.slice(1)}`;
// Not a reminder, which lists all pending requests.
const requestFor = (card: SandboxAccount): RegExp =>
  new RegExp(`^(?!Reminder).*want(?:s|ed) to pay [^:]*${holderOf(card)}`);
const requestOf = (card: SandboxAccount): Promise<StoredMessage> =>
  cardbell().waitFor(channels.approvals, requestFor(card));
const formOf = async (user: string): Promise<string> => {
  const top = () => cardbell().workspace.views.top(user);
  await until(() => top() !== undefined, 'the form opens');
  return top()?.id ?? '';
};

/** A card with a daily limit of 100 dollars, held by Otto. */
async function ofOtto(status: string): Promise<SandboxAccount> {
  const card = cardbell().take(status);
  await cardbell().command(ana, `limit ${card.AcctId} daily 100`);
  await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
  await cardbell().link(card, otto);
  return card;
}

const ask = (card: SandboxAccount) => cardbell().command(otto, `ask ${card.AcctId} 1500 for 2 hours booth`);

/** Each worker is killed during the latest action; later workers finish it. */
beforeAll(async () => {
  const { workers, startWorker, workspace } = cardbell();
  const crashing = await createCrashingWorkers(cardbell());
  const active = await Promise.all(Array.from({ length: 13 }, () => ofOtto('ACTIVE')));
  const cards = [...active, ...(await Promise.all(Array.from({ length: 3 }, () => ofOtto('BLOCKED'))))];
  await workers.at(-1)?.stop();

  const asked = new Map<SandboxAccount, string>();
  await each(askSteps, async (pattern, when, what, row) => {
    const card = cards[row] as SandboxAccount;
    let replyTo = '';
    const act = async (): Promise<void> => {
      replyTo = (await ask(card)).responseUrl;
    };
    asked.set(card, await crashing.killAt(what, act, { when, pattern: (actionId) => pattern({ actionId, replyTo }) }));
  });
  for (const card of cards.slice(asked.size)) await ask(card);
  await each(orderSteps, async (pattern, when, what, row) => {
    const holder = `Vera ${trees[row]}`;
    const { responseUrl: replyTo } = await cardbell().command(ana, `virtual order ${holder}`);
    const viewId = await formOf(ana);
    const act = () => workspace.submitView({ user: ana, viewId, values: filledOrder });
    const at = (actionId: string): string => pattern({ actionId, replyTo, holder: trees[row] ?? '' });
    const actionId = await crashing.killAt(what, act, { when, pattern: at, isHeld: true });
    orders.set(what, { holder, actionId });
  });
  await crashing.release();

  const worker = await startWorker();
  const requests = new Map<SandboxAccount, StoredMessage>();
  for (const card of cards) requests.set(card, await requestOf(card));
  for (const [row, what] of table(askSteps).entries()) {
    const card = cards[row] as SandboxAccount;
    asks.set(name(...what), { card, actionId: asked.get(card) ?? '', request: requests.get(card) as StoredMessage });
  }
  for (const card of cards.slice(0, 8)) {
    const request = requests.get(card) as StoredMessage;
    await cardbell().press(ben, request, 'decide_request_approve');
    await until(() => cardbell().now(request).text.includes('1 of 2'), 'one has approved');
  }
  for (const card of cards.slice(8)) {
    const request = requests.get(card) as StoredMessage;
    await ageRequest(cardbell().store, request, 16 * 60_000);
    await until(() => JSON.stringify(cardbell().now(request)).includes('break_glass'), 'operators may');
  }
  await worker.stop();

  await each(approvalSteps, async (pattern, when, what, row) => {
    const card = cards[row] as SandboxAccount;
    const request = requests.get(card) as StoredMessage;
    const facts = { acctId: card.AcctId, ts: request.ts };
    const act = () => cardbell().press(zoe, request, 'decide_request_approve');
    const actionId = await crashing.killAt(what, act, { when, pattern: (id) => pattern({ ...facts, actionId: id }) });
    approvedCases.set(what, { card, actionId, request });
  });
  await each(overrideSteps, async (pattern, when, what, row) => {
    const card = cards[row + 8] as SandboxAccount;
    const request = requests.get(card) as StoredMessage;
    const facts = { acctId: card.AcctId, ts: request.ts };
    await cardbell().press(olga, request, 'break_glass');
    const viewId = await formOf(olga);
    const act = () => workspace.submitView({ user: olga, viewId, values: { reason: 'It closes at noon.' } });
    const actionId = await crashing.killAt(what, act, { when, pattern: (id) => pattern({ ...facts, actionId: id }) });
    overriddenCases.set(what, { card, actionId, request });
  });

  await startWorker();
  await quiet(cardbell());
  await crashing.stop();
}, 600_000);

async function recordsOf(actionId: string): Promise<AuditRecord['event'][]> {
  const events: AuditRecord['event'][] = [];
  for await (const { record } of createAuditReader(cardbell().store).read()) {
    if (record?.actionId === actionId) events.push(record.event);
  }
  return events;
}
/** Daily limits sent to the card API for this card, including the first one. */
const writesOf = ({ AcctId }: SandboxAccount): unknown[] =>
  cardbell()
    .writes()
    .filter(({ path }) => path.includes(`/${AcctId}/`))
    .map(({ body }) => (body as { DailySpendLimit?: number }).DailySpendLimit);
const linesOf = (channel: string, pattern: RegExp): string[] =>
  cardbell()
    .workspace.messages(channel)
    .filter(({ text, blocks }) => pattern.test(text + JSON.stringify(blocks)))
    .map(({ text }) => text);
const shownOf = (request: StoredMessage): string => JSON.stringify(cardbell().now(request).blocks);

describe('a worker killed while a holder requests a raise', () => {
  it.each(table(askSteps))('just %s %s leaves one request and one answer to the holder', async (when, step) => {
    const { card, actionId } = asks.get(name(when, step)) as Case;

    expect(linesOf(channels.approvals, requestFor(card))).toHaveLength(1);
    expect((await recordsOf(actionId)).filter((event) => event === 'waiting')).toHaveLength(1);
    const answers = cardbell()
      .told(otto)
      .filter((text) => text.includes(`with your card ${last4Of(card)}`));
    // A worker killed between sending the answer and storing that it did so causes a second, identical answer.
    // Twice is better than never.
    expect(new Set(answers).size).toBe(1);
  });
});

describe('a worker killed while the second approver approves', () => {
  it.each(table(approvalSteps))('just %s %s leaves one write, one outcome and one message', async (when, step) => {
    const { card, actionId, request } = approvedCases.get(name(when, step)) as Case;

    expect(writesOf(card)).toEqual([100, 1500]);
    const [approved, sent, done, ...after] = await recordsOf(actionId);
    expect([approved, sent, done]).toEqual(['approved', 'sent', 'done']);
    expect(after).toEqual(after.length === 0 ? [] : ['confirmed']);
    expect(cardbell().now(request).text).toMatch(new RegExp(`^Approved: .* by <@${ben}> and <@${zoe}>`));
    expect(shownOf(request)).not.toContain('decide_request');
    expect(shownOf(request)).toContain('revert_now');
    const ref = actionId.slice(-8);
    expect(linesOf(channels.audit, new RegExp(`changed the limit of .*${ref}`))).toHaveLength(1);
    const told = linesOf(direct(otto), new RegExp(`Approved by .*card ${last4Of(card)}`));
    const next = card.AvailableBalance < 1500 ? /The card’s balance did not cover/ : /: you can pay \$[\d,.]+ until/;
    expect(told).toEqual([expect.stringMatching(next)]);
  });
});

describe('a worker killed while an operator overrides a request', () => {
  it.each(table(overrideSteps))(
    'just %s %s leaves one write and one outcome, and notifies everyone once',
    async (when, step) => {
      const { card, actionId, request } = overriddenCases.get(name(when, step)) as Case;

      expect(writesOf(card)).toEqual([100, 1100]);
      const [approved, sent, done, ...after] = await recordsOf(actionId);
      expect([approved, sent, done]).toEqual(['approved', 'sent', 'done']);
      expect(after).toEqual(after.length === 0 ? [] : ['confirmed']);
      expect(cardbell().now(request).text).toMatch(/^Emergency override/);
      expect(shownOf(request)).not.toContain('decide_request');
      const broken = new RegExp(`used the emergency override for ${holderOf(card)}`);
      expect(linesOf(channels.ops, broken)).toHaveLength(1);
      expect(linesOf(channels.approvals, broken)).toHaveLength(1);
      expect(linesOf(channels.audit, new RegExp(`used the emergency override.*${actionId.slice(-8)}`))).toHaveLength(1);
      const told = linesOf(direct(otto), new RegExp(`used the emergency override.*card ${last4Of(card)}`));
      const isBlocked = card.CardList[0]?.CardStatus === 'BLOCKED';
      const next = isBlocked ? `your card ${last4Of(card)} is blocked. It works once` : '$100.00 → $1,100.00';
      expect(told).toEqual([expect.stringContaining(next)]);
    },
  );
});

describe('a worker killed while a virtual card is ordered', () => {
  it.each(table(orderSteps))('just %s %s leaves at most one order and one answer', async (when, step) => {
    const { holder, actionId } = orders.get(name(when, step)) as { holder: string; actionId: string };
    const isUnsure = name(when, step) === 'after its progress is written' || step === 'the card API is asked to order';
    const isOrdered = !isUnsure || name(when, step) === 'after the card API is asked to order';
    const results = () => linesOf(direct(ana), new RegExp(`Virtual card created: ${holder}`));
    if (isOrdered) await until(() => results().length > 0, 'the result is posted');

    const sent = cardbell()
      .writes()
      .filter(({ body }) => JSON.stringify(body).includes(`"LastName":"${holder.split(' ')[1]}"`));
    expect(sent).toHaveLength(isOrdered ? 1 : 0);
    const [asked, sending, end, ...after] = await recordsOf(actionId);
    expect([asked, sending, end]).toEqual(['asked', 'sent', isUnsure ? 'unknown' : 'done']);
    expect(after).toEqual(isOrdered ? ['confirmed'] : []);
    const answers = cardbell()
      .told(ana)
      .filter((text) => text.includes(holder));
    expect(new Set(answers)).toEqual(
      new Set([expect.stringMatching(isUnsure ? /I won’t order it again/ : /^Ordered: a virtual card/)]),
    );
    expect(results()).toHaveLength(isOrdered ? 1 : 0);
  });
});

it('the record is intact after all these crashes', async () => {
  const audit = createAuditReader(cardbell().store);

  expect(await verifyChain(audit.read(), await audit.head())).toMatchObject({ faults: [] });
});
