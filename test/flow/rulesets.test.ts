import { expect, it } from 'vitest';
import type { SandboxAccount } from '../../sandbox/server.ts';
import { directoryKey } from '../../src/core/keys.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, inOneProcess, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell(inOneProcess);
const { ana, olga } = people;

/** A card that follows the ruleset “Field crew”. */
async function ofFieldCrew(): Promise<SandboxAccount> {
  const crew = cardbell()
    .sandbox.accounts()
    .filter(({ SpendingRulesetId, CardList }) => SpendingRulesetId === 1 && CardList[0]?.CardStatus === 'ACTIVE');
  const card = crew.at(-1);
  if (card === undefined) throw new Error('nobody is left in the field crew');
  const known = async () => JSON.stringify(await cardbell().store.hget(directoryKey('accounts'), String(card.AcctId)));
  await until(async () => (await known()).includes('rulesetId\\":1'), 'the directory has read the card');
  return card;
}

it('declines and /card show name the ruleset of the card', async () => {
  const card = await ofFieldCrew();

  await cardbell().deliver(sampleWebhook('decline.rule.mcc', { AcctId: card.AcctId }));
  const alert = await cardbell().waitFor(channels.declines, new RegExp(holderOf(card)));
  await cardbell().command(olga, `show ${card.AcctId}`);
  const shown = await cardbell().waitTold(olga, new RegExp(`^${holderOf(card)}`));

  expect(JSON.stringify(alert.blocks)).toContain(
    'The spending ruleset “Field crew” does not allow this merchant category',
  );
  expect(JSON.stringify(shown.blocks)).toContain('The card follows the spending ruleset “Field crew”');
});

it('a change that removes the card from its ruleset says so, and who can restore it', async () => {
  const card = await ofFieldCrew();

  await cardbell().command(ana, `limit ${card.AcctId} daily 450`);
  const answer = await cardbell().waitTold(ana, new RegExp(`Limit changed: ${holderOf(card)}.*no longer`));

  expect(answer.text).toContain('The card no longer follows the spending ruleset “Field crew”');
  expect(cardbell().account(card.AcctId)).toMatchObject({ SpendingRulesetId: null });
  expect(cardbell().account(card.AcctId).SpendRules.DailySpendLimit).toBe(450);
});
