import { describe, expect, it } from 'vitest';
import type { Fault, SandboxAccount } from '../../sandbox/server.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { settled, until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, ana } = people;

/** Status webhooks of an account, one per status change. */
function effectsOn({ AcctId }: SandboxAccount): number {
  return cardbell().sandbox.deliveries.filter(
    ({ kind, body }) => kind === 'card-status' && (body.Data as { AcctId?: number }).AcctId === AcctId,
  ).length;
}

/** What the service answered to the first write of a card. Null: nothing. Undefined: there was none. */
function firstAnswer({ AcctId }: SandboxAccount): number | null | undefined {
  return cardbell()
    .writes()
    .find(({ path }) => path.includes(`/${AcctId}`))?.status;
}

/** What a write with an unknown outcome can get as an answer: with any other, no fault hit it. */
const noneOrServerError = [null, 500, 502];

/** Ways in which a call can end without a known outcome. */
const unsure: readonly [string, Omit<Fault, 'path'>][] = [
  ['the connection breaks after the write', { kind: 'hang_up_after_effect' }],
  ['the connection breaks before the write', { kind: 'hang_up' }],
  ['the card API answers 500', { kind: 'http_500' }],
  ['a proxy answers 502 with an HTML page', { kind: 'http_502_html' }],
  ['the connection breaks again and again', { kind: 'hang_up_after_effect', times: 3 }],
];

describe('a write with an unknown outcome', () => {
  it.each(unsure)('%s: a block happens exactly once, and the answer says so', async (_how, fault) => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take('ACTIVE');
    sandbox.faults.add({ method: 'PUT', path: /\/Card\/Status/, ...fault });

    await command(olga, `block ${card.AcctId}`);
    await waitTold(olga, new RegExp(`^Blocked: ${holderOf(card)}`));
    await until(() => effectsOn(card) > 0, 'the service reports the change');
    await quiet(cardbell());

    expect(cardbell().account(card.AcctId).CardList[0]?.CardStatus).toBe('BLOCKED');
    expect(effectsOn(card)).toBe(1);
    expect(noneOrServerError).toContain(firstAnswer(card));
    sandbox.faults.clear();
  });

  it.each(unsure)('%s: a limit ends up as requested', async (_how, fault) => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take('ACTIVE');
    sandbox.faults.add({ method: 'PUT', path: /\/SpendRules/, ...fault });

    await command(ana, `limit ${card.AcctId} monthly 2000`);
    await waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    sandbox.faults.clear();

    expect(noneOrServerError).toContain(firstAnswer(card));
    expect(cardbell().account(card.AcctId).SpendRules).toEqual({ ...card.SpendRules, MonthlySpendLimit: 2000 });
  });

  it('an activation is never sent twice if the first may have worked', async () => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take('INACTIVE');
    sandbox.faults.add({ method: 'POST', path: /\/Card\/Activate/, kind: 'hang_up_after_effect' });

    await command(olga, `activate ${card.AcctId}`);
    await waitTold(olga, new RegExp(`^Activated: ${holderOf(card)}`));

    expect(
      cardbell()
        .writes()
        .filter(({ path }) => path.includes(`/Activate/${card.AcctId}`)),
    ).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('is shown in the API’s words, with a note that nothing changed', async () => {
    const { command, waitTold, sandbox, waitFor } = cardbell();
    // The service refuses to activate a new card within the first day.
    const { AcctId } = sandbox.createOrder({ FirstName: 'Nadia', LastName: 'Novak' });
    await waitFor(channels.status, /Nadia Novak/);

    await command(olga, `activate ${AcctId}`);
    const message = await waitTold(olga, /Could not activate Nadia Novak/);

    expect(JSON.stringify(message.blocks)).toContain('Cannot change status');
    expect(message.text).toContain('Nothing changed');
    const chain = await cardbell().store.lrange('{cardbell:audit}:chain', 0, -1);
    const records = chain.map((line) => JSON.parse(line).record).filter(({ acctId }) => acctId === AcctId);
    expect(records.at(-1)).toMatchObject({ event: 'failed', detail: 'Cannot change status' });
  });

  it('is avoided for contradictory limits, which are explained before anything is sent', async () => {
    const { take, command, waitTold } = cardbell();
    const card = take('ACTIVE');
    await command(ana, `limit ${card.AcctId} weekly 100`);
    await waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    const before = cardbell().writes().length;

    await command(ana, `limit ${card.AcctId} daily 400`);
    const message = await waitTold(ana, new RegExp(`Could not change the limit of ${holderOf(card)}`));

    expect(message.text).toContain('above the weekly limit, $100.00');
    expect(cardbell().writes()).toHaveLength(before);
  });
});

describe('the token of the card API', () => {
  it('stops work at once when refused, and notifies the person and, once, the ops channel', async () => {
    const { take, command, waitTold, waitFor, sandbox, texts } = cardbell();
    const card = take('ACTIVE');
    sandbox.faults.add({ path: /.*/, kind: 'token_expired', times: Number.POSITIVE_INFINITY });
    const calls = sandbox.calls.length;

    await command(olga, `block ${card.AcctId}`);
    await command(olga, `block ${card.AcctId} again`);
    const message = await waitTold(olga, new RegExp(`Could not block ${holderOf(card)}`));
    await waitFor(channels.ops, /token/);
    await settled(1500);

    expect(JSON.stringify(message.blocks)).toContain('Token expired or does not exist');
    expect(texts(channels.ops).filter((text) => /token/.test(text))).toHaveLength(1);
    // Only calls about this card: the directory and confirmations of other tests call too.
    const tries = sandbox.calls.slice(calls).filter(({ path }) => path.includes(String(card.AcctId)));
    expect(tries.length).toBeLessThan(8);
    sandbox.faults.clear();
  });

  it('lets work continue once accepted again', async () => {
    const { take, command, waitTold } = cardbell();
    const card = take('ACTIVE');

    await command(olga, `block ${card.AcctId}`);

    await waitTold(olga, new RegExp(`^Blocked: ${holderOf(card)}`));
  });
});
