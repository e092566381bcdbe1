import { describe, expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { olga, ana } = people;

/** Status webhooks of an account, one per status change. */
function effectsOn({ AcctId }: SandboxAccount): number {
  return cardbell().sandbox.deliveries.filter(
    ({ kind, body }) => kind === 'card-status' && (body.Data as { AcctId?: number }).AcctId === AcctId,
  ).length;
}

/** Calls to the card API with this method about this account. */
const callsTo = (method: string, { AcctId }: SandboxAccount): number =>
  cardbell().sandbox.calls.filter((call) => call.method === method && call.path.includes(`/${AcctId}`)).length;

describe('a write whose response is lost while someone changes the same card in the portal', () => {
  const outside = { InternationalSpendEnabled: true, YearlySpendLimit: 90_000 };

  it('keeps both a limit that was written and the change from the portal', async () => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take(
      'ACTIVE',
      ({ SpendRules }) => !SpendRules.InternationalSpendEnabled && SpendRules.YearlySpendLimit === null,
    );
    sandbox.faults.add({ method: 'PUT', path: /\/SpendRules/, kind: 'hang_up_after_effect' });

    await command(ana, `limit ${card.AcctId} monthly 2000`);
    await until(() => callsTo('PUT', card) === 1, 'the limit is sent');
    await cardbell().inPortal(card, outside);
    await waitTold(ana, new RegExp(`^Limit changed: ${holderOf(card)}`));
    await quiet(cardbell());

    expect(cardbell().account(card.AcctId).SpendRules).toMatchObject({ ...outside, MonthlySpendLimit: 2000 });
    expect(callsTo('PUT', card)).toBe(2);
  });

  it('does not resend an unwritten limit with outdated rules, and notifies the requester', async () => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take(
      'ACTIVE',
      ({ SpendRules }) => !SpendRules.InternationalSpendEnabled && SpendRules.YearlySpendLimit === null,
    );
    sandbox.faults.add({ method: 'PUT', path: /\/SpendRules/, kind: 'hang_up' });

    await command(ana, `limit ${card.AcctId} monthly 2000`);
    await until(() => callsTo('PUT', card) === 1, 'the limit is sent');
    await cardbell().inPortal(card, outside);
    const message = await waitTold(ana, /I did not repeat it/);
    await quiet(cardbell());

    expect(JSON.stringify(message)).toContain(holderOf(card));
    expect(cardbell().account(card.AcctId).SpendRules).toEqual({ ...card.SpendRules, ...outside });
    expect(callsTo('PUT', card)).toBe(2);
  });

  it('does not block a card again that was unblocked in the portal, and notifies the requester', async () => {
    const { take, command, waitTold, sandbox } = cardbell();
    const card = take('ACTIVE');
    const { AcctId } = card;
    sandbox.faults.add({ method: 'PUT', path: /\/Card\/Status/, kind: 'hang_up_after_effect' });
    sandbox.faults.add({ method: 'GET', path: new RegExp(`/${AcctId}`), kind: 'http_500', times: Infinity });

    await command(olga, `block ${AcctId}`);
    await until(() => effectsOn(card) === 1, 'it is blocked');
    sandbox.setStatus({ AcctId, CardStatus: 'ACTIVE' });
    await until(() => effectsOn(card) === 2, 'it is unblocked');
    sandbox.faults.clear();
    const message = await waitTold(olga, /I did not repeat it/);
    await quiet(cardbell());

    expect(JSON.stringify(message)).toContain(holderOf(card));
    expect(cardbell().account(AcctId).CardList[0]?.CardStatus).toBe('ACTIVE');
    expect(callsTo('PUT', card)).toBe(1);
  });
});
