import { expect, it } from 'vitest';
import { people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, holderOf, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({ pace: atOnce });
const { olga } = people;

/** The holder whose replacement card has arrived. */
function replacement() {
  const account = cardbell()
    .sandbox.accounts()
    .find(({ LastName }) => LastName === 'Thiel');
  const [old, fresh] = account?.CardList ?? [];
  if (account === undefined || old === undefined || fresh === undefined) throw new Error('the seed has no replacement');
  return { account, old, fresh };
}

it('activating a card that ends another one asks first, names it, and changes nothing', async () => {
  const { account, old, fresh } = replacement();
  const { command, waitTold, writes } = cardbell();

  await command(olga, `activate ${holderOf(account)}`);
  const question = await waitTold(olga, /for good/);

  expect(question.text).toContain(fresh.Last4CardNumber);
  expect(JSON.stringify(question.blocks)).toContain(old.Last4CardNumber);
  expect(JSON.stringify(question.blocks)).toContain('activate_card');
  expect(writes()).toHaveLength(0);
});

it('nobody else can confirm for the person who asked', async () => {
  const { workspace, waitTold, writes } = cardbell();
  const question = await waitTold(olga, /for good/);
  const value = /p_[\w-]+/.exec(JSON.stringify(question.blocks))?.[0] ?? '';
  expect(value).not.toBe('');
  // Only the person who asked sees the question; a forged click is refused all the same.
  const forged = { ...question, ephemeralUser: people.ana };

  await workspace
    .press({ user: people.ana, message: forged, actionId: 'activate_card', value, stale: true })
    .catch(() => {});
  await quiet(cardbell());

  expect(writes()).toHaveLength(0);
});

it('confirming twice activates once, and the answer replaces the question', async () => {
  const { account, old, fresh } = replacement();
  const { press, waitTold, now, writes } = cardbell();
  const question = await waitTold(olga, /for good/);

  await Promise.all([press(olga, question, 'activate_card'), press(olga, question, 'activate_card')]);
  await until(() => now(question).text.startsWith('Activated'), 'the answer replaces the question');

  const path = `/Card/Activate/${account.AcctId}/${fresh.CardId}`;
  expect(writes().map((call) => call.path)).toEqual([path]);
  const statuses = cardbell()
    .account(account.AcctId)
    .CardList.map(({ CardId, CardStatus }) => [CardId, CardStatus]);
  expect(statuses).toEqual([
    [old.CardId, 'CLOSED'],
    [fresh.CardId, 'ACTIVE'],
  ]);
});
