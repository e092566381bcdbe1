import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { channels, people } from '../support/people.ts';
import { atOnce, holderOf, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

/** A second card program, whose service is away. */
const eu = {
  PROGRAMS: 'eu',
  EU_CARD_API_URL: 'http://127.0.0.1:1/v4',
  EU_CARD_API_TOKEN: 'api-token-of-eu-7c1d',
  EU_WEBHOOK_SHARED_SECRET: 'SHARED-OF-EU-2B6E9A41',
  EU_ALERTS_CHANNEL: channels.alerts,
};
const cardbell = useCardbell({ pace: atOnce, redisUsers: true, env: eu });
const { olga, ana } = people;

const open: Redis[] = [];
afterAll(() => {
  for (const redis of open) redis.disconnect();
});

/** A Redis connection with the user of one process. */
function as(user: 'web' | 'worker'): Redis {
  const redis = new Redis(cardbell().redis.port, '127.0.0.1', {
    username: user,
    password: `${user.toUpperCase()}-PASSWORD`,
  });
  open.push(redis);
  return redis;
}

/** Commands Redis denied to the user, except those of BullMQ, which tries to write its version in every queue it reads. */
async function denied(user: string): Promise<string[]> {
  const entries = (await cardbell().store.call('ACL', 'LOG', '100')) as string[][];
  const texts = entries.map((entry) => Object.fromEntries(pairs(entry)) as Record<string, string>);
  return texts
    .filter(({ username, object }) => username === user && !/^(?:eu:)?\{cardbell:queue\}:\w+:meta$/.test(object ?? ''))
    .map(({ reason, object, context }) => `${reason} ${object} ${context}`);
}

function* pairs(flat: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index + 1 < flat.length; index += 2) yield [String(flat[index]), String(flat[index + 1])];
}

describe('web and worker, each with a separate Redis user,', () => {
  it('turn a webhook into a message and a click into a change, and serve commands, forms and App Home', async () => {
    const { take, deliver, waitFor, press, account, command, waitTold, workspace, now } = cardbell();
    const card = take('ACTIVE');
    await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    const alert = await waitFor(channels.declines, new RegExp(holderOf(card)));

    await press(ana, alert, 'show_details');
    await until(() => workspace.views.top(ana) !== undefined, 'the details open');
    await press(olga, alert, 'block_card');
    await until(() => account(card.AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'the card is blocked');
    await until(() => JSON.stringify(now(alert).blocks).includes('Blocked'), 'the message says so');
    await command(olga, `show ${card.AcctId}`);
    await waitTold(olga, new RegExp(holderOf(card)));
    await workspace.openHome(olga);
    await until(() => cardbell().slackCalls('views.publish').length > 0, 'App Home is drawn');

    expect(await denied('web')).toEqual([]);
    expect(await denied('worker')).toEqual([]);
    const { adminUrl } = cardbell();
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${adminUrl}/metrics`)).text()).toContain('cardbell_webhooks_total');
  });

  it('show the card program that somebody chose in App Home', async () => {
    const { workspace } = cardbell();
    const shown = (): string => JSON.stringify(workspace.views.home.get(ana)?.blocks ?? []);
    await workspace.openHome(ana);
    await until(() => shown().includes('choose_program'), 'the menu is there');

    const viewId = workspace.views.home.get(ana)?.id ?? '';
    await workspace.select({ user: ana, viewId, actionId: 'choose_program', value: 'eu' });

    await until(() => shown().includes('eu~'), 'it is the page of eu');
    expect(await denied('web')).toEqual([]);
    expect(await denied('worker')).toEqual([]);
  });

  it('find a holder’s cards in the picker, for a number that may be a card, and in an explanation', async () => {
    const { take, command, waitFor, waitTold, workspace, deliver } = cardbell();
    const { hugo } = people;
    const card = take('ACTIVE');
    await command(ana, `link ${card.AcctId} @hugo`);
    await waitFor(`D${hugo.slice(1)}`, new RegExp(`${last4Of(card)}.* is linked to you`));

    const shown = workspace.views.top(hugo)?.id;
    await command(hugo, '');
    await until(() => workspace.views.top(hugo)?.id !== shown, 'the picker opens');
    const viewId = workspace.views.top(hugo)?.id ?? '';
    const options = await workspace.suggest({ user: hugo, viewId, actionId: 'pick_card', value: last4Of(card) });
    expect(JSON.stringify(options)).toContain(holderOf(card));

    await command(hugo, `ask ${last4Of(card)} lunch`);
    const asked = await waitTold(hugo, new RegExp(`^How much do you want to pay with card ${last4Of(card)}\\?`));
    expect(JSON.stringify(asked.blocks)).toContain(`/card ask ${last4Of(card)} 84.10`);

    await deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
    const message = await waitFor(channels.declines, new RegExp(holderOf(card)));
    const before = workspace.views.top(olga)?.id;
    await workspace.shortcut({ user: olga, callbackId: 'explain_decline', message });
    await until(() => workspace.views.top(olga)?.id !== before, 'the explanation opens');
    expect(JSON.stringify(workspace.views.top(olga)?.blocks)).toContain(holderOf(card));

    expect(await denied('web')).toEqual([]);
  });

  it('read a number as the amount unless it is the holder’s own card', async () => {
    const { take, command, waitFor, waitTold } = cardbell();
    const { hana } = people;
    const [card, other] = [take('ACTIVE'), take('ACTIVE')];
    await command(ana, `link ${card.AcctId} @hana`);
    await waitFor(`D${hana.slice(1)}`, /is linked to you/);
    const number = Number(last4Of(other)) < 1000 ? '4242' : last4Of(other);

    const since = Date.now() / 1000;
    await command(hana, `ask ${number} lunch`);
    const told = await waitTold(hana, /./, since);

    expect(told.text).not.toMatch(/How much/);
    expect(told.text.replace(',', '')).toMatch(new RegExp(`\\$${number}\\.00|approver|does not cover this purchase`));
  });

  it('may not run Redis administration commands', async () => {
    for (const user of ['web', 'worker'] as const)
      for (const command of ['FLUSHALL', 'ACL LIST', 'CONFIG SET maxmemory 1', 'SHUTDOWN', 'KEYS *', 'MONITOR']) {
        const [name = '', ...args] = command.split(' ');
        await expect(as(user).call(name, ...args), `${user}: ${command}`).rejects.toThrow(/NOPERM/);
      }
  });

  it('refuse access without a password', async () => {
    const stranger = new Redis(cardbell().redis.port, '127.0.0.1');
    open.push(stranger);

    expect(await stranger.ping()).toBe('PONG');
    await expect(stranger.get('{cardbell:audit}:head')).rejects.toThrow(/NOPERM/);
  });
});

describe('the user of the web process', () => {
  it.each([
    '{cardbell:audit}:chain',
    '{cardbell:audit}:head',
    '{cardbell:state}:block:act_1',
    '{cardbell:state}:progress:act_1',
    '{cardbell:state}:performed:act_1',
    '{cardbell:state}:decisions',
    '{cardbell:state}:recent-raises:1',
    '{cardbell:state}:temporary-changes',
    '{cardbell:state}:links',
    '{cardbell:state}:mutes',
    '{cardbell:state}:subscriptions',
    '{cardbell:state}:quarantine:q_1',
    '{cardbell:out:C1}:entries',
  ])('cannot read, write or delete %s', async (key) => {
    const web = as('web');

    for (const command of [
      ['TYPE', key],
      ['GET', key],
      ['SET', key, 'x'],
      ['DEL', key],
      ['RENAME', key, '{cardbell:in}:x'],
    ]) {
      const [name = '', ...args] = command;
      await expect(web.call(name, ...args), name).rejects.toThrow(/NOPERM/);
    }
    await expect(web.eval(`return redis.call('GET', '${key}')`, 0)).rejects.toThrow(
      /NOPERM|No permissions|can't access/i,
    );
  });

  it.each([
    '{cardbell:state}:alert:evt_1',
    '{cardbell:state}:request:req_1',
    '{cardbell:state}:links-by-user',
    '{cardbell:state}:delegations',
    '{cardbell:state}:messages:request:req_1',
    '{cardbell:dir}:accounts',
    '{cardbell:queue}:actions:wait',
    '{cardbell:queue}:actions:act_1',
  ])('can read but not change %s', async (key) => {
    const web = as('web');

    expect(await web.type(key)).toMatch(/\w+/);
    for (const command of [
      ['SET', key, 'x'],
      ['DEL', key],
      ['LPUSH', key, 'x'],
      ['HSET', key, 'a', 'b'],
    ]) {
      const [name = '', ...args] = command;
      await expect(web.call(name, ...args), name).rejects.toThrow(/NOPERM/);
    }
  });
});
