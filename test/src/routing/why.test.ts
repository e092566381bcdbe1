import { expect, it } from 'vitest';
import type { CardTarget } from '../../../src/actions/action.ts';
import { aggregationRule, createAggregationGroups } from '../../../src/alerts/aggregation-group-store.ts';
import { createTools } from '../../../src/app/compose-tools.ts';
import { createExplainRouting, createFindAlerts } from '../../../src/routing/why.ts';
import { createQuarantineStore, quarantine } from '../../../src/webhooks/quarantine.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, contextOf, createActionWorld } from '../../support/perform-world.ts';
import { transactionAlert } from '../../templates/fixtures.ts';
import { shown } from '../../templates/shown.ts';

const redis = useRedis();
const known = 'evt_0123456789abcdef';
const idOf = (index: number): string => `evt_000000000000000${index}`;

/** @param own the account whose alerts the person may see. */
async function explaining({ own = acctId, isAsked = false }: { own?: number; isAsked?: boolean } = {}) {
  const world = await createActionWorld(redis());
  const meant: CardTarget[] = [];
  const tools = createTools(contextOf(world.deps));
  const findAlerts = createFindAlerts({
    ...tools,
    rights: {
      mayAct: async (_action, of) => of === own,
    },
    resolveCard: async ({ target }) => {
      if (target.kind === 'words' || target.kind === 'card') meant.push(target);
      return isAsked ? null : { acctId };
    },
  });
  const explain = createExplainRouting({ ...tools, findAlerts });
  let asked = 0;
  const why = (text: string) => {
    asked += 1;
    return explain(ask('why', { id: `act_why${asked}`, target: { kind: 'channel', text } }));
  };
  const texts = () => world.answers.map(({ text }) => text);
  return { ...world, stations: world.stations, why, texts, meant };
}

it('explains an event by its id, wherever it stands in the text', async () => {
  const { why, texts, deps } = await explaining();
  await deps.eventLog.note(known, { step: 'routed', channel: 'C1', text: 'Because.' });

  await why(`the alert ${known} please`);

  expect(texts()).toEqual([expect.stringMatching(/^evt_0123456789abcdef: .*posted in 1 place\.$/)]);
});

it('shows a repeated decline where the message is that counts it', async () => {
  const { why, texts, answers, deps } = await explaining();
  const groups = createAggregationGroups(redis());
  for (const id of [idOf(1), idOf(2)]) {
    const { event, ...alert } = transactionAlert({ id, acctId });
    await deps.alerts.save({ ...alert, event });
    await groups.join('C1', event, aggregationRule(event), false);
  }
  // The first was also posted in channels that did not get the repeat.
  for (const channel of ['C1', 'C2', 'C3'])
    await deps.trackedMessages.add({ channel, ts: '1700000000.000100' }, [
      { subject: { kind: 'alert', id: idOf(1) }, audience: 'team', threadId: null },
      { subject: { kind: 'alert', id: idOf(3) }, audience: 'team', threadId: null },
    ]);

  await why(idOf(2));

  expect(texts()).toEqual([expect.stringMatching(/^evt_0000000000000002: .*posted in 1 place\.$/)]);
  expect(shown(answers[0]?.blocks ?? []).match(/\*Shown\* in <#\w+>/g)).toEqual(['*Shown* in <#C1>']);
});

it('says of a repeat that the message that counted it is gone, if it was posted in that channel', async () => {
  const { why, texts, deps } = await explaining();
  const groups = createAggregationGroups(redis());
  for (const id of [idOf(1), idOf(2)]) {
    const { event, ...alert } = transactionAlert({ id, acctId });
    await deps.alerts.save({ ...alert, event });
    await groups.join('C1', event, aggregationRule(event), false);
    await deps.eventLog.note(id, { step: 'routed', channel: 'C1', text: 'Because.' });
  }
  await deps.eventLog.note(idOf(1), { step: 'posted', channel: 'C2', text: 'Posted.' });
  await why(idOf(2));
  await deps.eventLog.note(idOf(1), { step: 'posted', channel: 'C1', text: 'Posted.' });
  await why(idOf(2));

  expect(texts()).toEqual([
    expect.stringMatching(/It has not been posted anywhere yet\.$/),
    expect.stringMatching(/It was posted, but its message is gone\.$/),
  ]);
});

it('knows no alert of a card that the person may not see, and says the same as of one that never was', async () => {
  const { why, texts, stations } = await explaining({ own: acctId + 1 });

  await why(known);
  await why('evt_zzzzzzzzzzzzzzzz');

  expect(texts()).toHaveLength(2);
  expect(texts()[0]).toContain('I know no such alert');
  expect(texts()[1]).toBe(texts()[0]);
  expect(await stations(), 'the second within a minute is counted').toEqual(['refused']);
});

it('says why a webhook in quarantine has no alert', async () => {
  const { why, texts, meant } = await explaining();
  const facts = { path: 'decline', issues: ['AcctId: expected a positive id'], version: undefined };
  const kept = quarantine({ Data: {} }, { ...facts, receivedAt: '2026-11-20T12:00:00.000Z' });
  await createQuarantineStore(redis()).keep(kept);

  await why(kept.id);
  await createQuarantineStore(redis()).remove(kept.id);
  await why(kept.id);

  expect(texts()).toEqual([
    expect.stringMatching(/webhook could not be read: decline.*no alert was posted.*replay -- list/i),
    expect.stringContaining('I know no such alert'),
  ]);
  expect(meant).toEqual([]);
});

it('says so if a card had no alert, without asking for a card again', async () => {
  const { why, texts } = await explaining();

  await why('1212');

  expect(texts()).toEqual([
    'Not done. This card had no alert in the last 30 days. For another alert, write its id or a link to its message. Nothing changed.',
  ]);
});

it('takes a cut-off id for no card', async () => {
  const { why, texts, meant } = await explaining();

  await why('evt_0123');

  expect(texts()).toEqual([expect.stringContaining('I know no such alert')]);
  expect(meant).toEqual([]);
});

it('explains the alerts of a message, five at most, says how many more there are, and leaves out those that the person may not see', async () => {
  const { why, texts, deps } = await explaining();
  const ref = { channel: 'C1', ts: '1700000000.000100' };
  const ids = [1, 2, 3, 4, 5, 6, 7].map(idOf);
  for (const [index, id] of ids.entries()) {
    await deps.alerts.save(transactionAlert({ id, acctId: index === 0 ? acctId + 1 : acctId }));
    await deps.trackedMessages.add(ref, [{ subject: { kind: 'alert', id }, audience: 'team', threadId: null }]);
  }

  await why(`${ref.channel} ${ref.ts}`);

  expect(texts().map((text) => text.split(':')[0])).toEqual(ids.slice(1, 6));
  const more = 'That message shows 1 more alert. To see how one was routed, write its id: `/card why evt_…`';
  expect(texts().map((text) => text.endsWith(more))).toEqual([false, false, false, false, true]);
});

it('explains the latest event of a card, and nothing while the person is asked which card they mean', async () => {
  const { why, texts, meant, deps } = await explaining();
  await deps.alerts.record(transactionAlert({ id: known, acctId }), []);
  await why('Jane 1212');
  expect(meant).toEqual([{ kind: 'words', words: ['Jane', '1212'] }]);
  expect(texts()).toEqual([expect.stringContaining(known)]);

  const asked = await explaining({ isAsked: true });
  await asked.why('Jane');
  expect(asked.texts()).toEqual([]);
});
