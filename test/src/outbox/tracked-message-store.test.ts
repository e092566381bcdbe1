import { expect, it } from 'vitest';
import { createEventLog } from '../../../src/alerts/event-log.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { createTrackedMessages, readSubject, subjectKey } from '../../../src/outbox/tracked-message-store.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const ref = { channel: 'C1', ts: '1.1' };
const alert = { kind: 'alert', id: 'evt_1' } as const;
const request = { kind: 'request', id: 'req_1' } as const;
const team = { audience: 'team', threadId: null } as const;

it('a message is found by each subject that it shows, for its readers and in its thread, and the other way round', async () => {
  const messages = createTrackedMessages(redis(), () => new Date());
  const toHolder = { audience: 'holder', threadId: 'purchase-1' } as const;

  await messages.add(ref, [{ subject: alert, ...team }]);
  await messages.add({ channel: 'D1', ts: '2.2' }, [
    { subject: alert, ...toHolder },
    { subject: request, ...team },
  ]);

  expect(await messages.references(alert)).toEqual([
    { ...ref, ...team },
    { channel: 'D1', ts: '2.2', ...toHolder },
  ]);
  expect(await messages.references(request)).toEqual([{ channel: 'D1', ts: '2.2', ...team }]);
  expect(await messages.at('D1', '2.2')).toEqual([alert, request]);
  expect(await messages.at('C1', '9.9')).toEqual([]);
});

it('a message that was updated between reading and adding it is known to be outdated', async () => {
  const messages = createTrackedMessages(redis(), () => new Date());
  const before = await messages.revisions([alert, request]);
  await messages.countUpdate(request);

  const after = await messages.add(ref, [
    { subject: alert, ...team },
    { subject: request, ...team },
  ]);

  expect([before, after]).toEqual([
    [0, 0],
    [0, 1],
  ]);
  expect(await messages.revisions([request, alert])).toEqual([1, 0]);
});

it('the event log keeps the time at which a message was first recorded', async () => {
  let second = 0;
  const messages = createTrackedMessages(redis(), () => new Date(Date.UTC(2026, 10, 20, 15, 0, second)));
  const posted = { step: 'posted', text: 'Posted.' } as const;

  for (second = 1; second < 3; second += 1) await messages.add(ref, [{ subject: alert, ...team }], posted);

  expect(await createEventLog(redis(), () => new Date()).read(alert.id)).toEqual([
    { ...posted, channel: ref.channel, at: '2026-11-20T15:00:01.000000Z' },
  ]);
});

it('revisions come in the given order, also for more subjects than one command reads', async () => {
  const messages = createTrackedMessages(redis(), () => new Date());
  const many = Array.from({ length: 501 }, (_none, index) => ({ kind: 'alert', id: `evt_${index}` }) as const);
  await messages.countUpdate({ kind: 'alert', id: 'evt_500' });

  const revisions = await messages.revisions(many);

  expect(revisions).toHaveLength(501);
  expect(revisions.indexOf(1)).toBe(500);
});

it('a message shows a subject no longer once it is forgotten, and again if it is posted again', async () => {
  const messages = createTrackedMessages(redis(), () => new Date());
  const both = [
    { subject: alert, ...team },
    { subject: request, ...team },
  ];
  await messages.add(ref, both);

  await messages.forget(ref, [request]);
  expect(await messages.at(ref.channel, ref.ts)).toEqual([alert]);
  expect(await messages.references(request)).toEqual([]);

  await messages.add(ref, both.slice(1));
  expect(await messages.at(ref.channel, ref.ts)).toEqual([alert, request]);
  await messages.forget(ref);
  expect(await messages.at(ref.channel, ref.ts)).toEqual([]);
  expect([await messages.references(alert), await messages.references(request)]).toEqual([[], []]);
});

it('the alerts of a message are told apart from what else it shows', async () => {
  const messages = createTrackedMessages(redis(), () => new Date());
  await messages.add(ref, [
    { subject: request, ...team },
    { subject: alert, ...team },
  ]);

  expect(await messages.alertsAt(ref.channel, ref.ts)).toEqual(['evt_1']);
  expect(await messages.references({ kind: 'alert', id: 'evt_1' })).toEqual([{ ...ref, ...team }]);
  expect(readSubject(subjectKey({ kind: 'claim', id: 'a:b' }))).toEqual({ kind: 'claim', id: 'a:b' });
});

it('a message whose button was clicked is updated from then on, but a direct message is not', async () => {
  const trackedMessages = createTrackedMessages(redis(), () => new Date());

  await trackedMessages.addSeen(alert, { channel: 'C1', ts: '1.1' });
  await trackedMessages.addSeen(alert, { channel: 'D1', ts: '2.2' });

  expect(await trackedMessages.references(alert)).toEqual([
    { channel: 'C1', ts: '1.1', audience: 'team', threadId: null },
  ]);
});

it('a copy that was never recorded, but whose button was clicked, is forgotten when it is deleted', async () => {
  const messages = createTrackedMessages(redis(), () => new Date());
  const copy = { channel: 'C1', ts: '2.2' };
  await messages.add(ref, [{ subject: alert, ...team }]);

  for (const _click of ['first', 'second']) await messages.addSeen(alert, copy);
  expect(await messages.at(copy.channel, copy.ts)).toEqual([alert]);
  await messages.forget(copy);

  expect(await messages.references(alert)).toEqual([{ ...ref, ...team }]);
  expect(await messages.at(copy.channel, copy.ts)).toEqual([]);
});

it.each([
  ['after a click', [alert], alert],
  ['after a click on another of its alerts', [{ kind: 'alert', id: 'evt_2' } as const], alert],
  ['without a click', [], alert],
])(
  'a copy that was deleted %s does not come back when the action of a click on it ends later',
  async (_when, clicked, later) => {
    const messages = createTrackedMessages(redis(), () => new Date());
    for (const subject of clicked) await messages.addSeen(subject, ref);

    await messages.forget(ref);
    await messages.addSeen(later, ref);

    expect(await messages.references(later)).toEqual([]);
    expect(await messages.at(ref.channel, ref.ts)).toEqual([]);
  },
);

it('a click on a message adds it once', async () => {
  const messages = createTrackedMessages(redis(), () => new Date());
  for (const _click of ['first', 'second']) await messages.addSeen(alert, ref);

  expect(await redis().get(stateKey('messages-at:C1:1.1'))).toBe('evt_1\n');
});
