import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook, statusWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, gus, ana, ben } = people;

async function declined(status = 'ACTIVE', code = 'decline.rule.velocity') {
  const card = cardbell().take(status);
  await cardbell().deliver(sampleWebhook(code, { AcctId: card.AcctId }));
  const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
  return { card, alert };
}

function writesOf({ AcctId }: SandboxAccount) {
  return cardbell()
    .writes()
    .filter(({ path }) => path.includes(`/${AcctId}`));
}

const shown = (message: StoredMessage): string => JSON.stringify(cardbell().now(message).blocks);

describe('block', () => {
  it('edits the alert in place: who blocked, when, and no second Block button', async () => {
    const { card, alert } = await declined();

    await cardbell().press(olga, alert, 'block_card');
    await until(() => shown(alert).includes('Blocked'), 'the alert says so');

    expect(shown(alert)).toMatch(new RegExp(`Blocked\\* by <@${olga}> at <!date`));
    expect(shown(alert)).not.toContain('block_card');
    expect(writesOf(card)).toHaveLength(1);
  });

  it('shows “sent” first, then “confirmed” once the card service reports it', async () => {
    const { card, alert } = await declined();

    await cardbell().press(olga, alert, 'block_card');
    await until(() => shown(alert).includes('· confirmed'), 'the alert says so');

    const edits = cardbell()
      .slackCalls('chat.update')
      .filter(({ args }) => args.ts === alert.ts)
      .map(({ args }) => JSON.stringify(args.blocks));
    expect(edits.length).toBeLessThanOrEqual(2);
    expect(shown(alert)).toMatch(new RegExp(`Blocked\\* by <@${olga}> at [^·]*· confirmed`));
    const chain = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
    const records = chain.map((line) => JSON.parse(line).record).filter(({ acctId }) => acctId === card.AcctId);
    expect(records.at(-1)).toMatchObject({ event: 'confirmed', confirmedBy: 'webhook' });
    expect(records.at(-1).eventId).toMatch(/^evt_/);
  });

  it('has one effect for a double click', async () => {
    const { card, alert } = await declined();

    await Promise.all([cardbell().press(olga, alert, 'block_card'), cardbell().press(olga, alert, 'block_card')]);
    await until(() => shown(alert).includes('Blocked'), 'the alert says so');
    await cardbell().waitTold(olga, new RegExp(`Nothing changed: ${holderOf(card)}`));

    expect(writesOf(card)).toHaveLength(1);
  });

  it('has one effect when two people click at once, and tells the second that it is already done', async () => {
    const { card, alert } = await declined();
    const since = Date.now() / 1000;

    await Promise.all([cardbell().press(gus, alert, 'block_card'), cardbell().press(ana, alert, 'block_card')]);
    await cardbell().workspace.waitForMessage(
      (message) =>
        message.ephemeralUser !== undefined &&
        Number(message.ts) > since &&
        message.text.includes('blocked already') &&
        message.text.includes(holderOf(card)),
      60_000,
    );

    await until(() => shown(alert).includes('Blocked'), 'the alert says so');

    expect(writesOf(card)).toHaveLength(1);
    expect(shown(alert).match(/Blocked\*/g)).toHaveLength(1);
  });

  it('counts as one action when Slack delivers the same click twice', async () => {
    const { card, alert } = await declined();
    const delivery = await cardbell().press(olga, alert, 'block_card');
    await until(() => shown(alert).includes('Blocked'), 'the alert says so');
    const told = cardbell().told(olga).length;

    expect((await redeliver(delivery.payload)).status).toBe(200);
    await quiet(cardbell());

    expect(writesOf(card)).toHaveLength(1);
    expect(cardbell().told(olga)).toHaveLength(told);
  });

  it('says that there is nothing to do when pressed on an outdated message', async () => {
    const { card, alert } = await declined();
    await cardbell().press(olga, alert, 'block_card');
    await until(() => shown(alert).includes('Blocked'), 'the alert says so');

    await cardbell().workspace.press({ user: ben, message: alert, actionId: 'block_card', stale: true });
    await cardbell().waitTold(ben, new RegExp(`Nothing changed: ${holderOf(card)}`));

    expect(writesOf(card)).toHaveLength(1);
  });

  it('is on record before the message is edited', async () => {
    const { card, alert } = await declined();

    await cardbell().press(olga, alert, 'block_card');
    await until(() => shown(alert).includes('Blocked'), 'the alert says so');

    const chain = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
    const records = chain.map((line) => JSON.parse(line).record).filter(({ acctId }) => acctId === card.AcctId);
    expect(records.slice(0, 3).map(({ event }) => event)).toEqual(['asked', 'sent', 'done']);
    expect(records[2]).toMatchObject({
      verb: 'block',
      before: 'active',
      after: 'blocked',
      actor: { userId: olga },
    });
    const update = cardbell()
      .slackCalls('chat.update')
      .find(({ args }) => args.ts === alert.ts && JSON.stringify(args.blocks).includes('Blocked'));
    expect(Date.parse(records[2].at)).toBeLessThanOrEqual(update?.at ?? 0);
  });
});

describe('acknowledge', () => {
  it('counts once and does not call the card service', async () => {
    const { card, alert } = await declined();

    await Promise.all([
      cardbell().press(olga, alert, 'acknowledge_alert'),
      cardbell().press(ana, alert, 'acknowledge_alert'),
    ]);
    await until(() => shown(alert).includes('Seen'), 'the alert says so');
    await quiet(cardbell());

    expect(shown(alert).match(/Seen\*/g)).toHaveLength(1);
    expect(shown(alert)).not.toContain('acknowledge_alert');
    expect(writesOf(card)).toHaveLength(0);
  });
});

describe('activate', () => {
  it('works on the decline of a new card', async () => {
    const { card, alert } = await declined('INACTIVE', 'decline.card.status');

    await Promise.all([cardbell().press(olga, alert, 'activate_card'), cardbell().press(ben, alert, 'activate_card')]);
    await until(() => shown(alert).includes('Activated'), 'the alert says so');
    await quiet(cardbell());

    expect(writesOf(card)).toHaveLength(1);
    expect(cardbell().account(card.AcctId).CardList[0]?.CardStatus).toBe('ACTIVE');
  });

  it('works on the alert of a new card, and the alert of the resulting webhook names the person', async () => {
    const card = cardbell().take('INACTIVE');
    const [plastic] = card.CardList;
    if (plastic === undefined) throw new Error('no card');
    await cardbell().deliver(statusWebhook(card, plastic, 'INACTIVE'));
    const alert = await cardbell().waitFor(channels.status, new RegExp(holderOf(card)));

    await cardbell().press(olga, alert, 'activate_card');
    await until(() => shown(alert).includes('Activated'), 'the alert says so');
    const confirmed = await cardbell().waitFor(
      channels.status,
      new RegExp(`${holderOf(card)}.*<@${olga}> in Cardbell`),
    );

    expect(confirmed.text).toMatch(/not activated → active/);
    expect(writesOf(card)).toHaveLength(1);
  });
});

/** A retry of a click by Slack: the same payload with a new signature. */
async function redeliver(payload: object): Promise<Response> {
  const { createHmac } = await import('node:crypto');
  const { secrets } = await import('../support/people.ts');
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', secrets.signingSecret).update(`v0:${at}:${body}`).digest('hex');
  return await fetch(`${cardbell().url}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(at),
      'x-slack-signature': `v0=${signature}`,
    },
    body,
  });
}
