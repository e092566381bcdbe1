import { beforeAll, describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { channels, groups, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';
import { wakeJob } from '../support/wake-job.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, gus, ana, zoe, otto } = people;

const refused = /^Not done: Only/;
let card: SandboxAccount;
let alert: StoredMessage;

beforeAll(async () => {
  card = cardbell().take('ACTIVE');
  await cardbell().deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
  const posted = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
  // On a busy machine, the alert is edited once the card was read.
  await quiet(cardbell());
  alert = cardbell().now(posted);
});

/** Who may not do what. The other flow tests prove who may. */
const refusals: readonly [string, string, string][] = [
  ['show', 'people without a role', otto],
  ['activate', 'people without a role', otto],
  ['block', 'people without a role', otto],
  ['unblock', 'people without a role', otto],
  ['unblock', 'an operator by id', olga],
  ['unblock', 'an operator by group', gus],
  ['limit', 'people without a role', otto],
  ['limit', 'an operator by id', olga],
  ['limit', 'an operator by group', gus],
];

describe('people without permission', () => {
  it('learn whom to ask, with a button that asks in the approvals channel', async () => {
    const since = Date.now() / 1000;
    await cardbell().command(olga, `unblock ${last4Of(card)} found it`);
    const told = await cardbell().waitTold(olga, refused, since);
    expect(JSON.stringify(told.blocks)).toMatch(/Ask <!subteam|Ask <@/);

    await cardbell().press(olga, told, 'ask_permission');
    await cardbell().waitTold(olga, /^Asked: .*in the approvals channel/, since);

    const asked = new RegExp(`<@${olga}> asks an approver to unblock .*${last4Of(card)}`);
    const question = await cardbell().waitFor(channels.approvals, asked);
    expect(question.text).toContain(`/card unblock ${last4Of(card)}`);
    const answer = JSON.stringify(cardbell().now(told).blocks);
    expect(answer, 'the answer replaces the question').not.toContain('ask_permission');
  });

  it.each(refusals)('%s is refused for %s', async (verb, _who, user) => {
    const before = cardbell().writes().length;
    const since = Date.now() / 1000;

    await cardbell().command(user, `${verb} ${card.AcctId}${verb === 'limit' ? ' daily 20' : ''}`);
    const message = await cardbell().waitTold(user, refused, since);

    expect(message.text).toContain('Nothing changed');
    expect(cardbell().writes()).toHaveLength(before);
  });

  it.each(['block_card', 'acknowledge_alert', 'approve_remedy'])(
    'pressing %s is refused for people without a role',
    async (button) => {
      const before = cardbell().writes().length;
      const since = Date.now() / 1000;

      await cardbell().press(otto, alert, button);
      await cardbell().waitTold(otto, refused, since);

      expect(cardbell().writes()).toHaveLength(before);
      expect(cardbell().workspace.views.top(otto)).toBeUndefined();
      expect(cardbell().now(alert)).toEqual(alert);
    },
  );

  it('are on record from their first refusal on', async () => {
    await cardbell().waitFor(channels.audit, new RegExp(`<@${otto}> was not allowed to`));
  });

  it('cannot flood the record or Slack’s user group lookups with commands', async () => {
    const { command, store, waitTold, waitFor, slackCalls } = cardbell();
    const refusedFirst = () => store.get(`{cardbell:state}:refused-first:${otto}`);
    const merged = (first: string | null) => store.get(`{cardbell:queue}:maintenance:de:refusals-${first}`);
    // Refusals of earlier tests may still be on their way to the record.
    await quiet(cardbell());
    const earlier = await refusedFirst();
    const waiting = await merged(earlier);
    if (waiting !== null) {
      await wakeJob(store, waiting);
      await until(async () => (await merged(earlier)) === null, 'refusals of earlier tests are on record');
    }
    await store.del(`{cardbell:state}:refused-first:${otto}`);
    const chain = () => store.llen('{cardbell:audit}:chain');
    const before = await chain();
    const lookups = () => slackCalls('usergroups.users.list').length;
    const asked = lookups();
    const since = Date.now() / 1000;
    // At once: one a second is permitted for ever.
    await Promise.all(Array.from({ length: 100 }, () => command(otto, `block ${card.AcctId}`)));
    await waitTold(otto, /too many requests in a row/, since);

    // People whose role comes from a group are not locked out.
    await command(gus, `show ${card.AcctId}`);
    await waitTold(gus, new RegExp(holderOf(card)), since);
    await until(async () => (await chain()) > before, 'the first refusal is on record');
    const first = await refusedFirst();
    const recorded = async () => {
      const lines = await store.lrange('{cardbell:audit}:chain', before, -1);
      return lines.filter((line) => JSON.parse(line).record.actor.userId === otto).length;
    };
    // Their job runs a minute after the first, which on a slow machine may be before this.
    const areRecorded = async () => (await recorded()) > 1;
    await until(
      async () => (await store.scard(`{cardbell:state}:refused-more:${first}`)) > 20 || (await areRecorded()),
      'the others are counted',
    );
    await until(async () => (await merged(first)) !== null || (await areRecorded()), 'their job is scheduled');
    const job = await merged(first);
    if (job !== null) await wakeJob(store, job);
    await until(areRecorded, 'the others are on record');
    await waitFor(channels.audit, new RegExp(`<@${otto}> was refused \\d+ more times within a minute`));

    const minutes = Math.ceil((Date.now() / 1000 - since) / 60);
    expect(await recorded(), 'the first refusal, and one entry for each further minute').toBeLessThanOrEqual(
      1 + minutes,
    );
    // Without a limit there were two for each command.
    expect(lookups() - asked, 'user group calls to Slack').toBeLessThan(60);
  });

  it('cannot raise a limit with the button either, even as operators', async () => {
    const since = Date.now() / 1000;

    await cardbell().press(olga, alert, 'approve_remedy');
    await cardbell().waitTold(olga, refused, since);

    expect(cardbell().workspace.views.top(olga)).toBeUndefined();
  });
});

describe('people with permission', () => {
  it.each([
    ['an operator by id', olga],
    ['an operator by group', gus],
    ['an approver by id', zoe],
    ['an approver by group', ana],
  ])('%s sees a card', async (_who, user) => {
    await cardbell().command(user, `show ${last4Of(card)}`);
    await cardbell().waitTold(user, new RegExp(`${holderOf(card)}.*is active`));
  });
});

describe('user groups, read at each click unless read seconds ago', () => {
  it('do not permit a person removed from the group, even without Slack’s event', async () => {
    const { command, waitTold, workspace } = cardbell();
    const before = Date.now() / 1000;
    await command(gus, `show ${card.AcctId}`);
    // Otherwise the first command might be authorized after the change and use up the faults of the next test.
    await waitTold(gus, new RegExp(holderOf(card)), before);
    await workspace.setUserGroup(groups.operators, [people.ben]);
    const since = Date.now() / 1000;

    await command(gus, `show ${card.AcctId}`);
    await waitTold(gus, refused, since);

    await workspace.setUserGroup(groups.operators, [gus]);
  });

  it('permit no activation while Slack cannot say who is in the group, and the answer says so', async () => {
    const { command, waitTold, workspace } = cardbell();
    const before = cardbell().writes().length;
    const since = Date.now() / 1000;
    workspace.faults.add({ method: 'usergroups.users.list', kind: 'http_500', times: 2 });

    await command(gus, `activate ${card.AcctId}`);
    const message = await waitTold(gus, /unreachable/, since);
    await quiet(cardbell());

    expect(message.text).toContain('nothing changed');
    expect(cardbell().writes()).toHaveLength(before);
    workspace.faults.clear();
  });

  it('do not open the form behind a button either, and the person learns why', async () => {
    const { press, waitTold, workspace } = cardbell();
    // Otherwise Slack's answer from a few seconds ago would still count.
    await workspace.setUserGroup(groups.approvers, [ana, people.ben]);
    const since = Date.now() / 1000;
    workspace.faults.add({ method: 'usergroups.users.list', kind: 'hang_up', times: 4 });

    await press(ana, alert, 'approve_remedy');
    await waitTold(ana, /unreachable/, since);

    expect(workspace.views.top(ana)).toBeUndefined();
    workspace.faults.clear();
  });

  it('do not matter for a person listed by id', async () => {
    const { command, waitTold, workspace } = cardbell();
    const since = Date.now() / 1000;
    workspace.faults.add({ method: 'usergroups.users.list', kind: 'http_500', times: 10 });

    await command(olga, `show ${card.AcctId}`);

    await waitTold(olga, new RegExp(holderOf(card)), since);
    workspace.faults.clear();
  });
});
