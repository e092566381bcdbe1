import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demoSeed, HERO_LAST4 } from '../../local/cast.ts';
import { freePort } from '../../local/port.ts';
import { startTill } from '../../local/till.ts';
import { purchase } from '../../sandbox/engine/purchase.ts';
import type { PurchaseRequest } from '../../sandbox/engine/purchase-request.ts';
import { sandboxAccount } from '../../sandbox/sandbox-account.ts';
import type { Account } from '../../sandbox/state/account.ts';
import { type BareWorld, bareWorld } from '../sandbox/bare-world.ts';

let bare: BareWorld;
let till: { stop(): Promise<void> };
let url: string;
let rushed: PurchaseRequest[];

beforeEach(async () => {
  bare = bareWorld({ seed: demoSeed });
  rushed = [];
  const { world } = bare;
  const port = await freePort();
  url = `http://127.0.0.1:${port}/till`;
  till = await startTill(port, {
    accounts: () => world.state.accounts.map((account) => sandboxAccount(world, account)),
    purchase: (request) => purchase(world, request),
    rush: (request) => void rushed.push(request),
    last4: HERO_LAST4,
    workspaceUrl: 'http://127.0.0.1/',
    rushShopsTaken: 0,
    onPaid() {},
  });
});

afterEach(() => till.stop());

/** The page after a form was sent, or as it is. */
async function page(form?: Record<string, string>): Promise<string> {
  const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
  return await (await fetch(url, sent)).text();
}

describe('for an account with a card and its replacement, which is not activated, the cash register', () => {
  let marcus: Account;
  let pays: string;
  beforeEach(() => {
    marcus = bare.world.state.accounts.find(({ firstName }) => firstName === 'Marcus') as Account;
    pays = marcus.cards[0].cardNumber.slice(-4);
  });

  it('names the card that pays, in the form, in the list and on the receipt', async () => {
    const shown = await page({ acct: String(marcus.acctId), merchant: 'restaurant', amount: '12.50' });

    expect(bare.world.state.purchases.at(-1)).toMatchObject({ declined: false, cardId: marcus.cards[0].cardId });
    expect(shown).toContain(`Marcus Thiel · ${pays}</option>`);
    expect(shown).toMatch(new RegExp(`data-last4="${pays}".*\\n.*data-status>active<`));
    expect(shown).toContain(`Marcus Thiel · card ${pays} ·`);
  });

  it('makes it one of many declines', async () => {
    await page({ rush: '144' });

    expect(rushed.map(({ AcctId }) => AcctId)).toContain(marcus.acctId);
  });
});
