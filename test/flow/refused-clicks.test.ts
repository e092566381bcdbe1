import { beforeAll, beforeEach, expect, it } from 'vitest';
import { choiceOf } from '../../src/actions/action.ts';
import { createSigner } from '../../src/core/sign.ts';
import { createPending } from '../../src/dispatch/pending-form-store.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { openedForm } from '../support/opened-form.ts';
import { channels, people, secrets } from '../support/people.ts';
import { ask } from '../support/perform-world.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, gus, ana, otto } = people;
let alert: StoredMessage;

/** Refusals of one person within a minute are recorded together. This makes the next one the first again. */
beforeEach(async () => {
  for (const user of [olga, gus, ana, otto]) await cardbell().store.del(`{cardbell:state}:refused-first:${user}`);
});

beforeAll(async () => {
  const card = cardbell().take('ACTIVE');
  await cardbell().deliver(sampleWebhook('decline.rule.velocity', { AcctId: card.AcctId }));
  alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
});

/** A control in an old message whose value has expired. */
const old = (element: object): StoredMessage => ({
  ...alert,
  blocks: [{ type: 'actions', block_id: 'b1', elements: [element] }] as unknown as NonNullable<StoredMessage['blocks']>,
});
const button = (action: string, value: string) =>
  old({ type: 'button', action_id: action, value, text: { type: 'plain_text', text: 'Old' } });

async function refusals(user: string) {
  const chain = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
  return chain
    .map((line) => JSON.parse(line).record)
    .filter(({ event, actor }) => event === 'refused' && actor.userId === user);
}

const clicks: readonly [string, string, string, string, RegExp, help?: string][] = [
  [
    'the form of an alert that is gone',
    ana,
    'approve_remedy',
    'evt_gone',
    /This alert is too old/,
    'Use `/card show` with the card’s last four digits, or type `/card` to pick the card.',
  ],
  [
    'a button of App Home from before the bot token was replaced',
    otto,
    'home_ask',
    'sealed_before',
    /This button no longer works/,
    'Open the Home tab and use the one there.',
  ],
  ['the form of a request that is gone', ana, 'change_request', 'req_gone', /This request is too old/],
  ['an override of a request that is gone', olga, 'break_glass', 'req_gone', /This request is too old/],
  ['all cards of a warning that is gone', olga, 'block_tested_cards', 'evt_gone', /This warning is too old/],
  ['an answer to a question that is gone', olga, 'choose_card', 'p_gone', /This button is more than 30 minutes old/],
  ['a form opened by someone without permission', otto, 'approve_remedy', 'evt_gone', /not permitted|Only approvers/],
];

it.each(clicks)('%s is refused, and the reason is on record', async (_what, user, action, value, why, help = '') => {
  const before = (await refusals(user)).length;
  const since = Date.now() / 1000;

  await cardbell().workspace.press({ user, message: button(action, value), actionId: action, stale: true });
  const answer = await cardbell().waitTold(user, why, since);
  await until(async () => (await refusals(user)).length > before, 'it is on record');

  expect(answer.text).toContain(help);
  expect(answer.text).toContain('Nothing changed');
  expect((await refusals(user)).slice(before)).toEqual([
    expect.objectContaining({
      detail: expect.stringMatching(why),
      policy: expect.objectContaining({ version: expect.stringMatching(/^pol_/) }),
    }),
  ]);
});

it('refuses to open an alert that no longer exists from a list, and the refusal is on record', async () => {
  const since = Date.now() / 1000;
  const option = { text: { type: 'plain_text', text: 'Old' }, value: 'evt_gone' };
  const message = old({ type: 'static_select', action_id: 'open_alert', options: [option] });

  await cardbell().workspace.select({ user: otto, message, actionId: 'open_alert', value: 'evt_gone', stale: true });
  await cardbell().waitTold(otto, /This alert is more than 30 days old/, since);

  await until(async () => (await refusals(otto)).some(({ verb }) => verb === 'look'), 'it is on record');
});

it('nobody can continue what another person started', async () => {
  const since = Date.now() / 1000;
  const asked = ask('block', {
    actor: { userId: gus, teamId: 'T1' },
    target: { kind: 'card', acctId: 7, cardId: 8, alertId: null },
  });
  const value = await createPending(cardbell().store, createSigner(secrets.botToken, 'control')).put({
    kind: 'choice',
    choice: choiceOf(asked),
    questionId: null,
  });

  const message = button('choose_card', value);
  await cardbell().workspace.press({ user: olga, message, actionId: 'choose_card', stale: true });
  await cardbell().waitTold(olga, /Somebody else asked this/, since);

  await until(async () => (await refusals(olga)).some(({ acctId }) => acctId === 7), 'it is on record, with the card');
  expect(cardbell().writes()).toEqual([]);
});

it('a click on an expired picker button is on record', async () => {
  const card = cardbell().take('ACTIVE');
  const { id: viewId } = await openedForm(cardbell(), gus, () => cardbell().command(gus, ''));
  const top = () => cardbell().workspace.views.top(gus);
  const [option] = (await cardbell().workspace.suggest({
    user: gus,
    viewId,
    actionId: 'pick_card',
    value: last4Of(card),
  })) as {
    value: string;
  }[];
  await cardbell().workspace.select({ user: gus, viewId, actionId: 'pick_card', value: option?.value });
  await until(() => JSON.stringify(top()?.blocks).includes('picked_block'), 'the card is shown');
  const waiting = await cardbell().store.keys('{cardbell:state}:pending:*');
  await cardbell().store.del(...waiting);

  await cardbell().workspace.press({ user: gus, viewId, actionId: 'picked_block' });

  await until(
    async () => (await refusals(gus)).some(({ detail }) => /open for more than 30/.test(detail)),
    'on record',
  );
  expect(cardbell().writes()).toEqual([]);
});
