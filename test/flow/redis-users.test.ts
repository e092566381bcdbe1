import { Redis } from 'ioredis';
import { afterAll, describe, expect, it } from 'vitest';
import { channels, people } from '../support/people.ts';
import { atOnce, holderOf, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ pace: atOnce, redisUsers: true });
const { olga, ana } = people;

const open: Redis[] = [];
afterAll(() => {
  for (const redis of open) redis.disconnect();
});

/** A connection as one of the two processes has it. */
function as(user: 'web' | 'worker'): Redis {
  const redis = new Redis(cardbell().redis.port, '127.0.0.1', {
    username: user,
    password: `${user.toUpperCase()}-PASSWORD`,
  });
  open.push(redis);
  return redis;
}

/** What one of the users tried and may not, as Redis noted it. Looking at every queue, BullMQ tries to name its version. */
async function denied(user: string): Promise<string[]> {
  const entries = (await cardbell().store.call('ACL', 'LOG', '100')) as string[][];
  const texts = entries.map((entry) => Object.fromEntries(pairs(entry)) as Record<string, string>);
  return texts
    .filter(({ username, object }) => username === user && !/^\{cardbell:queue\}:\w+:meta$/.test(object ?? ''))
    .map(({ reason, object, context }) => `${reason} ${object} ${context}`);
}

function* pairs(flat: readonly string[]): Generator<[string, string]> {
  for (let index = 0; index + 1 < flat.length; index += 2) yield [String(flat[index]), String(flat[index + 1])];
}

describe('web and worker, each as a Redis user of its own,', () => {
  it('turn a webhook into a message, a click into a change, and a form into another', async () => {
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

  it('neither may do what only the person who runs Redis may', async () => {
    for (const user of ['web', 'worker'] as const)
      for (const command of ['FLUSHALL', 'ACL LIST', 'CONFIG SET maxmemory 1', 'SHUTDOWN', 'KEYS *', 'MONITOR']) {
        const [name = '', ...args] = command.split(' ');
        await expect(as(user).call(name, ...args), `${user}: ${command}`).rejects.toThrow(/NOPERM/);
      }
  });

  it('nobody gets in without a password', async () => {
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
  ])('can neither read nor write nor delete %s', async (key) => {
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
    '{cardbell:state}:messages:alert:evt_1',
    '{cardbell:dir}:accounts',
    '{cardbell:queue}:actions:wait',
    '{cardbell:queue}:actions:act_1',
  ])('can read %s and not change it', async (key) => {
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
