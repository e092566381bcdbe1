import { expect, it } from 'vitest';
import { noCard } from '../../../src/core/card-facts.ts';
import type { CardMatch } from '../../../src/directory/index-entries.ts';
import type { Verb } from '../../../src/dispatch/verbs.ts';
import { askedActions } from '../../support/asked-actions.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, createActionWorld, type Over, performAction } from '../../support/perform-world.ts';
import { link } from '../../support/refused.ts';
import { card, transactionAlert, virtualAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

const match = (id: number): CardMatch => ({
  ...accountOf({ acctId: id }),
  holder: null,
  matchedBy: 'name',
  cards: [{ cardId: id, last4: '1212', status: 'ACTIVE', seenAt: '2026-11-20T15:00:00.000Z' }],
});
const cases = [
  ['no card', [], { event: 'refused', detail: 'no card matches “jane”', acctId: null }],
  ['two cards', [match(1), match(2)], { event: 'asked', detail: 'asked back which card “jane” is', acctId: null }],
] as const;

it.each(cases)('audits an action whose words match %s', async (_what, matches, record) => {
  const directory = directoryOf({ find: async () => [...matches], findKnown: async () => [...matches] });
  const world = await createActionWorld(redis(), { directory });

  await performAction(ask('block', { ...byCommand, target: { kind: 'words', words: ['jane'] } }), world.deps);

  const records = [];
  for await (const entry of world.deps.audit.read()) records.push(entry.record);
  expect(records).toEqual([expect.objectContaining({ ...record, verb: 'block' })]);
  expect(world.writes).toEqual([]);
});

it.each([
  ['show', '4111 1111 1111 1111', 'no card matches “[card ••1111]”'],
  ['claim', '4111 1111 1111 1111', 'no card matches “[card ••1111]”'],
  ['show', `nobody ${'x'.repeat(200)}`, /^no card matches “nobody x{92}…”$/],
] as const)(
  'records what was typed for %s, without card numbers and not endlessly: %s',
  async (verb, typed, detail) => {
    const person = async () => ({
      name: 'Olga',
      email: null,
      isBot: false,
      isGuest: false,
      isExternal: false,
      isDeactivated: false,
    });
    const world = await createActionWorld(redis(), { directory: directoryOf({ find: async () => [] }), person });

    await performAction(ask(verb, { ...byCommand, target: { kind: 'words', words: typed.split(' ') } }), world.deps);

    const refused = (await world.records()).find(({ event }) => event === 'refused');
    expect(refused?.detail).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
  },
);

it.each(['show', 'declines', 'track'] as const)('audits viewing a card: %s', async (verb) => {
  const world = await createActionWorld(redis());

  await performAction(ask(verb, byCommand), world.deps);

  expect(await world.stations()).toEqual(['asked']);
  expect(world.answers).toHaveLength(1);
});

it('audits opening an alert, its details or a form once an hour per person and card', async () => {
  const world = await createActionWorld(redis());
  const seen = (what: string, id: string) =>
    performAction(ask('look', Object.assign({ ...byCommand, id }, { seen: what })), world.deps);

  await seen('details', 'act_1');
  await seen('details', 'act_2');
  await seen('alert', 'act_3');

  const records = [];
  for await (const { record } of world.deps.audit.read()) records.push(record);
  expect(records).toMatchObject([
    { verb: 'look', event: 'asked', detail: 'details', acctId },
    { verb: 'look', event: 'asked', detail: 'alert', acctId },
  ]);
});

it('audits which cards a person saw with “why”: each alert with its card and event, once an hour per card', async () => {
  const world = await createActionWorld(redis());
  const ref = { channel: 'C1', ts: '1700000000.000100' };
  const [first, second, third] = ['evt_0000000000000001', 'evt_0000000000000002', 'evt_0000000000000003'];
  const shown = [
    transactionAlert({ id: first, acctId: 7 }, { card: { ...card, acctId: 7, cardId: 71 } }),
    transactionAlert({ id: second, acctId: 8 }, { card: { ...card, acctId: 8, cardId: 81 } }),
    virtualAlert({ id: third, acctId: null, outcome: 'not_created' }, { card: noCard }),
  ];
  for (const alert of shown) {
    await world.deps.alerts.save(alert);
    const subject = { kind: 'alert', id: alert.event.id } as const;
    await world.deps.trackedMessages.add(ref, [{ subject, audience: 'team', threadId: null }]);
  }
  const why = (id: string, text: string) =>
    performAction(ask('why', { id, target: { kind: 'channel', text } }), world.deps);

  await why('act_1', first);
  await why('act_2', `${ref.channel} ${ref.ts}`);
  await why('act_2', `${ref.channel} ${ref.ts}`);
  await why('act_3', first);

  const looked = { verb: 'why', event: 'asked' };
  expect(await world.records()).toMatchObject([
    { ...looked, acctId: 7, cardId: 71, alertId: first },
    { ...looked, acctId: 8, cardId: 81, alertId: second },
    { ...looked, acctId: null, cardId: null, alertId: third },
  ]);
  expect(await world.records()).toHaveLength(3);
});

// A report of fraud is two writes: it announces its case, and then blocks the card.
it.each(askedActions.filter(([what]) => !what.includes('fraud')))(
  'nothing is recorded after the first message that changes or tells somebody: %s',
  async (_what, action, before) => {
    const world = await createActionWorld(redis());
    await before?.(world);
    const onRecord: number[] = [];
    const look = async (): Promise<void> => void onRecord.push((await world.stations()).length);
    const told = { updateAlert: look, updateRequest: look, updateTemporaryChange: look, updateClaim: look };
    const tells = { answer: look, notifyDirectly: look, announce: look, postToApprovals: look, postToOps: look };

    await performAction(action, { ...world.deps, ...told, ...tells });

    const all = (await world.stations()).length;
    expect(onRecord).toEqual(onRecord.map(() => all));
  },
);

const other = { userId: 'U0OTTO', teamId: 'T1' };
const again: readonly [string, Verb, Over, Over][] = [
  ['a repeated acknowledgment by someone else', 'acknowledge', {}, { actor: other }],
  ['a repeated recognition by someone else', 'recognize', {}, { actor: other }],
  [
    'linking a card that is already linked',
    'link',
    { ...byCommand, subject: 'U0HUGO' },
    { ...byCommand, subject: 'U0HUGO' },
  ],
];

it.each(again)('%s is audited like any other action', async (_what, verb, first, second) => {
  const person = async () => ({
    name: null,
    email: null,
    isBot: false,
    isGuest: false,
    isExternal: false,
    isDeactivated: false,
  });
  const world = await createActionWorld(redis(), { person });

  for (const asked of [ask(verb, first), ask(verb, { ...second, id: 'act_again' })]) {
    // Only the cardholder can say that a purchase was theirs.
    if (verb === 'recognize') await link(world, asked.actor.userId);
    await performAction(asked, world.deps);
  }

  expect(await world.stations()).toEqual(['done', 'unchanged']);
});

it('audits an unmute of something that is not muted', async () => {
  const world = await createActionWorld(redis());

  await performAction(ask('unmute', byCommand), world.deps);

  expect(await world.stations()).toEqual(['unchanged']);
});
