import { expect, it } from 'vitest';
import type { CardFacts } from '../../../src/alert/alert.ts';
import { confirmAction } from '../../../src/perform/confirm-action.ts';
import type { PerformDeps } from '../../../src/perform/deps.ts';
import { performAction } from '../../../src/perform-action.ts';
import type { Directory } from '../../../src/store/directory.ts';
import { toCardFacts } from '../../../src/store/directory-account.ts';
import { ask, byCommand, createPerformWorld, type PerformWorld } from '../../support/perform-world.ts';
import { useRedis } from '../store/on-redis.ts';

const redis = useRedis();
const number = { id: 2, name: null, mayOverrule: true };

/** A card that follows a ruleset. @param mayOverrule as it is assumed. @param now the ruleset that it follows by then. */
function world(mayOverrule = true, over: Partial<PerformDeps> = {}, now: number | null = 2): Promise<PerformWorld> {
  return createPerformWorld(redis(), {
    directory: { account: async () => null, reload: async () => ({ rulesetId: now }) } as unknown as Directory,
    toFacts: (id, account, which) => ({ ...toCardFacts(id, account, which), holder: 'Jane Doe', ruleset: number }),
    nameRuleset: async (card: CardFacts) =>
      card.ruleset == null ? card : { ...card, ruleset: { ...card.ruleset, name: 'Travel', mayOverrule } },
    ...over,
  });
}

async function lookUntilOver({ deps, advance }: PerformWorld, id: string): Promise<void> {
  for (let again: number | null = 0; again !== null; ) {
    advance(again);
    again = await confirmAction(id, deps);
  }
}

/** The service takes a change and goes on showing the ruleset's. */
async function overruled(one: PerformWorld): Promise<PerformWorld> {
  const deps = { ...one.deps, card: { ...one.deps.card, putSpendRules: async () => {} } };
  await performAction(ask('limit', byCommand), deps);
  await lookUntilOver({ ...one, deps }, 'act_limit1');
  return one;
}

it('a change that the card service does not show says that the ruleset may overrule it, and who can change that', async () => {
  const one = await overruled(await world());

  expect(one.answers.at(-1)?.text).toMatch(/^Not confirmed/);
  expect(one.answers.at(-1)?.text).toContain(
    'The card follows the spending ruleset “Travel”, which may overrule this; it can be changed where the card service is administered.',
  );
  const records = [];
  for await (const { record } of one.deps.audit.read()) records.push(record);
  expect(records.at(-1)).toMatchObject({
    event: 'unconfirmed',
    detail: 'the card followed ruleset 2 when it was asked',
  });
});

it('one that it shows is confirmed, and says it as well: what counts at a purchase is the ruleset', async () => {
  const one = await world();

  await performAction(ask('limit', byCommand), one.deps);
  await lookUntilOver(one, 'act_limit1');

  expect(one.answers.at(-1)?.text).toMatch(/^Limit changed.*which may overrule this/);
  expect(await one.stations()).toEqual(['asked', 'sent', 'done', 'confirmed']);
});

it('one that took the card out of its ruleset says so, and who can put it back', async () => {
  const one = await world(true, {}, null);

  await performAction(ask('limit', byCommand), one.deps);
  await lookUntilOver(one, 'act_limit1');

  expect(one.answers.at(-1)?.text).toContain('The card follows the spending ruleset “Travel” no longer');
  expect(one.answers.at(-1)?.text).not.toContain('may overrule');
});

it('on an alert it stands with what was done', async () => {
  const one = await world();

  await performAction(ask('limit'), one.deps);
  await lookUntilOver(one, 'act_limit1');

  const stored = await one.deps.alerts.get('evt_0123456789abcdef');
  expect(stored?.alert.outcomes.at(-1)?.text).toContain('The card follows the spending ruleset “Travel”');
});

it('where it is not assumed that rulesets overrule, nothing is said of it', async () => {
  const one = await overruled(await world(false));

  expect(one.answers.at(-1)?.text).toMatch(/^Not confirmed/);
  expect(one.answers.at(-1)?.text).not.toContain('ruleset');
});

it('a block has nothing to do with it', async () => {
  const one = await world();

  await performAction(ask('block', byCommand), one.deps);
  await lookUntilOver(one, 'act_block1');

  expect(one.answers.map(({ text }) => text).join()).not.toContain('ruleset');
});

it('a card that is shown names the ruleset that the service says now, not the one that was read before', async () => {
  const base = await createPerformWorld(redis());
  const card: PerformDeps['card'] = {
    ...base.deps.card,
    getAccount: async (...args) => ({ ...(await base.deps.card.getAccount(...args)), rulesetId: 7 }),
  };
  const one = await world(true, { card });

  await performAction(ask('show', byCommand), one.deps);

  expect(JSON.stringify(one.answers.at(-1)?.blocks)).toContain('may overrule the card’s own rules');
});
