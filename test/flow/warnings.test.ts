import { expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { channels, people, secrets } from '../support/people.ts';
import { atOnce, last4Of, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';

const cardbell = useCardbell({ pace: atOnce });
const { ana, hugo } = people;
const direct = (user: string): string => `D${user.slice(1)}`;

async function linkedWithLimit(dollars: number): Promise<SandboxAccount> {
  const card = cardbell().take('ACTIVE', ({ AvailableBalance }) => AvailableBalance > 200);
  await fetch(`${cardbell().sandbox.url}/Card/SpendRules/${card.AcctId}/Advanced`, {
    method: 'PUT',
    headers: { authorization: `token ${secrets.apiToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...cardbell().account(card.AcctId).SpendRules, DailySpendLimit: dollars }),
  });
  await cardbell().command(ana, `link ${card.AcctId} @hugo`);
  await cardbell().waitFor(direct(hugo), new RegExp(`Your card ${last4Of(card)} is linked to you`));
  return card;
}

it('warns the holder after a purchase that most of a limit is used, and asks for more with one button', async () => {
  const card = await linkedWithLimit(100);

  expect(cardbell().sandbox.purchase({ AcctId: card.AcctId, Amount: 80, MerchantName: 'Paper Mill' }).Approved).toBe(
    true,
  );

  const warning = await cardbell().waitFor(
    direct(hugo),
    new RegExp(`80% of your daily limit is used · card ${last4Of(card)}`),
  );
  expect(warning.text).toContain('$80.00 of $100.00 used, $20.00 left.');

  await cardbell().press(hugo, warning, 'home_ask');
  expect(cardbell().workspace.views.top(hugo)?.callback_id).toBe('ask_for_more');
});

it('asks the channel and the holder about a subscription that failed on three days', async () => {
  const card = await linkedWithLimit(100);
  const day = 24 * 3_600_000;
  for (const daysAgo of [2, 1, 0]) {
    const at = new Date(Date.now() - daysAgo * day);
    await cardbell().deliver(
      sampleWebhook(
        'decline.rule.velocity',
        {
          AcctId: card.AcctId,
          MerchantName: 'Streamflix',
          MerchantId: 'STREAM1',
          IsCardPresent: false,
          TransactionAmount: -14.99,
        },
        at,
      ),
    );
  }

  await cardbell().waitFor(channels.declines, /Subscription keeps failing: \$14\.99 at Streamflix, .*or cancel it\?/);
  await cardbell().waitFor(direct(hugo), /Subscription keeps failing: .*your card/);
});
