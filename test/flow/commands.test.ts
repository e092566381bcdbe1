import { describe, expect, it } from 'vitest';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, last4Of, useCardbell } from '../support/running-cardbell.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, ana } = people;

describe('each command', () => {
  it('help lists every verb for everybody', async () => {
    const { command, waitTold } = cardbell();

    await command(people.otto, 'help');
    const message = await waitTold(people.otto, /What you can ask/);

    for (const verb of ['help', 'show', 'activate', 'block', 'unblock', 'limit'])
      expect(JSON.stringify(message.blocks)).toContain(`/card ${verb}`);
  });

  it('show answers only the person who asked', async () => {
    const { take, command, waitTold, sandbox } = cardbell();
    const account = take('ACTIVE');
    const writes = cardbell().writes().length;

    await command(olga, `show ${last4Of(account)}`);
    const message = await waitTold(olga, new RegExp(`${holderOf(account)}.*active`));

    expect(JSON.stringify(message.blocks)).toMatch(/Limits.*Recent declines/s);
    expect(cardbell().writes()).toHaveLength(writes);
    expect(Object.values(channels).flatMap(cardbell().texts).join()).not.toContain(holderOf(account));
    expect(sandbox.calls.length).toBeGreaterThan(0);
  });

  it.each([
    ['/card', 'block '],
    ['/card-block', ''],
  ])('%s blocks the card and says who did it', async (slash, verb) => {
    const { take, command, waitTold, waitFor, account } = cardbell();
    const { AcctId, ...card } = take('ACTIVE');
    const path = `/Card/Status/${AcctId}`;

    await command(olga, `${verb}${last4Of({ AcctId, ...card })} lost on the train`, slash);
    const message = await waitTold(olga, new RegExp(`^Blocked: ${holderOf({ AcctId, ...card })}`));
    const line = await waitFor(channels.audit, new RegExp(`blocked ${holderOf({ AcctId, ...card })}`));

    expect(JSON.stringify(message.blocks)).toContain(`<@${olga}>`);
    expect(line.text).toContain('lost on the train');
    expect(account(AcctId).CardList[0]?.CardStatus).toBe('BLOCKED');
    const writes = cardbell()
      .writes()
      .filter((call) => call.path === path);
    expect(writes).toEqual([{ method: 'PUT', path, body: { Status: 'Blocked' }, status: 200 }]);
  });

  it('unblock makes the card usable again', async () => {
    const { take, command, waitTold, account } = cardbell();
    const card = take('BLOCKED');

    await command(ana, `unblock ${last4Of(card)} found again`);
    await waitTold(ana, new RegExp(`^Unblocked: ${holderOf(card)}`));

    expect(account(card.AcctId).CardList[0]?.CardStatus).toBe('ACTIVE');
    expect(cardbell().writes().at(-1)?.body).toEqual({ Status: 'Active' });
  });

  it.each([
    ['/card', 'activate '],
    ['/card-activate', ''],
  ])('%s activates a new card', async (slash, verb) => {
    const { take, command, waitTold, account } = cardbell();
    const card = take('INACTIVE');
    const path = `/Card/Activate/${card.AcctId}/${card.CardList[0]?.CardId}`;

    await command(olga, `${verb}${holderOf(card)}`, slash);
    await waitTold(olga, new RegExp(`^Activated: ${holderOf(card)}`));

    expect(account(card.AcctId).CardList[0]?.CardStatus).toBe('ACTIVE');
    expect(
      cardbell()
        .writes()
        .filter((call) => call.path === path),
    ).toHaveLength(1);
  });

  it.each([
    ['/card', 'limit '],
    ['/card-limit', ''],
  ])('%s changes one limit and writes everything else back unchanged', async (slash, verb) => {
    const { take, command, waitTold, account } = cardbell();
    const card = take('ACTIVE');

    await command(ana, `${verb}${last4Of(card)} weekly $450.50 team lunch`, slash);
    await waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}.*\\$450\\.50`));

    expect(account(card.AcctId).SpendRules).toEqual({ ...card.SpendRules, WeeklySpendLimit: 450.5 });
    const written = cardbell().writes().at(-1)?.body as Record<string, unknown>;
    expect(Object.keys(written)).toEqual(expect.arrayContaining(Object.keys(card.SpendRules)));
  });

  it.each(['daily', 'weekly', 'monthly', 'yearly', 'lifetime'])(
    'limit sets a %s limit, and “none” asks to remove it',
    async (period) => {
      const { take, command, waitTold, account } = cardbell();
      const card = take('ACTIVE', (one) => one.SpendRules.LifetimeSpendLimit === null);
      const field = `${period[0]?.toUpperCase()}${period.slice(1)}SpendLimit` as 'DailySpendLimit';

      await command(ana, `limit ${card.AcctId} ${period} 300`);
      const first = await waitTold(ana, new RegExp(`${holderOf(card)}.*${period} limit .*→ \\$300\\.00`, 'i'));
      expect(account(card.AcctId).SpendRules[field]).toBe(300);

      // Removing a limit is an unlimited raise and needs two people, so nothing changes yet.
      await command(ana, `limit ${card.AcctId} ${period} none`);
      await waitTold(ana, /second approver/, Number(first.ts));
      expect(account(card.AcctId).SpendRules[field]).toBe(300);
    },
  );
});

describe('repeated and invalid commands', () => {
  it('change the card once when sent twice, and the second answer says that there is nothing to do', async () => {
    const { take, command, waitTold } = cardbell();
    const card = take('ACTIVE');
    const before = cardbell().writes().length;

    await Promise.all([command(olga, `block ${card.AcctId}`), command(olga, `block ${card.AcctId}`)]);
    await waitTold(olga, new RegExp(`^Blocked: ${holderOf(card)}`));
    await waitTold(olga, new RegExp(`^Nothing changed: ${holderOf(card)}`));

    expect(cardbell().writes()).toHaveLength(before + 1);
  });

  it.each([
    ['frobnicate', /I don’t know “frobnicate”/],
    ['block', /Which card/],
    ['limit 5072 hourly 30', /which limit/i],
    ['limit 5072 daily lots', /not an amount/],
    ['limit 5072 daily -5', /not an amount/],
    ['limit 5072 daily 40 for 9 lightyears', /not a time I can read/],
  ])('“%s” gets a question, never a guess', async (text, words) => {
    const before = cardbell().writes().length;

    await cardbell().command(ana, text);
    await cardbell().waitTold(ana, words);
    await quiet(cardbell());

    expect(cardbell().writes()).toHaveLength(before);
  });

  it('are acknowledged before the card API answers, and the result follows', async () => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take('ACTIVE');
    const hangsMs = 2500;
    sandbox.faults.add({ path: /\/Card\/Status/, kind: 'hang', ms: hangsMs });

    const delivery = await command(olga, `block ${card.AcctId}`);
    expect(delivery.status).toBe(200);
    expect(delivery.ms).toBeLessThan(hangsMs);
    expect(cardbell().account(card.AcctId).CardList[0]?.CardStatus).toBe('ACTIVE');
    await waitTold(olga, new RegExp(`^Blocked: ${holderOf(card)}`));

    expect(cardbell().account(card.AcctId).CardList[0]?.CardStatus).toBe('BLOCKED');
  });
});
