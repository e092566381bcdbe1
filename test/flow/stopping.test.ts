import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRedis } from '../../local/redis.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, type RunningCardbell, startCardbell, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { settled, until } from '../support/until.ts';

/** The contract allows eight seconds. */
const STOP_MS = 8000;
const clean = { code: 0, signal: null };

sideBySide('separate processes', () => {
  const cardbell = useCardbell();

  it('exit at once with 0 when idle', async () => {
    const ends = await Promise.all([...cardbell().webs, ...cardbell().workers].map((child) => child.stop()));

    for (const end of ends) {
      expect(end).toMatchObject(clean);
      expect(end.ms).toBeLessThan(STOP_MS);
    }
    await cardbell().startWeb();
    await cardbell().startWorker();
  });

  it('lose no click that was acknowledged just before', async () => {
    const { take, command, webs, startWeb, waitTold, workspace } = cardbell();
    const card = take('ACTIVE');
    workspace.faults.add({ method: 'usergroups.users.list', kind: 'slow', ms: 800, times: 2 });

    expect((await command(people.gus, `block ${card.AcctId}`)).status).toBe(200);
    expect(await webs.at(-1)?.stop()).toMatchObject(clean);

    await waitTold(people.gus, new RegExp(`^Blocked: ${holderOf(card)}`));
    await startWeb();
  });

  it('stop in time during a hanging call, and the next worker continues with the rest', async () => {
    const { take, command, sandbox, workers, startWorker } = cardbell();
    const card = take('ACTIVE');
    sandbox.faults.add({ method: 'PUT', path: /\/Card\/Status/, kind: 'hang' });
    await command(people.olga, `block ${card.AcctId}`);
    await until(
      () => sandbox.calls.some(({ path }) => path.endsWith(`/Status/${card.AcctId}`)),
      'the call is in flight',
    );
    await cardbell().deliver(sampleWebhook('card-shipping', { TrackingNumber: '9400111899000000004411' }));

    const end = await workers.at(-1)?.stop();
    expect(end).toMatchObject(clean);
    expect(end?.ms).toBeLessThan(STOP_MS);

    await startWorker();
    await cardbell().waitFor(channels.shipping, /9400111899000000004411/);
  }, 90_000);

  it('stop in time without Redis', async () => {
    const { redis, webs, workers } = cardbell();
    await redis.stop();
    await settled(300);

    const ends = await Promise.all([webs.at(-1)?.stop(), workers.at(-1)?.stop()]);

    for (const end of ends) {
      expect(end).toMatchObject(clean);
      expect(end?.ms).toBeLessThan(STOP_MS);
    }
  });
});

sideBySide('npm start', () => {
  let cardbell: RunningCardbell;
  beforeAll(async () => {
    cardbell = await startCardbell({ together: true });
  });
  afterAll(async () => {
    await cardbell.stop();
  });

  it('runs both in one process and exits with 0', async () => {
    const card = cardbell.take('ACTIVE');
    await cardbell.deliver(sampleWebhook('decline.balance.card', { AcctId: card.AcctId }));
    const alert = await cardbell.waitFor(channels.declines, new RegExp(holderOf(card)));
    await cardbell.press(people.olga, alert, 'block_card');
    await until(() => cardbell.now(alert).text.includes('Blocked'), 'the alert says so');

    const end = await cardbell.webs[0]?.stop();

    expect(end).toMatchObject(clean);
    expect(end?.ms).toBeLessThan(STOP_MS);
  });
});

sideBySide('started while Redis is down', () => {
  it('answers webhooks with 503, exits with 0 on SIGTERM, and works once Redis is back', async () => {
    const probe = await startRedis();
    const { port } = probe;
    await probe.stop();
    const away = { REDIS_URL: `redis://127.0.0.1:${port}` };
    const cardbell = await startCardbell({ env: away, prepare: () => {} });
    try {
      expect(await cardbell.deliver(sampleWebhook('decline'))).toBe(503);
      expect((await fetch(`${cardbell.url}/readyz`)).status).toBe(503);
      const second = await cardbell.startWorker();
      expect(await second.stop()).toMatchObject(clean);

      const back = await startRedis({ port });
      try {
        await until(async () => (await fetch(`${cardbell.url}/readyz`)).status === 200, 'it is ready');
        expect(await cardbell.deliver(sampleWebhook('decline', { AcctId: 610_001 }))).toBe(200);
        await cardbell.waitFor(channels.declines, /CORNER DINER/);
      } finally {
        await cardbell.webs[0]?.stop();
        await cardbell.workers[0]?.stop();
        await back.stop();
      }
    } finally {
      await cardbell.stop();
    }
  });
});

sideBySide('started with a password that Redis refuses', () => {
  it('answers webhooks with 503, and works once Redis accepts the password', async () => {
    const redis = await startRedis();
    const store = new Redis(redis.url);
    await store.config('SET', 'requirepass', 'of-before');
    const refused = { REDIS_URL: `redis://:of-today@127.0.0.1:${redis.port}` };
    const cardbell = await startCardbell({ env: refused, prepare: () => {} });
    try {
      expect(await cardbell.deliver(sampleWebhook('decline'))).toBe(503);

      await store.config('SET', 'requirepass', 'of-today');

      await until(async () => (await fetch(`${cardbell.url}/readyz`)).status === 200, 'it is ready');
      expect(await cardbell.deliver(sampleWebhook('decline', { AcctId: 610_001 }))).toBe(200);
      await cardbell.waitFor(channels.declines, /CORNER DINER/);
      expect(cardbell.logs().join('\n')).not.toContain('of-today');
    } finally {
      await cardbell.webs[0]?.stop();
      await cardbell.workers[0]?.stop();
      await cardbell.stop();
      store.disconnect();
      await redis.stop();
    }
  });
});
