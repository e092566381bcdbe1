import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { alterRecord } from '../support/alter-record.ts';
import { waitUntilTracked } from '../support/message-tracked.ts';
import { channels, people, workspaceOptions } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

/** People who cannot hold a card, each for a different reason. */
const others = { gwen: 'U0GWEN', dora: 'U0DORA', stan: 'U0STAN', bot: 'U0BOT' } as const;

const cardbell = useCardbell({
  ...inOneProcess,
  workspace: {
    users: [
      ...workspaceOptions.users.map((user) =>
        // The same address as in the card program, spelled differently.
        user.id === people.hana ? { ...user, email: ' Hannah.KIM@example.com' } : user,
      ),
      { id: others.gwen, name: 'gwen', realName: 'Gwen', isGuest: true },
      { id: others.dora, name: 'dora', realName: 'Dora', isDeactivated: true },
      { id: others.stan, name: 'stan', realName: 'Stan', isStranger: true },
      { id: others.bot, name: 'robot', realName: 'Robot', isBot: true },
    ],
  },
});
const { ana, ben, olga, otto, hana, hugo } = people;

const direct = (user: string): string => `D${user.slice(1)}`;
const textOf = (message: StoredMessage): string => cardbell().now(message).text;
const isHannah = ({ LastName }: SandboxAccount): boolean => LastName === 'Kim';
const since = (): number => Date.now() / 1000;

async function linkOf({ AcctId }: SandboxAccount): Promise<{ userId: string; provedBy: string; by: string } | null> {
  const text = await cardbell().store.hget('{cardbell:state}:links', String(AcctId));
  return text === null ? null : (JSON.parse(text) as { userId: string; provedBy: string; by: string });
}

async function audited(event: string, verb: string): Promise<Record<string, unknown>[]> {
  const chain = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
  return chain
    .map((line) => (JSON.parse(line) as { record: Record<string, unknown> }).record)
    .filter((record) => record['event'] === event && record['verb'] === verb);
}

/** A person's claim as approvers see it. */
async function claimed(user: string, card: SandboxAccount): Promise<StoredMessage> {
  const start = since();
  await cardbell().command(user, `link ${last4Of(card)}`);
  await cardbell().waitTold(user, /I asked the approvers/, start);
  return await cardbell().waitFor(channels.approvals, new RegExp(`<@${user}> says card ${last4Of(card)} is theirs`));
}

describe('who holds a card', () => {
  it('an approver’s link takes effect at once, is on record, and notifies the holder', async () => {
    const { take, command, waitTold, waitFor } = cardbell();
    const card = take('ACTIVE', (one) => !isHannah(one));

    await command(ana, `link ${last4Of(card)} @hugo`);
    await waitTold(ana, new RegExp(`Linked: <@${hugo}> holds ${holderOf(card)}`));
    await waitFor(direct(hugo), new RegExp(`Your card ${last4Of(card)} is linked to you`));
    await waitFor(channels.audit, new RegExp(`<@${ana}> linked <@${hugo}> to ${holderOf(card)}`));

    expect(await linkOf(card)).toMatchObject({ userId: hugo, provedBy: 'approver', by: ana });
    const [record] = (await audited('done', 'link')).filter(({ acctId }) => acctId === card.AcctId);
    expect(record).toMatchObject({ before: null, after: hugo, actor: { userId: ana } });

    const start = since();
    await command(ben, `link ${last4Of(card)} @hugo`);
    await waitTold(ben, /already linked to .*Nothing changed/, start);
    await command(ben, `unlink ${last4Of(card)}`);
    await waitTold(ben, /^Unlinked/, start);
    expect(await linkOf(card)).toBeNull();
  });

  it.each([
    ['gwen', /Guests and people of other companies/],
    ['stan', /Guests and people of other companies/],
    ['dora', /deactivated/],
    ['robot', /bot holds no card/],
  ])('can never be @%s', async (name, why) => {
    const { sandbox, command, waitTold } = cardbell();
    const card = sandbox.accounts().find(({ LastName }) => LastName === 'Vance');
    if (card === undefined) throw new Error('the seed has no Vance');
    const start = since();
    await command(ana, `link ${card.AcctId} @${name}`);
    await waitTold(ana, why, start);
    await quiet(cardbell());
    expect(await linkOf(card)).toBeNull();
  });

  it('only an approver may link another person', async () => {
    const start = since();
    await cardbell().command(olga, 'link 1234 @hugo');
    await cardbell().waitTold(olga, /Only approvers may link cards/, start);
  });

  it('holders prove it with a matching email address and a button press', async () => {
    const { take, command, waitTold, press } = cardbell();
    const card = take('ACTIVE', isHannah);

    await command(hana, `link ${last4Of(card)}`);
    const question = await waitTold(hana, /Is this your card\?.*Kim/);
    expect(await linkOf(card)).toBeNull();
    await press(hana, question, 'confirm_own_card');
    await waitTold(hana, /This card is linked to you/);

    expect(await linkOf(card)).toMatchObject({ userId: hana, provedBy: 'email', by: hana });
    expect((await audited('done', 'claim')).filter(({ after }) => after === hana)).toHaveLength(1);
  });

  it('everyone else waits for an approver and learns nothing about the card', async () => {
    const { take, command, waitTold, told, texts } = cardbell();
    const card = take('ACTIVE', (one) => !isHannah(one));
    const claim = await claimed(otto, card);
    expect(textOf(claim), 'Otto has no email in Slack').toContain('No email to compare.');
    expect(JSON.stringify(claim.blocks)).toContain(holderOf(card));
    expect(JSON.stringify(claim.blocks)).toContain('Their Slack name doesn’t match the cardholder’s.');

    const start = since();
    await command(otto, `link ${last4Of(card)}`);
    await waitTold(otto, /I asked the approvers/, start);
    const ofOtto = texts(channels.approvals).filter((text) => text.includes(`<@${otto}> says`));
    expect(ofOtto, 'claiming twice makes one claim').toHaveLength(1);
    await command(people.gus, 'link 0000');
    await waitTold(people.gus, /No card matches “0000”/, start);
    expect(texts(channels.approvals).join()).not.toMatch(/(?<!\d)0000(?!\d)/);
    expect([...told(otto), ...texts(direct(otto))].join()).not.toContain(card.LastName);
  });

  it('an approver decides a claim once, and claimants cannot confirm their own', async () => {
    const { take, press, waitTold, waitFor } = cardbell();
    const card = take('ACTIVE', (one) => !isHannah(one));
    const claim = await claimed(ben, card);
    const start = since();

    await press(ben, claim, 'confirm_claim');
    await waitTold(ben, /You claim this card yourself/, start);
    await press(olga, claim, 'confirm_claim');
    await waitTold(olga, /Only approvers may confirm/, start);
    expect(await linkOf(card)).toBeNull();

    await Promise.all([press(ana, claim, 'confirm_claim'), press(people.zoe, claim, 'refuse_claim')]);
    await until(() => /^(Card linked|Claim refused)/.test(textOf(claim)), 'the claim is decided');
    await cardbell().workspace.waitForMessage(
      ({ text, ts }) => Number(ts) > start && /This claim is (confirmed|refused) already/.test(text),
      60_000,
    );
    const isConfirmed = textOf(claim).startsWith('Card linked');
    await waitFor(direct(ben), isConfirmed ? /is linked to you/ : /could not confirm/);
    expect((await linkOf(card))?.userId).toBe(isConfirmed ? ben : undefined);
    expect(JSON.stringify(cardbell().now(claim).blocks)).not.toMatch(/confirm_claim|refuse_claim/);
  });

  it('holders cannot unlink their card alone, and are notified when an approver links it to someone else', async () => {
    const { command, press, waitTold, waitFor } = cardbell();
    const card = await linked(ben, 'ben');
    const start = since();
    await command(ben, `unlink ${last4Of(card)}`);
    await waitTold(ben, /Somebody else has to confirm/, start);
    const claim = await waitFor(channels.approvals, new RegExp(`<@${ben}> says card ${last4Of(card)} is no longer`));
    await press(ben, claim, 'confirm_claim');
    await waitTold(ben, /You claim this card yourself/, start);
    expect(await linkOf(card)).toMatchObject({ userId: ben });

    await press(ana, claim, 'confirm_claim');
    await waitFor(direct(ben), new RegExp(`card.*${last4Of(card)}.*is no longer linked to you`));
    expect(await linkOf(card)).toBeNull();
    await until(() => textOf(claim).startsWith('Claim confirmed'), 'the claim says so');

    await command(ana, `link ${card.AcctId} @gus`);
    await waitFor(direct(people.gus), new RegExp(`card.*${last4Of(card)}.*is linked to you`));
    await command(ana, `link ${card.AcctId} @hugo`);
    await waitFor(direct(people.gus), new RegExp(`card.*${last4Of(card)}.*is no longer linked to you`));
    await waitFor(direct(hugo), new RegExp(`card.*${last4Of(card)}.*is linked to you`));
  });

  it('a refused or expired claim changes nothing and notifies the claimant', async () => {
    const { take, press, waitFor, waitTold, store } = cardbell();
    const card = take('ACTIVE', (one) => !isHannah(one));
    const refused = await claimed(olga, card);
    await press(ana, refused, 'refuse_claim');
    await waitFor(direct(olga), new RegExp(`<@${ana}> could not confirm`));
    expect(await linkOf(card)).toBeNull();

    const late = await claimed(people.gus, card);
    const id = /clm_\w+/.exec(JSON.stringify(late.blocks))?.[0] ?? '';
    const key = `{cardbell:state}:claim:${id}`;
    await waitUntilTracked(store, { kind: 'claim', id });
    await alterRecord(store, 'claim', [key], () => ({ expiresAt: new Date(Date.now() - 60_000).toISOString() }));
    const start = since();
    await press(ana, late, 'confirm_claim');
    await waitTold(ana, /expired/, start);
    await waitFor(direct(people.gus), /Nobody confirmed that .* within 24 hours/);
    expect(await linkOf(card)).toBeNull();
  });
});

/** An active card linked to this person. */
async function linked(user: string, name: string): Promise<SandboxAccount> {
  const card = cardbell().take('ACTIVE', (one) => !isHannah(one));
  const start = since();
  await cardbell().command(ana, `link ${card.AcctId} @${name}`);
  await cardbell().waitTold(ana, new RegExp(`Linked: <@${user}>`), start);
  return card;
}

describe('the holder', () => {
  const shown = (message: StoredMessage): string => JSON.stringify(cardbell().now(message).blocks);
  const statusOf = ({ AcctId }: SandboxAccount) => cardbell().account(AcctId).CardList[0]?.CardStatus;

  it('gets a plain explanation of a decline, even of a wrong PIN, and confirms the purchase: the channel shows it', async () => {
    const card = await linked(hugo, 'hugo');

    await cardbell().deliver(sampleWebhook('decline.card.pin', { AcctId: card.AcctId }));
    const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
    const message = await cardbell().waitFor(direct(hugo), new RegExp(`Your card ${last4Of(card)} was declined`));

    expect(message.text).toMatch(/wrong PIN.*If it wasn’t you, block the card now/);
    expect(shown(alert)).not.toMatch(/PIN/);
    expect(shown(message)).not.toMatch(/Admin|acknowledge_alert|approve_remedy/);

    await cardbell().press(hugo, message, 'recognize_purchase');
    await until(() => shown(message).includes('You confirmed making this purchase'), 'the message says so');
    await until(() => shown(alert).includes(`<@${hugo}> confirmed making this purchase*`), 'the alert says so');

    expect(shown(message)).not.toContain('recognize_purchase');
    expect(shown(message)).toContain('Block my card');
    expect(statusOf(card)).toBe('ACTIVE');
  });

  it('denies the purchase: the card is blocked, and the channel shows who did it', async () => {
    const card = await linked(hugo, 'hugo');
    await cardbell().deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
    const message = await cardbell().waitFor(direct(hugo), new RegExp(`${last4Of(card)} was declined`));

    await cardbell().press(hugo, message, 'block_card');
    await until(() => shown(message).includes('You blocked your card'), 'the message says so');
    await until(() => shown(alert).includes(`Blocked* by the holder <@${hugo}>`), 'the alert says so');
    const fraudCase = await cardbell().waitFor(channels.declines, new RegExp(`Fraud reported: .*${holderOf(card)}`));
    await until(() => shown(fraudCase).includes(`Blocked* by the holder <@${hugo}>`), 'the case says so');
    await cardbell().waitFor(direct(hugo), /Fraud case opened .* and notified .* order your new card/);

    expect(statusOf(card)).toBe('BLOCKED');
    expect(shown(message)).not.toMatch(/block_card|recognize_purchase/);
    expect(JSON.stringify(shown(message))).not.toContain('Cardholder');
    await cardbell().deliver(sampleWebhook('decline.card.status', { AcctId: card.AcctId, MerchantName: 'Later' }));
    const later = await cardbell().waitFor(channels.declines, /Declined.*Later/);
    expect(later.thread_ts, 'a later decline goes into the thread of the case').toBe(fraudCase.ts);
    await cardbell().press(olga, fraudCase, 'close_fraud_case');
    await until(() => shown(fraudCase).includes(`Case closed* by <@${olga}>`), 'the case is closed');
    await until(() => !shown(later).includes('order a new card'), 'the later decline asks for no new card any more');
    const [record] = (await audited('sent', 'block')).filter(({ acctId }) => acctId === card.AcctId);
    expect(record).toMatchObject({ actor: { userId: hugo }, roles: ['holder'] });
  });

  it('is the only person who may press these buttons', async () => {
    const card = await linked(hugo, 'hugo');
    await linked(olga, 'olga');
    await cardbell().deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    const message = await cardbell().waitFor(direct(hugo), new RegExp(`${last4Of(card)} was declined`));
    const start = since();

    // A forwarded message shows the same button to someone else.
    await cardbell().press(otto, message, 'block_card');
    await cardbell().waitTold(otto, /Only operators and approvers may block/, start);
    await cardbell().press(hana, message, 'block_card');
    await cardbell().waitTold(hana, /This card is not linked to you/, start);
    await cardbell().press(olga, message, 'recognize_purchase');
    await cardbell().waitTold(olga, /This card is not linked to you/, start);

    expect(statusOf(card)).toBe('ACTIVE');
    expect((await audited('refused', 'block')).length).toBeGreaterThanOrEqual(2);
  });

  it('may press no button once unlinked, and opens no details: what happens later is not theirs', async () => {
    const { workspace } = cardbell();
    const card = await linked(hugo, 'hugo');
    await cardbell().deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    const message = await cardbell().waitFor(direct(hugo), new RegExp(`${last4Of(card)} was declined`));
    const start = since();
    await cardbell().command(ana, `unlink ${card.AcctId}`);
    await cardbell().waitTold(ana, /^Unlinked/, start);

    await cardbell().press(hugo, message, 'block_card');
    await cardbell().waitTold(hugo, /not linked to you|Only operators/, start);
    expect(statusOf(card)).toBe('ACTIVE');

    const view = workspace.views.top(hugo)?.id;
    const noMore = /^Not done\. This card is not linked to you/;
    const pressedAt = since();
    await cardbell().press(hugo, message, 'show_holder_details');
    await cardbell().waitTold(hugo, noMore, pressedAt);
    const askedAt = since();
    await workspace.shortcut({ user: hugo, callbackId: 'explain_decline', message });
    await cardbell().waitTold(hugo, noMore, askedAt);
    expect(workspace.views.top(hugo)?.id).toBe(view);
  });

  it('can show and block their own card by command, but no other card', async () => {
    const card = await linked(hugo, 'hugo');
    const foreign = cardbell().sandbox.accounts().find(isHannah) as SandboxAccount;
    const start = since();

    await cardbell().command(hugo, `block ${foreign.AcctId}`);
    const refusal = await cardbell().waitTold(hugo, /You hold no card/, start);
    expect(refusal.text).not.toContain(foreign.LastName);
    await cardbell().command(hugo, `show ${foreign.AcctId}`);
    expect((await cardbell().waitTold(hugo, /You hold no card/, since())).text).not.toContain(foreign.LastName);
    await cardbell().command(hugo, `show ${last4Of(card)}`);
    await cardbell().waitTold(hugo, new RegExp(`${holderOf(card)}.*is active`), start);
    await cardbell().command(hugo, `block ${last4Of(card)} lost`);
    await cardbell().waitTold(hugo, /^Blocked:/, start);

    expect(statusOf(card)).toBe('BLOCKED');
    expect(statusOf(foreign)).toBe('ACTIVE');
  });

  it('is skipped after leaving the workspace: the channel gets its alert, and ops are notified once', async () => {
    const card = cardbell().take('ACTIVE', (one) => !isHannah(one));
    const { store, deliver, waitFor, texts } = cardbell();
    const link = {
      acctId: card.AcctId,
      userId: others.dora,
      provedBy: 'approver',
      by: ana,
      at: new Date().toISOString(),
    };
    await store.hset('{cardbell:state}:links', String(card.AcctId), JSON.stringify(link));

    await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    await waitFor(channels.declines, new RegExp(holderOf(card)));
    await waitFor(channels.ops, /A person cannot be reached/);
    await deliver(sampleWebhook('decline.balance.card', { AcctId: card.AcctId }));
    await until(
      () => texts(channels.declines).filter((text) => text.includes(holderOf(card))).length === 2,
      'both alerts',
    );

    expect(texts(channels.ops).filter((text) => text.includes('A person cannot be reached'))).toHaveLength(1);
  });
});
