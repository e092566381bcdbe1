import { expect, it } from 'vitest';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { olga } = people;

/** A holder whose replacement card has arrived. */
function replacement() {
  const account = cardbell()
    .sandbox.accounts()
    .find(({ LastName }) => LastName === 'Thiel');
  const [old, fresh] = account?.CardList ?? [];
  if (account === undefined || old === undefined || fresh === undefined) throw new Error('the seed has no replacement');
  return { account, old, fresh };
}

it('asks first before activating a card that closes another, names that card, and changes nothing yet', async () => {
  const { account, old, fresh } = replacement();
  const { command, waitTold, writes } = cardbell();

  await command(olga, `activate ${holderOf(account)}`);
  const question = await waitTold(olga, /for good/);

  expect(question.text).toContain(fresh.Last4CardNumber);
  expect(JSON.stringify(question.blocks)).toContain(old.Last4CardNumber);
  expect(JSON.stringify(question.blocks)).toContain('activate_card');
  expect(writes()).toHaveLength(0);
});

it('nobody else can confirm for the requester', async () => {
  const { workspace, waitTold, writes } = cardbell();
  const question = await waitTold(olga, /for good/);
  const value = /(?<=")p_[\w-]+(?=")/.exec(JSON.stringify(question.blocks))?.[0] ?? '';
  expect(value).not.toBe('');
  // Only the requester sees the question, but a forged click must be refused too.
  const forged = { ...question, ephemeralUser: people.ana };

  await workspace.press({ user: people.ana, message: forged, actionId: 'activate_card', value, stale: true });
  await waitTold(people.ana, /Somebody else asked this/);
  await quiet(cardbell());

  expect(writes()).toHaveLength(0);
});

it('activates once when confirmed twice, and the answer replaces the question', async () => {
  const { account, old, fresh } = replacement();
  const { press, waitTold, waitFor, now, writes } = cardbell();
  const question = await waitTold(olga, /for good/);

  await Promise.all([press(olga, question, 'activate_card'), press(olga, question, 'activate_card')]);
  await until(() => now(question).text.startsWith('Activated'), 'the answer replaces the question');
  await quiet(cardbell());

  const path = `/Card/Activate/${account.AcctId}/${fresh.CardId}`;
  expect(writes().map((call) => call.path)).toEqual([path]);
  const statuses = cardbell()
    .account(account.AcctId)
    .CardList.map(({ CardId, CardStatus }) => [CardId, CardStatus]);
  expect(statuses).toEqual([
    [old.CardId, 'CLOSED'],
    [fresh.CardId, 'ACTIVE'],
  ]);
  const closes = `Closed for good by this: card ${old.Last4CardNumber}.`;
  expect(now(question).text).toContain(closes);
  const alert = await waitFor(channels.status, new RegExp(`card ${old.Last4CardNumber}.* closed`));
  expect(alert.text).toContain(`Changed by <@${olga}> in Cardbell`);
});
