import { describe, expect, it } from 'vitest';
import type { CardFacts } from '../../../src/core/card-facts.ts';
import { toCardFacts } from '../../../src/directory/account.ts';
import { decline } from '../../../templates/alerts/decline.ts';
import { approvalClick, askedToPay, linkHugo, toPay } from '../../support/asked-for-more.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { declined } from '../../templates/fixtures.ts';

const redis = useRedis();
const number = { id: 2, name: null, mayOverrule: true };

/**
 * A card that follows a ruleset. @param mayOverrule the assumption. @param now the ruleset that it follows afterwards.
 */
function world(mayOverrule = true, over: Partial<WorldDeps> = {}, now: number | null = 2): Promise<PerformWorld> {
  return createActionWorld(redis(), {
    directory: directoryOf({ reload: async () => accountOf({ rulesetId: now }) }),
    toFacts: (id, account, which) => ({ ...toCardFacts(id, account, which), holder: 'Jane Doe', ruleset: number }),
    nameRuleset: async (card: CardFacts) =>
      card.ruleset == null ? card : { ...card, ruleset: { ...card.ruleset, name: 'Travel', mayOverrule } },
    ...over,
  });
}

async function lookUntilOver({ deps, advance }: PerformWorld, id: string): Promise<void> {
  for (let again: number | null = 0; again !== null; ) {
    advance(again);
    again = await verifyAction(id, deps);
  }
}

/** The service accepts a change but still shows the ruleset's values. */
async function overruled(one: PerformWorld): Promise<PerformWorld> {
  const deps = { ...one.deps, card: { ...one.deps.card, putSpendRules: async () => {} } };
  await performAction(ask('limit', byCommand), deps);
  await lookUntilOver({ ...one, deps }, 'act_limit1');
  return one;
}

it('an unconfirmed change says that the ruleset may overrule it, and who can change the ruleset', async () => {
  const one = await overruled(await world());

  expect(one.direct.at(-1)?.text).toMatch(/^Not confirmed/);
  expect(one.direct.at(-1)?.text).toContain(
    'The card follows the spending ruleset “Travel”, which may overrule this. You can change the ruleset in the card program’s portal.',
  );
  const records = [];
  for await (const { record } of one.deps.audit.read()) records.push(record);
  expect(records.at(-1)).toMatchObject({
    event: 'unconfirmed',
    detail: 'the card followed ruleset 2 when it was asked',
  });
});

it('a confirmed change says so too, because the ruleset decides at a purchase', async () => {
  const one = await world();

  await performAction(ask('limit', byCommand), one.deps);
  await lookUntilOver(one, 'act_limit1');

  expect(one.answers.at(-1)?.text).toMatch(/^Limit changed.*which may overrule this/);
  expect(await one.stations()).toEqual(['asked', 'sent', 'done', 'confirmed']);
});

it('a change that took the card off its ruleset says so and is audited', async () => {
  const one = await world(true, {}, null);

  await performAction(ask('limit', byCommand), one.deps);
  await lookUntilOver(one, 'act_limit1');

  expect(one.direct.at(-1)?.text).toContain('The card no longer follows the spending ruleset “Travel”');
  expect(one.direct.at(-1)?.text).not.toContain('may overrule');
  expect((await one.records()).at(-1)).toMatchObject({
    event: 'confirmed',
    detail: 'this change took the card off ruleset 2',
  });
  expect(one.auditLines).toContain('audit-act_limit1-confirmed');
});

it('a change that took the card off a ruleset that the directory did not know yet says so, too', async () => {
  let known = accountOf();
  const follows = async () => {
    known = accountOf({ rulesetId: 2 });
    return known;
  };
  const reload = async () => accountOf();
  const directory = directoryOf({ account: async () => known, current: follows, reload });
  const one = await world(true, { directory, toFacts: toCardFacts });

  await performAction(ask('limit', byCommand), one.deps);
  await lookUntilOver(one, 'act_limit1');

  expect(one.direct.at(-1)?.text).toContain('The card no longer follows the spending ruleset “Travel”');
  expect((await one.records()).at(-1)).toMatchObject({ detail: 'this change took the card off ruleset 2' });
});

it('an alert shows the ruleset note with the outcome', async () => {
  const one = await world();

  await performAction(ask('limit'), one.deps);
  await lookUntilOver(one, 'act_limit1');

  const stored = await one.deps.alerts.get('evt_0123456789abcdef');
  expect(stored?.outcomes.at(-1)?.text).toContain('The card follows the spending ruleset “Travel”');
});

it('no ruleset note appears if rulesets are assumed not to overrule', async () => {
  const one = await overruled(await world(false));

  expect(one.direct.at(-1)?.text).toMatch(/^Not confirmed/);
  expect(one.direct.at(-1)?.text).not.toContain('ruleset');
});

it.each([
  ['has another one', true, []],
  ['is assumed not to overrule', false, ['open']],
])('a holder cannot ask to raise the card’s own limit if its ruleset %s', async (_what, mayOverrule, open) => {
  const { deps } = await linkHugo(await world(mayOverrule));
  const daily = { period: 'daily', limitCents: 10_000, remainingCents: 5_000 } as const;
  deps.card.getRemainingLimits = async () => ({ overall: [daily], categories: [] });

  await performAction(toPay(10_910), deps);

  expect((await deps.requests.open()).map(({ state }) => state)).toEqual(open);
});

it('a block does not mention the ruleset', async () => {
  const one = await world();

  await performAction(ask('block', byCommand), one.deps);
  await lookUntilOver(one, 'act_block1');

  expect(one.answers.map(({ text }) => text).join()).not.toContain('ruleset');
});

it('a shown card names the current ruleset instead of the cached one', async () => {
  const base = await createActionWorld(redis());
  const card: WorldDeps['card'] = {
    ...base.deps.card,
    getAccount: async (...args) => ({ ...(await base.deps.card.getAccount(...args)), rulesetId: 7 }),
  };
  const one = await world(true, { card });

  await performAction(ask('show', byCommand), one.deps);

  expect(JSON.stringify(one.answers.at(-1)?.blocks)).toContain('may overrule the card’s own rules');
});

const sentence = 'which may overrule this. You can change the ruleset in the card program’s portal.';
const timesIn = (text: string): number => text.split('may overrule').length - 1;

it('the first answer mentions the ruleset once, and no second message follows when the change is confirmed', async () => {
  const one = await world();

  await performAction(ask('limit', byCommand), one.deps);
  expect(one.answers.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^Limit changed.*Change sent\. I’ll message you if it isn’t confirmed/),
  ]);
  expect(one.answers[0]?.text).toContain(sentence);
  expect(timesIn(one.answers[0]?.text ?? '')).toBe(1);
  await lookUntilOver(one, 'act_limit1');

  expect(one.answers).toHaveLength(1);
});

it('an alert mentions the ruleset once with the sent change and once with the confirmed one', async () => {
  const one = await world();
  const outcome = async () => (await one.deps.alerts.get('evt_0123456789abcdef'))?.outcomes.at(-1);

  await performAction(ask('limit'), one.deps);
  expect(await outcome()).toMatchObject({ confirmation: 'sent', text: expect.stringContaining(sentence) });
  await lookUntilOver(one, 'act_limit1');

  expect(await outcome()).toMatchObject({ confirmation: 'confirmed', text: expect.stringContaining(sentence) });
  expect(timesIn((await outcome())?.text ?? '')).toBe(1);
});

it('an alert whose decline already mentions the ruleset does not repeat it', async () => {
  const one = await world();
  const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit');
  await one.deps.alerts.save({ ...alert, card: { ...alert.card, ruleset: { ...number, name: 'Travel' } } });
  const text = async () => {
    const stored = await one.deps.alerts.get('evt_0123456789abcdef');
    if (stored?.kind !== 'transaction') throw new Error('no alert');
    return JSON.stringify(decline(stored, { place: 'public', channel: 'C1' }).blocks);
  };

  await performAction(ask('limit'), one.deps);
  expect(timesIn(await text())).toBe(1);
  await lookUntilOver(one, 'act_limit1');

  expect(timesIn(await text())).toBe(1);
});

describe('a holder who may try again', () => {
  it.each([
    ['learns that the ruleset may still decline it', true, 2, true],
    ['learns nothing about it if rulesets are assumed not to overrule', false, 2, false],
    ['learns nothing about it if the change took the card off its ruleset', true, null, false],
  ])('%s', async (_what, mayOverrule, now, says) => {
    const one = await world(mayOverrule, {}, now);
    const hugo = await askedToPay(one, 50_000);

    await performAction(approvalClick('act_ben', 'U0BEN'), hugo.deps);
    await lookUntilOver({ ...one, deps: hugo.deps }, 'act_ben');

    const told = hugo.told().at(-1) ?? '';
    expect(told).toContain('you can pay $500.00 until');
    expect(told.includes('Your card follows the spending ruleset “Travel”, which may overrule this')).toBe(says);
  });
});
