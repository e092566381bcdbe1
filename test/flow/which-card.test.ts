import { describe, expect, it } from 'vitest';
import { directoryReads } from '../support/directory-reads.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, ana } = people;

describe('a word that means more than one card', () => {
  it('gets a question with a button per card, and the choice replaces the question', async () => {
    const { command, waitTold, press, now, sandbox } = cardbell();
    const [alice, bruno] = sandbox.accounts().filter(({ CardList }) => CardList[0]?.Last4CardNumber === '4821');
    if (alice === undefined || bruno === undefined) throw new Error('the seed has no ambiguous card');
    await command(olga, 'block 4821 stolen');
    const question = await waitTold(olga, /2 cards match/);
    const values = JSON.stringify(question.blocks).match(/(?<=")p_[\w-]+(?=")/g) ?? [];
    expect(JSON.stringify(question.blocks)).not.toContain('stolen');

    await Promise.all([
      press(olga, question, 'choose_card', values[0]),
      press(olga, question, 'choose_card', values[0]),
      // The other button of the same question: only the first press counts.
      press(olga, question, 'choose_card', values[1]),
    ]);
    await until(() => now(question).text.startsWith('Blocked'), 'the question is replaced by the answer');
    await quiet(cardbell());

    const blocked = sandbox.accounts().filter(({ CardList }) => CardList[0]?.Last4CardNumber === '4821');
    expect(blocked.map(({ CardList }) => CardList[0]?.CardStatus).toSorted()).toEqual(['ACTIVE', 'BLOCKED']);
    expect(JSON.stringify(now(question).blocks)).not.toContain('choose_card');
    expect(JSON.stringify(now(question).blocks)).toContain('stolen');
    expect(cardbell().writes()).toHaveLength(1);
  });

  it('matches a holder by several words of a name; the rest is the reason', async () => {
    const { take, command, waitTold } = cardbell();
    const card = take('ACTIVE', ({ FirstName }) => FirstName === 'Grace');

    await command(olga, 'block Grace Whitfield lost it on the train');
    const message = await waitTold(olga, new RegExp(`^Blocked: ${holderOf(card)}`));

    expect(JSON.stringify(message.blocks)).toContain('Reason: lost it on the train');
  });

  it('is shown at once, but not changed without a question, if only the name’s beginning is typed', async () => {
    const { take, command, waitTold, press, now, writes } = cardbell();
    const card = take('ACTIVE', ({ LastName }) => LastName.length > 4);
    const begun = `${card.FirstName} ${card.LastName.slice(0, -1)}`;
    const before = writes().length;
    await command(olga, `show ${begun}`);
    await waitTold(olga, new RegExp(`${holderOf(card)}.*is active`));

    await command(olga, `block ${begun} lost`);
    const question = await waitTold(olga, /^One card matches .*Is it the one you want to block\?/);
    expect(writes()).toHaveLength(before);
    await press(olga, question, 'choose_card', JSON.stringify(question.blocks).match(/(?<=")p_[\w-]+(?=")/)?.[0]);

    await until(() => now(question).text.startsWith(`Blocked: ${holderOf(card)}`), 'the card is blocked');
    expect(JSON.stringify(now(question).blocks)).toContain('Reason: lost');
  });

  it.each([
    ['a CustomId', (one: { CustomId: string | null }) => one.CustomId ?? ''],
    ['an account id', (one: { AcctId: number }) => String(one.AcctId)],
    ['a card id', (one: { CardList: readonly { CardId: number }[] }) => String(one.CardList[0]?.CardId)],
    [
      'last four with dots',
      (one: { CardList: readonly { Last4CardNumber: string }[] }) => `••${one.CardList[0]?.Last4CardNumber}`,
    ],
    ['a name in lower case', (one: { LastName: string }) => one.LastName.toLowerCase()],
  ])('%s names a card', async (_what, wordOf) => {
    const { take, command, waitTold } = cardbell();
    const card = take('ACTIVE', ({ CustomId }) => CustomId !== null && CustomId !== '');

    await command(olga, `show ${wordOf(card)}`);

    await waitTold(olga, new RegExp(`${holderOf(card)}.*is active`));
  });
});

it('a person means the card linked to them', async () => {
  const { take, command, waitTold, writes } = cardbell();
  const card = take('ACTIVE', ({ FirstName }) => FirstName !== 'Hugo');
  await command(olga, 'block @hugo lost');
  await waitTold(olga, /No card is linked to this person/);
  const before = writes().length;

  await command(ana, `link ${last4Of(card)} @hugo`);
  await waitTold(ana, /^Linked: /);
  await command(olga, 'block @hugo lost');

  const message = await waitTold(olga, new RegExp(`^Blocked: ${holderOf(card)}`));
  expect(JSON.stringify(message.blocks)).toContain('Reason: lost');
  expect(writes()).toHaveLength(before + 1);
});

/** Orders a card, and waits until the directory has read it. */
async function ordered(holder: { FirstName: string; LastName: string; CustomId: string }): Promise<void> {
  await directoryReads(cardbell(), cardbell().sandbox.createOrder(holder).AcctId);
}

describe('a CustomId', () => {
  const words = 'EMP 7 / North Wing, Building 4 West, 2nd Floor';

  it('of several words is found, and the remaining words are the reason', async () => {
    const { command, waitTold } = cardbell();
    await ordered({ FirstName: 'Wes', LastName: 'Northwing', CustomId: words });

    await command(olga, `block ${words.toLowerCase()} lost on train`);
    const message = await waitTold(olga, /^Blocked: Wes Northwing/);

    expect(JSON.stringify(message.blocks)).toContain('Reason: lost on train');
  });

  it('that could be a security code is shown as it is, and found again after the webhook of a block', async () => {
    const { command, waitTold } = cardbell();
    await ordered({ FirstName: 'Cora', LastName: 'Coded', CustomId: 'CID 1001' });
    await command(olga, 'block CID 1001 lost');
    await waitTold(olga, /^Blocked: Cora Coded/);
    await quiet(cardbell());

    await command(ana, 'unblock CID 1001 found');

    await waitTold(ana, /^Unblocked: Cora Coded/);
    expect(Object.values(channels).flatMap(cardbell().texts).join()).not.toContain('[removed]');
  });

  it('that looks like a card number is found but displayed nowhere', async () => {
    const { command, waitTold, logs } = cardbell();
    const number = '5555555555554444';
    await ordered({ FirstName: 'Nora', LastName: 'Numbered', CustomId: number });

    await command(olga, `show ${number}`);
    const message = await waitTold(olga, /Nora Numbered/);

    expect(`${message.text} ${JSON.stringify(message.blocks)}`).not.toContain(number);
    expect([...Object.values(channels).flatMap(cardbell().texts), ...logs()].join()).not.toContain(number);
  });
});

describe('a card that cannot be acted on', () => {
  it('is reported as unknown if it does not exist', async () => {
    await cardbell().command(olga, 'block zzyzx');

    await cardbell().waitTold(olga, /No card matches “zzyzx”/);
  });

  it('stays closed if it is closed, and the answer says that this is final', async () => {
    const { take, command, waitTold } = cardbell();
    const card = take('CLOSED');
    const before = cardbell().writes().length;

    await command(ana, `unblock ${card.AcctId}`);
    const message = await waitTold(ana, /closed/);

    expect(JSON.stringify(message.blocks)).toMatch(/final/);
    expect(cardbell().writes()).toHaveLength(before);
  });

  it.each([
    ['unblock', 'INACTIVE', /never activated/],
    ['activate', 'BLOCKED', /blocked, not new/],
    ['activate', 'ACTIVE', /active already/],
    ['unblock', 'ACTIVE', /active already/],
  ])('%s of a card that is %s changes nothing and says why', async (verb, status, words) => {
    const { take, command, waitTold } = cardbell();
    const card = take(status);
    const before = cardbell().writes().length;
    const since = Date.now() / 1000;

    await command(ana, `${verb} ${card.AcctId}`);
    const message = await waitTold(ana, words, since);

    expect(message.text).toContain('Nothing changed');
    expect(cardbell().writes()).toHaveLength(before);
  });
});

describe('a typed card number', () => {
  const numbers = [
    '4242424242424242',
    '4242 4242 4242 4242',
    '4242-4242-4242-4242',
    '4242  4242\t4242  4242',
    '４２４２ ４２４２ ４２４２ ４２４２',
  ];

  it.each(numbers)('“%s” is neither echoed nor stored', async (number) => {
    const { command, waitTold, store, logs } = cardbell();
    const since = Date.now() / 1000;

    await command(olga, `block ${number} 4242424242424242`);
    await waitTold(olga, /No card matches|Not done/, since);
    await quiet(cardbell());

    const digits = (text: string): string => text.normalize('NFKC').replaceAll(/[^\d]/g, '');
    for (const text of [...cardbell().told(olga), ...Object.values(channels).flatMap(cardbell().texts), ...logs()])
      expect(digits(text)).not.toContain('4242424242424242');
    for (const key of await store.keys('*')) expect(digits(key)).not.toContain('4242424242424242');
  });
});
