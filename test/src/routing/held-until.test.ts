import { expect, it } from 'vitest';
import { CardTestingAlert, FraudCaseAlert } from '../../../src/alerts/alert.ts';
import { SlackError } from '../../../src/core/errors.ts';
import { createHeldUntil, createPostAfterQuiet, createQuietLeft } from '../../../src/routing/held-until.ts';
import { declined, transactionAlert } from '../../templates/fixtures.ts';

const window = { from: '12:00', to: '18:00', zone: 'UTC', days: [0, 1, 2, 3, 4, 5, 6] };
const hours = { channel: 'C1', window, except: null, by: 'U0ANA', at: '' };
const alerts = { get: async () => transactionAlert() };

it.each([
  ['within its quiet hours', hours, '15:00', '18:00'],
  ['outside its quiet hours', hours, '19:00', null],
  ['within its quiet hours, with declines exempt', { ...hours, except: 'declines' }, '15:00', null],
  ['without quiet hours', null, '15:00', null],
])('a channel %s', async (_what, set, at, until) => {
  const now = () => new Date(`2026-11-20T${at}:00Z`);
  const heldUntil = createHeldUntil({ quietHours: { get: async () => set }, alerts, now });

  expect(await heldUntil('C1', 'evt_1')).toBe(until === null ? null : Date.parse(`2026-11-20T${until}:00Z`));
});

it('does not hold an alert that is too old', async () => {
  const now = () => new Date('2026-11-20T15:00:00Z');
  const heldUntil = createHeldUntil({ quietHours: { get: async () => hours }, alerts: { get: async () => null }, now });

  expect(await heldUntil('C1', 'evt_1')).toBeNull();
});

it('holds a message about no alert, whatever is exempt', async () => {
  const get = async () => ({ ...hours, except: 'declines' });
  const now = () => new Date('2026-11-20T15:00:00Z');

  expect(await createHeldUntil({ quietHours: { get }, alerts, now })('D1', null)).toBe(
    Date.parse('2026-11-20T18:00:00Z'),
  );
});

it.each([
  ['exempt nothing', null, '18:00'],
  ['may exempt some of them', 'declines over 500', null],
])(
  'holds a message of several alerts only if the quiet hours exempt nothing: they %s',
  async (_what, except, until) => {
    const get = async () => ({ ...hours, except });
    const now = () => new Date('2026-11-20T15:00:00Z');

    expect(await createHeldUntil({ quietHours: { get }, alerts, now })('C1', null, true)).toBe(
      until === null ? null : Date.parse(`2026-11-20T${until}:00Z`),
    );
  },
);

it('does not hold suspected fraud for the holder, only for a channel', async () => {
  const now = () => new Date('2026-11-20T15:00:00Z');
  const suspected = { get: async () => declined('decline.card.pin', 'Invalid PIN') };
  const heldUntil = createHeldUntil({ quietHours: { get: async () => hours }, alerts: suspected, now });

  expect(await heldUntil('D1', 'evt_1')).toBeNull();
  expect(await heldUntil('C1', 'evt_1')).not.toBeNull();
});

it('does not hold a fraud case or a warning of card testing in a channel either', async () => {
  const { event, card } = declined('decline', 'Do not honor');
  const about = { event, card, outcomes: [], late: false };
  const reported = { by: 'U0HUGO', at: '2026-11-20T15:00:00.000Z' };
  const now = () => new Date('2026-11-20T15:00:00Z');
  for (const alert of [
    CardTestingAlert.parse({ kind: 'card-testing', ...about, tried: [] }),
    FraudCaseAlert.parse({ kind: 'fraud-case', ...about, alertId: event.id, reported, operators: [], purchases: null }),
  ]) {
    const deps = { quietHours: { get: async () => hours }, alerts: { get: async () => alert }, now };
    expect(await createHeldUntil(deps)('C1', event.id), alert.kind).toBeNull();
  }
});

it.each([
  ['a channel for a quarter of an hour at most, because they may be changed', 'C1', '15:00', 15],
  ['a channel until they end', 'C1', '17:50', 10],
  ['a channel not at all after them', 'C1', '18:00', 0],
  ['a person', 'U1', '17:50', 10],
  ['nobody whose conversation Slack does not name', 'U2', '17:50', 0],
])('keep waiting what is true only for a while: %s', async (_who, to, at, minutes) => {
  const now = () => new Date(`2026-11-20T${at}:00Z`);
  const deps = {
    heldUntil: createHeldUntil({ quietHours: { get: async () => hours }, alerts, now }),
    async directChannel(userId: string) {
      if (userId === 'U2') throw new SlackError('conversations.open', 'unknown', 'request_timeout');
      return 'D1';
    },
    now,
  };

  expect(await createQuietLeft(deps)(to)).toBe(minutes * 60_000);
  if (at === '15:00') expect(await createQuietLeft(deps, Infinity)(to)).toBe(180 * 60_000);
});

it('a notice that nobody waits for, such as the end of a mute, is posted after the quiet hours of its channel', async () => {
  const posted: unknown[] = [];
  const postAfterQuiet = createPostAfterQuiet({
    heldUntil: createHeldUntil({
      quietHours: { get: async (channel) => (channel === 'C1' ? hours : null) },
      alerts: { get: async () => null },
      now: () => new Date('2026-11-20T15:00:00Z'),
    }),
    postNotice: async (channel, id, _message, priority, notBefore) =>
      void posted.push([channel, id, priority, notBefore]),
  });

  for (const channel of ['C1', 'C2']) await postAfterQuiet(channel, 'n1', { text: 'The mute has ended.', blocks: [] });

  expect(posted).toEqual([
    ['C1', 'n1', 'record', Date.parse('2026-11-20T18:00:00Z')],
    ['C2', 'n1', 'record', null],
  ]);
});
