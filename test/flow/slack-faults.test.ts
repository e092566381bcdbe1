import { expect, it } from 'vitest';
import type { Fault } from '../../workspace/server.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, type RunningCardbell, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { settled, until } from '../support/until.ts';

let serial = 0;

/** A shipment unique to the test. Its tracking number identifies its message. */
function shipment({ workspace }: RunningCardbell) {
  serial += 1;
  const TrackingNumber = `94001118990000${String(serial).padStart(8, '0')}`;
  const count = () =>
    workspace.messages(channels.shipping).filter((message) => JSON.stringify(message).includes(TrackingNumber)).length;
  return { webhook: sampleWebhook('card-shipping', { TrackingNumber }), mark: new RegExp(TrackingNumber), count };
}

/** Posts one alert while Slack misbehaves. @returns how often it is in the channel in the end. */
async function postedDespite(fault: Omit<Fault, 'method'>, running: RunningCardbell): Promise<number> {
  const { workspace, deliver, waitFor } = running;
  const { webhook, mark, count } = shipment(running);
  workspace.faults.add({ method: 'chat.postMessage', ...fault });
  await deliver(webhook);
  await waitFor(channels.shipping, mark);
  await quiet(running);
  workspace.faults.clear();
  return count();
}

sideBySide('posting once', () => {
  const cardbell = useCardbell();

  it.each<[string, Omit<Fault, 'method'>]>([
    ['answers 429 with Retry-After', { kind: 'rate_limited', retryAfterSeconds: 2 }],
    ['accepts the message and answers 500', { kind: 'http_500_after_accept' }],
    ['accepts the message and hangs up', { kind: 'hang_up_after_accept' }],
    ['answers 500 without accepting it', { kind: 'http_500' }],
    ['hangs up without accepting it', { kind: 'hang_up' }],
    ['says internal_error', { kind: 'error', error: 'internal_error' }],
  ])('when Slack %s', async (_how, fault) => {
    expect(await postedDespite(fault, cardbell())).toBe(1);
  });

  it('when Slack cannot say at first what it has accepted', async () => {
    cardbell().workspace.faults.add({ method: 'conversations.history', kind: 'http_500', times: 2 });

    expect(await postedDespite({ kind: 'http_500_after_accept' }, cardbell())).toBe(1);
  });

  it('leaves no duplicate of any message in this suite', () => {
    const texts = cardbell().texts(channels.shipping);

    expect(texts).toHaveLength(7);
    expect(new Set(texts).size).toBe(7);
  });
});

// A separate suite, because it takes as long as the others together.
sideBySide('posting once after ten seconds', () => {
  const cardbell = useCardbell();

  it('when Slack accepts the message and never answers', async () => {
    expect(await postedDespite({ kind: 'timeout_after_accept' }, cardbell())).toBe(1);
  });
});

sideBySide('posting once while Slack commits late', () => {
  const cardbell = useCardbell();

  it('leaves one message when posts are committed after twelve seconds', async () => {
    expect(await postedDespite({ kind: 'slow', ms: 12_000, times: 3 }, cardbell())).toBe(1);
  });

  it('deletes a copy that appears long after the message was reposted', async () => {
    const { workspace, deliver, waitFor } = cardbell();
    const { webhook, mark, count } = shipment(cardbell());
    workspace.faults.add({ method: 'chat.postMessage', kind: 'hang_up_before_accept', ms: 8_000 });
    await deliver(webhook);
    await waitFor(channels.shipping, mark);

    await until(() => count() === 2, 'the copy appears');
    await until(() => count() === 1, 'it is deleted');
  }, 90_000);
});

sideBySide('posting once with clock skew', () => {
  // Redis' clock is two minutes ahead of Slack's.
  const cardbell = useCardbell({ workspace: { now: () => Date.now() - 120_000 } });

  it('leaves one message when three connections are cut after a post', async () => {
    expect(await postedDespite({ kind: 'hang_up_after_accept', times: 3 }, cardbell())).toBe(1);
  });
});

sideBySide('posts that Slack refuses', () => {
  const cardbell = useCardbell({ pace: { appRefusedMs: 2000 } });

  it('posts a message as plain text if its blocks are refused, and notifies ops once', async () => {
    const { texts, workspace, waitFor } = cardbell();

    expect(await postedDespite({ kind: 'error', error: 'invalid_blocks' }, cardbell())).toBe(1);
    await waitFor(channels.ops, /refused a message/);

    expect(workspace.messages(channels.shipping).at(-1)?.blocks ?? []).toEqual([]);
    expect(texts(channels.ops).filter((text) => /refused a message/.test(text))).toHaveLength(1);
  });

  it.each<['archives the channel' | 'removes the bot', () => void, () => void]>([
    [
      'archives the channel',
      () => cardbell().workspace.archive(channels.virtual),
      () => cardbell().workspace.archive(channels.virtual, false),
    ],
    [
      'removes the bot',
      () => cardbell().workspace.kick(channels.virtual),
      () => cardbell().workspace.invite(channels.virtual),
    ],
  ])('posts alerts to ALERTS_CHANNEL and notifies ops once when someone %s', async (_how, close, open) => {
    const { take, deliver, waitFor, texts } = cardbell();
    const [one, other] = [take('ACTIVE'), take('ACTIVE')];
    const before = texts(channels.ops).length;
    close();

    for (const { AcctId, FirstName, LastName } of [one, other])
      await deliver(
        sampleWebhook('virtual-card', { AccountId: AcctId, FirstName, LastName, VirtualCardOrderId: AcctId }),
      );
    await waitFor(channels.alerts, new RegExp(holderOf(one)));
    await waitFor(channels.alerts, new RegExp(holderOf(other)));
    await until(() => texts(channels.ops).length > before, 'ops are notified');
    await quiet(cardbell());

    expect(texts(channels.ops)).toHaveLength(before + 1);
    open();
  });

  it('loses nothing while the token is revoked, and posts everything once it is valid again', async () => {
    const { deliver, waitFor, workspace, slackCalls } = cardbell();
    const { webhook, mark, count } = shipment(cardbell());
    workspace.setRevoked(true);
    const calls = slackCalls('chat.postMessage').length;
    await deliver(webhook);
    await until(() => slackCalls('chat.postMessage').length > calls, 'the post was attempted');
    await settled(500);
    expect(slackCalls('chat.postMessage').length).toBeLessThan(calls + 3);

    workspace.setRevoked(false);
    await waitFor(channels.shipping, mark);

    expect(count()).toBe(1);
  });
});

sideBySide('alerts that can no longer be edited', () => {
  const cardbell = useCardbell();

  /** A purchase that was declined once and has an alert. */
  async function declinedOnce() {
    const { take, deliver, waitFor } = cardbell();
    const account = take('ACTIVE');
    const again = () =>
      deliver(sampleWebhook('decline.rule.mcc', { AcctId: account.AcctId, MerchantId: '445399000001' }));
    await again();
    const message = await waitFor(channels.declines, new RegExp(holderOf(account)));
    await quiet(cardbell());
    return { again, message, twice: new RegExp(`Declined 2 times[^]*${holderOf(account)}`) };
  }

  it('shows a purchase again when it is declined again after its alert was deleted', async () => {
    const { workspace, waitFor } = cardbell();
    const { again, message, twice } = await declinedOnce();
    workspace.deleteMessage(message);

    await again();

    expect((await waitFor(channels.declines, twice)).ts).not.toBe(message.ts);
  });

  it('shows a purchase from an archived channel in ALERTS_CHANNEL when it is declined again, and notifies ops', async () => {
    const { workspace, waitFor } = cardbell();
    const { again, twice } = await declinedOnce();
    workspace.archive(channels.declines);

    await again();

    await waitFor(channels.alerts, twice);
    await waitFor(channels.ops, /cannot post in a channel/);
    workspace.archive(channels.declines, false);
  });
});

sideBySide('answering people', () => {
  const cardbell = useCardbell();

  it.each<[string, Omit<Fault, 'method'>]>([
    ['answers 404', { kind: 'error', error: 'used_url' }],
    ['answers 500', { kind: 'http_500' }],
    ['hangs up', { kind: 'hang_up' }],
  ])('reaches the person another way when the response_url %s', async (_how, fault) => {
    const { take, command, waitTold, workspace } = cardbell();
    const account = take('ACTIVE');
    workspace.faults.add({ method: 'response_url', ...fault });

    await command(people.olga, `block ${account.AcctId}`);
    await waitTold(people.olga, new RegExp(`^Blocked: ${holderOf(account)}`));
    await quiet(cardbell());

    expect(
      cardbell()
        .told(people.olga)
        .filter((text) => text.includes(holderOf(account))),
    ).toHaveLength(1);
    workspace.faults.clear();
  });

  it('sends a direct message when no ephemeral message gets through', async () => {
    const { take, command, workspace } = cardbell();
    const account = take('ACTIVE');
    workspace.faults.add({ method: /^(response_url|chat\.postEphemeral)$/, kind: 'http_500', times: 2 });

    await command(people.olga, `show ${account.AcctId}`);

    await workspace.waitForMessage(
      ({ channel, text }) => channel.startsWith('D') && text.includes(holderOf(account)),
      60_000,
    );
  });

  it('retries an edit of an alert that failed', async () => {
    const { take, deliver, waitFor, press, now, workspace } = cardbell();
    const account = take('ACTIVE');
    await deliver(sampleWebhook('decline.balance.card', { AcctId: account.AcctId }));
    const alert = await waitFor(channels.declines, new RegExp(holderOf(account)));
    workspace.faults.add({ method: 'chat.update', kind: 'http_500' });
    workspace.faults.add({ method: 'chat.update', kind: 'rate_limited', retryAfterSeconds: 1 });

    await press(people.olga, alert, 'block_card');

    await until(() => now(alert).text.includes('Blocked'), 'the alert says so');
  });
});
