import type { ModalView } from '@slack/types';
import { expect, it } from 'vitest';
import { approveRemedy, fixSubscription, raiseLimit } from '../../../handlers/limits/raise-limit.ts';
import type { CardLimits } from '../../../src/card-api/spend-rules.ts';
import type { Remedy } from '../../../src/limits/remedy-change.ts';
import { limitGoal, limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { rulesOf } from '../../support/temporary-changes.ts';
import { declined } from '../../templates/fixtures.ts';

/** Submits the form of a decline. @param typed the amounts, by input. */
async function submit(
  remedy: Remedy | null,
  typed: Readonly<Record<string, string>> = {},
  rules: CardLimits | null = rulesOf({ daily: 40_000, weekly: 60_000 }),
) {
  const asked: unknown[] = [];
  const shown: unknown[] = [];
  const needs: unknown[] = [];
  const acked: unknown[] = [];
  const form = { kind: 'form', alertId: 'evt_1', channel: 'C1', messageTs: '1.1', remedy, rules, passes: false };
  const deps = {
    pending: { get: async () => form },
    today: () => '2026-11-20',
    async requestAction({
      verb,
      input,
    }: {
      verb: string;
      input: { changeRequest?: { shown?: unknown; alsoNeeds?: unknown } };
    }) {
      asked.push(verb);
      shown.push(input.changeRequest?.shown);
      needs.push(input.changeRequest?.alsoNeeds);
    },
  };
  const amounts = Object.entries(typed).map(([action, value]) => [`block-${action}`, { [action]: { value } }] as const);
  const values = {
    term: { term: { selected_option: { value: JSON.stringify({ kind: 'purchase' }) } } },
    reason: { reason: { value: 'team event' } },
    ...Object.fromEntries(amounts),
  };
  const args = {
    ack: async (answer?: { errors: unknown }) => void acked.push(answer?.errors),
    body: { view: { id: 'V1' }, user: { id: 'U0ANA' }, team: { id: 'T1' } },
    view: { private_metadata: 'p_1', state: { values } },
  };
  await raiseLimit(deps as unknown as Parameters<typeof raiseLimit>[0])(args as never);
  return {
    asked,
    errors: acked[0],
    ...(shown[0] !== undefined && { shown: shown[0] }),
    ...(needs[0] !== undefined && { alsoNeeds: needs[0] }),
  };
}

it('changes nothing before the card was read: the limit, or the number of the category, is not known', async () => {
  const allow = (id: number | null) => submit({ kind: 'allow_category', category: { id, name: 'Bars' } });
  const errors = { reason: 'The card is still being read. Wait a few seconds and submit again.' };

  expect(await submit(null, { amount: '450' })).toEqual({ asked: [], errors });
  expect(await allow(null)).toEqual({ asked: [], errors });
  expect(await allow(12)).toEqual({ asked: ['allow'], errors: undefined });
});

it('asks to unblock the card, and the worker knows whether it may work again', async () => {
  for (const remedy of [{ kind: 'unblock' }, { kind: 'unblock', hasFraudCase: true }] as const)
    expect(await submit(remedy)).toEqual({ asked: ['unblock'], errors: undefined });
});

const daily = limitRaise('daily', 40_000, 45_000);
const weekly = limitRaise('weekly', 60_000, 65_000);

it.each<[string, Remedy, Record<string, string>, string, RegExp]>([
  ['lower than now', remedyOf(daily, weekly), { daily: '', weekly: '500' }, 'weekly', /only raises limits/],
  ['above a longer one', remedyOf(daily, weekly), { daily: '', weekly: '300' }, 'weekly', /./],
  [
    'too low for the purchase, in a form that shows more limits than stopped it',
    remedyOf(daily),
    { daily: '410', weekly: '700' },
    'daily',
    /^Too low/,
  ],
])('an amount that is %s has its error next to it', async (_what, remedy, typed, at, why) => {
  const amounts = Object.fromEntries(Object.entries(typed).map(([period, text]) => [`amount:${period}`, text]));
  const { asked, errors } = await submit(remedy, amounts);

  expect(asked).toEqual([]);
  expect(errors).toEqual({ [`block-amount:${at}`]: expect.stringMatching(why) });
});

it('names the limit of a merchant category, and does not send people to a command that changes the card’s own', async () => {
  const restaurants = { id: 9, name: 'Restaurants' };
  const remedy = remedyOf(limitRaise('daily', 10_000, 13_410, { category: restaurants }));
  const limits = { daily: 10_000, weekly: null, monthly: null, yearly: null, lifetime: null };
  const rules = { ...rulesOf({}), categories: [{ ...restaurants, transactionLimitCents: null, limits }] };
  const errorOf = async (amount: string) => Object.values((await submit(remedy, { amount }, rules)).errors ?? {});

  expect(await errorOf('60')).toEqual([
    'The daily limit for Restaurants is $100.00 by now, and this form only raises limits. To lower it use the card program’s portal.',
  ]);
  expect(await errorOf('120')).toEqual([
    'Too low: this purchase needs at least $134.10. For any other limit use the card program’s portal.',
  ]);
});

it('says what it showed of each typed limit: by the card’s rules, or by the alert if these could not be read', async () => {
  const both = remedyOf(limitRaise('daily', 39_000, 45_000), weekly);
  const typed = { 'amount:daily': '500', 'amount:weekly': '' };

  expect(await submit(both, typed)).toMatchObject({ shown: [limitGoal('daily', 40_000)] });
  expect(await submit(both, typed, null)).toMatchObject({ shown: [limitGoal('daily', 39_000)] });
  expect(await submit({ kind: 'allow_international' })).not.toHaveProperty('shown');
});

it('says what else the purchase needed', async () => {
  const alsoNeeds = ['raise_limit'] as const;

  expect(await submit({ kind: 'allow_international', alsoNeeds })).toMatchObject({ alsoNeeds });
  expect(await submit({ kind: 'allow_international' })).not.toHaveProperty('alsoNeeds');
});

it.each([
  ['of an alert', approveRemedy, '1.1', undefined],
  ['of a warning, which stays as it is', fixSubscription, null, '2026-12-21'],
])('the form %s knows the message that shows its outcome', async (_what, listener, messageTs, initialDate) => {
  const forms: unknown[] = [];
  const views: ModalView[] = [];
  const deps = {
    alerts: { get: async () => declined('decline.rule.velocity', 'Transaction exceeded daily spend limit') },
    pending: { put: async (form: unknown) => `p_${forms.push(form)}` },
    seals: { reply: { seal: (url: string) => url } },
    today: () => '2026-11-20',
    openView: async (_trigger: string, view: ModalView) => {
      views.push(view);
      return { viewId: 'V1', hash: 'h' };
    },
    requestAction: async ({ input }: { input: () => Promise<unknown> }) => void (await input()),
  };
  const body = {
    actions: [{ value: 'evt_1' }],
    channel: { id: 'C1' },
    message: { ts: '1.1' },
    user: { id: 'U0ANA' },
    team: { id: 'T1' },
  };

  await listener(deps as unknown as Parameters<typeof listener>[0])({ ack: async () => {}, body } as never);

  const isSubscription = messageTs === null;
  expect(forms).toEqual([expect.objectContaining({ alertId: 'evt_1', channel: 'C1', messageTs, isSubscription })]);
  // It is charged again on another day, when a change for one purchase has ended.
  expect(JSON.stringify(views)).toContain(isSubscription ? `"initial_date":"${initialDate}"` : 'This purchase only');
});
