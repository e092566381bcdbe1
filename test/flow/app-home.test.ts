import { describe, expect, it } from 'vitest';
import { openedForm } from '../support/opened-form.ts';
import { channels, groups, people } from '../support/people.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, ben, gus, olga, otto, hugo } = people;

const shown = (user: string): string => JSON.stringify(cardbell().workspace.views.home.get(user)?.blocks ?? []);
const sees = (user: string, pattern: RegExp): Promise<void> =>
  until(() => pattern.test(shown(user)), `${user} sees ${pattern}`);

/** Something may wait while the page is rendered. Nothing renders it again when that is over, so the user looks again. */
async function opensUntilSeen(user: string, pattern: RegExp): Promise<void> {
  const openAgain = async (): Promise<boolean> => {
    if (!pattern.test(shown(user))) await cardbell().workspace.openHome(user);
    return pattern.test(shown(user));
  };
  await until(openAgain, `${user} sees ${pattern}`, 60_000, 2500);
}

async function linked(user: string, name: string) {
  const card = cardbell().take('ACTIVE');
  await cardbell().command(ana, `link ${card.AcctId} @${name}`);
  await cardbell().waitTold(ana, new RegExp(`Linked: <@${user}>`));
  return card;
}

describe('App Home', () => {
  it('tells people without a card what they can do', async () => {
    await cardbell().workspace.openHome(otto);
    await sees(otto, /Do you hold a card\?.*\/card link/);

    expect(shown(otto)).not.toMatch(/Recent declines|All systems normal|needs attention/);
  });

  it('shows holders their own card with its remaining limits and declines, and no other cards', async () => {
    const card = await linked(hugo, 'hugo');
    const foreign = cardbell().take('ACTIVE');
    await cardbell().command(ana, `limit ${card.AcctId} daily 400`);
    await cardbell().waitTold(ana, /^Limit changed/);

    await cardbell().workspace.openHome(hugo);
    await sees(hugo, new RegExp(`Card ${last4Of(card)}.*active.*Daily: \\$400\\.00 of \\$400\\.00 left`));
    await cardbell().deliver(sampleWebhook('decline.rule.velocity', { AcctId: foreign.AcctId }));
    await cardbell().deliver(sampleWebhook('decline.card.pin', { AcctId: card.AcctId }));
    await sees(hugo, /Recent declines.*wrong PIN/);

    expect(shown(hugo)).not.toMatch(new RegExp(`${holderOf(foreign)}|All systems normal|needs attention`));
    expect((shown(hugo).match(/Recent declines/g) ?? []).length).toBe(1);
  });

  it('lets a holder request a raise, withdraw the request and block their card, and an operator activate a card', async () => {
    const card = await linked(otto, 'otto');
    const press = async (user: string, actionId: string) => {
      const view = cardbell().workspace.views.home.get(user);
      await cardbell().workspace.press({ user, viewId: view?.id ?? '', actionId });
    };
    await cardbell().command(ana, `limit ${card.AcctId} daily 100`);
    await cardbell().waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    await cardbell().workspace.openHome(otto);
    await sees(otto, /home_ask.*home_block/);

    const form = await openedForm(cardbell(), otto, () => press(otto, 'home_ask'));
    const values = { amount: '150', reason: 'hotel' };
    await cardbell().workspace.submitView({ user: otto, viewId: form.id, values });
    await sees(otto, /Your requests.*You want to pay \$150\.00.*withdraw_request/);
    const request = await cardbell().waitFor(channels.approvals, /wants to pay \$150\.00/);
    await press(otto, 'withdraw_request');
    await until(() => cardbell().now(request).text.startsWith('Withdrawn: '), 'the request shows the withdrawal');
    expect(JSON.stringify(cardbell().now(request).blocks)).not.toContain('decide_request_approve');
    await cardbell().waitFor(`D${otto.slice(1)}`, /^You withdrew your request: \$150\.00 · your card /);
    await until(() => !shown(otto).includes('Your requests'), 'it is gone where it was pressed');
    await press(otto, 'home_block');
    await until(() => cardbell().account(card.AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'the card is blocked');

    await cardbell().workspace.openHome(olga);
    await sees(olga, /home_activate/);
    const before = cardbell().writes().length;
    await press(olga, 'home_activate');
    await until(
      () =>
        cardbell()
          .writes()
          .slice(before)
          .some(({ method, path, status }) => `${method} ${path}`.startsWith('POST /Card/Activate/') && status === 200),
      'a card is activated',
    );
  });

  it('shows operators declines, inactive cards and the health of the bot, and decision buttons only to approvers', async () => {
    const card = cardbell().take('ACTIVE');
    await cardbell().command(otto, `link ${card.AcctId}`);
    const claim = await cardbell().waitFor(channels.approvals, new RegExp(`<@${otto}> says card`));
    await opensUntilSeen(olga, /Recent declines.*Waiting to be activated.*Nina Castellanos.*All systems normal/);
    await cardbell().workspace.openHome(ana);
    await sees(ana, new RegExp(`<@${otto}> says card.*refuse_claim`));
    expect(shown(olga)).not.toContain('refuse_claim');
    const view = cardbell().workspace.views.home.get(ana);

    await cardbell().workspace.press({ user: ana, viewId: view?.id ?? '', actionId: 'refuse_claim' });
    await until(() => cardbell().now(claim).text.startsWith('Claim refused'), 'the message in the channel says so');
    await until(() => !shown(ana).includes('says card'), 'it is gone where it was pressed');
    await until(() => !shown(olga).includes('says card'), 'the claim is gone for others');
  });

  it('lets an approver confirm that a holder no longer holds a card', async () => {
    const card = await linked(gus, 'gus');
    const { workspace, store, command, waitFor } = cardbell();
    await command(gus, `unlink ${card.AcctId}`);
    const claim = await waitFor(channels.approvals, new RegExp(`<@${gus}> says card .* no longer theirs`));
    await workspace.openHome(ana);
    await sees(ana, new RegExp(`no longer theirs.*Linked to <@${gus}> now.*confirm_claim`));
    const view = workspace.views.home.get(ana);

    await workspace.press({ user: ana, viewId: view?.id ?? '', actionId: 'confirm_claim' });
    await until(() => cardbell().now(claim).text.startsWith('Claim confirmed'), 'the claim is confirmed');
    expect(await store.hget('{cardbell:state}:links', String(card.AcctId))).toBeNull();
    await until(() => !shown(ana).includes('no longer theirs'), 'it is gone where it was pressed');
  });

  it('pages through a list', async () => {
    const { AcctId } = cardbell().take('ACTIVE');
    for (let count = 0; count < 11; count += 1) await cardbell().deliver(sampleWebhook('decline.mcc', { AcctId }));
    await cardbell().workspace.openHome(olga);
    await sees(olga, /Recent declines \(1 to 10 of \d+\).*next_page/);
    const viewId = cardbell().workspace.views.home.get(olga)?.id ?? '';

    await cardbell().workspace.press({ user: olga, viewId, actionId: 'next_page' });
    await sees(olga, /Recent declines \(11 to .*previous_page/);
  });

  it('lists failed jobs and quarantined webhooks with their causes', async () => {
    await opensUntilSeen(ben, /All systems normal/);

    await cardbell().deliver({
      kind: 'decline',
      body: JSON.stringify({ CallbackTime: 'never', Data: { NetworkType: 1 } }),
    });
    await sees(ben, /needs attention.*in quarantine/);
  });

  it('hides what a person may no longer see after losing a role', async () => {
    await cardbell().workspace.openHome(ben);
    await sees(ben, /needs attention/);

    await cardbell().workspace.setUserGroup(groups.approvers, [ana]);
    await sees(ben, /Do you hold a card\?/);

    expect(shown(ben)).not.toMatch(/Recent declines|needs attention/);
  });
});
