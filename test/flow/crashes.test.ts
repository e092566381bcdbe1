import { expect, it } from 'vitest';
import { freePort } from '../../local/port.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { settled, until } from '../support/until.ts';

const { olga } = people;

sideBySide('a worker that is killed', () => {
  const cardbell = useCardbell();

  it('leaves no post or card API call half done or done twice', async () => {
    const { workspace, sandbox, workers, startWorker, deliver, command, take, writes, texts, store } = cardbell();
    const TrackingNumber = '9400111899000000009911';
    const card = take('ACTIVE');
    // Slack accepts the message and the service blocks the card, but the worker dies before either responds.
    workspace.faults.add({ method: 'chat.postMessage', kind: 'timeout_after_accept', ms: 30_000 });
    sandbox.faults.add({ method: 'PUT', path: /\/Card\/Status/, kind: 'hang_after_effect' });
    await deliver(sampleWebhook('card-shipping', { TrackingNumber }));
    await until(() => texts(channels.shipping).length > 0, 'it is being posted');
    await command(olga, `block ${card.AcctId} lost`);
    await until(() => cardbell().account(card.AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'it is done');
    workers[0]?.kill('SIGKILL');
    await workers[0]?.exit;

    await startWorker();
    const told = () =>
      cardbell()
        .told(olga)
        .filter((text) => text.includes(holderOf(card)));
    await until(() => told().length > 0, 'the person is told', 60_000);
    const isOnItsWay = () => store.exists(`{cardbell:out:${channels.shipping}}:sending`);
    await until(async () => (await isOnItsWay()) === 0, 'the message is resolved', 60_000);
    await settled(500);

    expect(texts(channels.shipping)).toEqual([expect.stringContaining(TrackingNumber)]);
    expect(writes().filter(({ path }) => path.endsWith(`/${card.AcctId}`))).toHaveLength(1);
    expect(told()).toEqual([expect.stringMatching(/^Blocked/)]);
    const chain = await store.lrange('{cardbell:audit}:chain', 0, -1);
    const events = chain.map((line) => JSON.parse(line).record).filter(({ acctId }) => acctId === card.AcctId);
    expect(events.map(({ event }) => event)).toEqual(['asked', 'sent', 'done']);
  }, 90_000);
});

sideBySide('several web processes and workers', () => {
  const cardbell = useCardbell();

  it('post each of 200 events once', async () => {
    const { startWeb, startWorker, deliver, texts, url } = cardbell();
    const port = await freePort();
    await Promise.all([startWeb({ PORT: String(port) }), startWorker(), startWorker()]);
    const mark = (i: number): string => `94001117${String(i).padStart(14, '0')}`;
    // Most have no channel, because a channel accepts only one message a second. Each is still stored once.
    const webhooks = Array.from({ length: 200 }, (_, i) =>
      i % 40 === 0
        ? sampleWebhook('card-shipping', { TrackingNumber: mark(i) })
        : sampleWebhook('authorization', { AcctId: 610_001, NetworkTransactionId: 77_000_000 + i }),
    );

    const answers = await Promise.all(
      webhooks.flatMap((webhook, i) => [
        deliver(webhook, { url: i % 2 === 0 ? url : `http://127.0.0.1:${port}` }),
        deliver(webhook, { url: i % 3 === 0 ? url : `http://127.0.0.1:${port}` }),
      ]),
    );
    const marks = Array.from({ length: 5 }, (_, i) => mark(i * 40));
    const counts = () => marks.map((one) => texts(channels.shipping).filter((text) => text.includes(one)).length);
    await until(() => counts().every((count) => count > 0), 'all are posted', 40_000);
    await quiet(cardbell());

    expect(new Set(answers)).toEqual(new Set([200]));
    expect(counts()).toEqual(marks.map(() => 1));
    const alerts = await cardbell().store.keys('{cardbell:state}:alert:*');
    expect(alerts.length).toBeGreaterThanOrEqual(200);
  }, 90_000);
});
