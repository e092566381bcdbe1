import { expect, it } from 'vitest';
import { limitCard } from '../../../handlers/limits/limit-card.ts';
import { parseCommand, parseTerm } from '../../../src/dispatch/command.ts';
import { clock } from '../../support/clock.ts';

const HOUR = 3_600_000;

/** Submits *Change a limit*. */
async function submit(amount: string, duration: string) {
  const asked: unknown[] = [];
  const acked: ({ errors?: Readonly<Record<string, string>> } | undefined)[] = [];
  const origin = { kind: 'command', channel: 'C1', messageTs: null, reply: null, replace: false };
  const choice = { verb: 'limit', target: { kind: 'card', acctId: 1, cardId: 1, alertId: null }, reason: '', origin };
  const deps = {
    readCommand: (text: string) => parseCommand(text, clock),
    readTerm: (text: string) => parseTerm(text, clock),
    pending: {
      get: async () => ({ kind: 'choice', choice: { ...choice, actor: { userId: 'U1', teamId: 'T1' }, input: {} } }),
    },
    requestAction: async (action: unknown) => void asked.push(action),
    seals: { reply: { open: () => null } },
  };
  const values = {
    period: { period: { selected_option: { value: 'daily' } } },
    amount: { amount: { value: amount } },
    duration: { duration: { value: duration } },
    reason: { reason: { value: 'trade show' } },
  };
  const args = {
    ack: async (answer?: { errors?: Readonly<Record<string, string>> }) => void acked.push(answer),
    body: { user: { id: 'U1' } },
    view: { id: 'V1', private_metadata: 'p_1', state: { values } },
  };
  await limitCard(deps as unknown as Parameters<typeof limitCard>[0])(args as never);
  return { asked, errors: acked[0]?.errors };
}

it.each([
  ['180 days', { kind: 'duration', ms: 180 * 24 * HOUR }],
  ['120 min', { kind: 'duration', ms: 2 * HOUR }],
  ['for 365 days', { kind: 'duration', ms: 365 * 24 * HOUR }],
  ['4h', { kind: 'duration', ms: 4 * HOUR }],
  ['permanently', { kind: 'permanent' }],
])('changes the limit for “%s”', async (duration, term) => {
  for (const [amount, to] of [
    ['450', 45_000],
    ['$1,250.50', 125_050],
    ['$ 450', 45_000],
    ['450 usd', 45_000],
    ['none', null],
    ['no limit', null],
  ] as const) {
    const { asked, errors } = await submit(amount, duration);

    expect(errors).toBeUndefined();
    expect(asked).toMatchObject([{ input: { changeRequest: { goals: [{ to }], term } }, reason: 'trade show' }]);
  }
});

it.each([
  ['400 days', /longer than a year/],
  ['until Nov 18', /has passed. If you mean 2027, write the year/],
  ['next month', /^Write how long: 4h, 2 days/],
  ['until friday', /^Today is Friday/],
  ['until thursday $450 dinner', /^Write how long: 4h, 2 days/],
  ['450', /^Write how long: 4h, 2 days/],
  ['for the team', /^Write how long: 4h, 2 days/],
  ['', /^Write how long: 4h, 2 days/],
  ['none', /^Write how long: 4h, 2 days/],
  ['once', /^Write how long: 4h, 2 days/],
  ['4h team lunch', /^Write how long: 4h, 2 days/],
  ['1½ hours', /^Write how long: 4h, 2 days/],
  // What to do in a command would not help here.
  ['until monday morning', /^Write how long: 4h, 2 days/],
  ['for now', /^Write how long: 4h, 2 days/],
])('says at the duration “%s” what is wrong with it', async (duration, why) => {
  expect(await submit('450', duration)).toEqual({ asked: [], errors: { duration: expect.stringMatching(why) } });
});

it.each([
  'weekend',
  'week',
  'days',
  'month',
  'night',
  'hours',
  'h',
  'min',
  'extra day',
  'more than a week',
  'in 2 days',
])('names no amount in its question about “%s”', async (duration) => {
  const errors = { duration: expect.stringMatching(/^(Write how long: 4h|“in 2 days” is)/) };
  expect(await submit('450', duration)).toEqual({ asked: [], errors });
});

it.each([
  '84 10',
  '9 99',
  '450 500',
  '1 000',
  '$ 84 10',
  '450 team lunch',
  '450 for 2 days',
  'weekly 450',
  '450 monthly',
])('asks for one amount where two numbers or other words were typed: “%s”', async (amount) => {
  const errors = { amount: 'Write dollars such as 450, 1,250.50 or 1k, or none.' };
  expect(await submit(amount, '4h')).toEqual({ asked: [], errors });
});
