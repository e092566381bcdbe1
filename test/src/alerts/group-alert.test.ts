import { describe, expect, it } from 'vitest';
import { FraudCaseAlert } from '../../../src/alerts/alert.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { createDeliveryWorld, declineOf, here, idOf } from '../../support/delivery-world.ts';
import { useRedis } from '../../support/on-redis.ts';
import { change, shippingAlert, statusAlert, transactionAlert, virtualAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const world = () => createDeliveryWorld(redis());
const own = { shownBy: null, threadId: null, broadcast: false, warning: null, changes: [] };

describe('declines', () => {
  it('that repeat another are shown by its message, which is updated, and say so when somebody asks why', async () => {
    const { groupAlert, eventLog } = world();
    const [first, repeat] = [1, 2].map((index) => transactionAlert(declineOf(index)));
    if (first === undefined || repeat === undefined) throw new Error('two alerts');

    expect(await groupAlert(first, 'C1')).toEqual(own);
    const grouped = { ...own, shownBy: idOf(1), changes: [idOf(1)] };
    expect(await groupAlert(repeat, 'C1')).toEqual(grouped);
    expect(await groupAlert(repeat, 'C1'), 'when its job runs again').toEqual(grouped);

    expect(await eventLog.read(idOf(1))).toEqual([]);
    expect(await eventLog.read(idOf(2))).toMatchObject([
      { step: 'grouped', text: expect.stringContaining(`repeats are counted in one message, that of ${idOf(1)}`) },
    ]);
  });

  it('of a blocked card are counted in the thread of the block, and are no card testing', async () => {
    const { groupAlert, cardOrders } = world();
    const testing = { code: 'decline', message: 'Do not honor' };
    const groupings = [];
    for (const index of [1, 2, 3, 4]) {
      const acctId = 100 + index;
      await cardOrders.setBlockThread(acctId, `block-${acctId}`);
      const alert = transactionAlert(declineOf(index, { acctId, decline: testing }), { remedy: { kind: 'unblock' } });
      groupings.push(await groupAlert(alert, 'C1'));
    }

    expect(groupings).toEqual([101, 102, 103, 104].map((acctId) => ({ ...own, threadId: `block-${acctId}` })));
    const another = transactionAlert(declineOf(5, { acctId: 105, decline: testing }));
    expect(await groupAlert(another, 'C1'), 'a card that is not blocked').toEqual(own);
  });

  it('of three cards at one merchant cause one warning, and keep their own messages in its thread', async () => {
    const { groupAlert } = world();
    const groupings = [];
    for (const index of [1, 2, 3, 4]) {
      const decline = { code: 'decline', message: 'Do not honor' };
      groupings.push(await groupAlert(transactionAlert(declineOf(index, { acctId: 100 + index, decline })), 'C1'));
    }

    expect(groupings.map(({ warning }) => warning?.isCause)).toEqual([undefined, undefined, true, false]);
    expect(groupings.map(({ shownBy }) => shownBy)).toEqual([null, null, null, null]);
    expect(groupings[3]?.threadId).toBe(groupings[2]?.warning?.warningId);
  });
});

it('the first message of a purchase leads its thread, and each later step is a quiet reply that updates it', async () => {
  const { groupAlert, alerts } = world();
  const paid = transactionAlert(declineOf(1, { kind: 'authorization', decline: null }));
  const settled = transactionAlert(declineOf(2, { kind: 'settlement', decline: null }));
  for (const alert of [paid, settled]) await alerts.save(alert);
  const threadId = `purchase-${idOf(1)}`;

  expect(await groupAlert(paid, 'C1')).toEqual({ ...own, threadId });
  expect(await groupAlert(settled, 'C1')).toEqual({ ...own, threadId, changes: [idOf(1)] });
  const shown = await alerts.get(idOf(1));
  expect(shown).toMatchObject({ timeline: { steps: [{ kind: 'authorization' }, { kind: 'settlement' }] } });
});

it('a step that arrives late updates the messages of all later steps, because it changes what they meant', async () => {
  const { groupAlert, alerts } = world();
  const paid = transactionAlert(declineOf(1, { kind: 'authorization', decline: null }));
  const settled = transactionAlert(declineOf(2, { kind: 'settlement', decline: null }));
  const reversed = transactionAlert(declineOf(3, { kind: 'reversal', decline: null, direction: 'credit' }));
  for (const alert of [paid, settled, reversed]) await alerts.save(alert);
  const titleOfReversal = async () => {
    const alert = await alerts.get(reversed.event.id);
    return alert && renderAlert(alert, { place: 'private' }).text.split(':')[0];
  };

  await groupAlert(paid, 'C1');
  expect(await groupAlert(reversed, 'C1')).toMatchObject({ changes: [idOf(1)] });
  expect(await titleOfReversal()).toBe('Hold released');

  expect(await groupAlert(settled, 'C1')).toMatchObject({ changes: [idOf(1), idOf(3)] });
  expect(await titleOfReversal()).toBe('Credited back');
});

it('a virtual card has its own message', async () => {
  expect(await world().groupAlert(virtualAlert(), 'C1')).toEqual(own);
});

describe('while a fraud case of the account is open', () => {
  const caseId = idOf(90);
  const decline = declineOf(1);
  const theCase = FraudCaseAlert.parse({
    kind: 'fraud-case',
    event: { ...decline, id: caseId },
    card: transactionAlert().card,
    outcomes: [],
    late: false,
    alertId: idOf(91),
    reported: { by: 'U1', at: '' },
    operators: [],
    purchases: null,
  });
  const entryIn = async (channel: string, { outbox }: ReturnType<typeof world>) =>
    (await outbox.look(channel, 9)).waiting.map(({ entry }) => entry)[0];
  const open = ({ fraudCases }: ReturnType<typeof world>) => fraudCases.open(decline.acctId, caseId, idOf(91));

  it('a decline is posted in the case’s thread if the channel has the case, and as a separate message elsewhere', async () => {
    const started = world();
    await open(started);
    await started.groupAlert(theCase, 'C1');
    started.routes.set(decline.id, [here, { ...here, channel: 'C2' }]);

    await started.deliver(decline);

    expect(await entryIn('C1', started)).toMatchObject({ threadId: caseId, broadcast: false });
    expect(await entryIn('C2', started), 'the thread does not exist there').toMatchObject({ threadId: null });
  });

  it('a decline before the case is announced is also shown in the channel', async () => {
    const started = world();
    await open(started);
    started.routes.set(decline.id, here);

    await started.deliver(decline);

    expect(await entryIn('C1', started)).toMatchObject({ threadId: caseId, broadcast: true });
  });

  it('its status changes and shipments join the case, but its purchases keep their own thread', async () => {
    const started = world();
    await open(started);
    await started.groupAlert(theCase, 'C1');
    const paid = transactionAlert({ ...decline, kind: 'authorization', decline: null });
    const threads = [];
    for (const alert of [statusAlert([change()]), shippingAlert(), paid])
      threads.push((await started.groupAlert(alert, 'C1')).threadId);

    expect(threads).toEqual([caseId, caseId, `purchase-${paid.event.id}`]);
  });
});
