import { describe, expect, it } from 'vitest';
import type { RuleChange, Term } from '../../../src/card-api/rule-change.ts';
import { createTemporaryTerms, type MadeChange } from '../../../src/limits/open-temporary-change.ts';
import { createTemporaryChanges, type TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';
import { openedAt, temporaryChangeOf } from '../../support/temporary-changes.ts';
import { card, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const HOUR = 3_600_000;
const forHours = (hours: number): Term => ({ kind: 'duration', ms: hours * HOUR });
const daily = limitChange('daily', 40_000, 45_000);

/** Temporary changes that are already open. */
async function setUp(...open: TemporaryChange[]) {
  return await setUpLifting([], ...open);
}

/** The same, but superseding reports that a rule goes back to more than before. */
async function setUpLifting(lifted: readonly string[], ...open: TemporaryChange[]) {
  const temporaryChanges = createTemporaryChanges(redis(), storeSigner);
  for (const temporaryChange of open) await temporaryChanges.save(temporaryChange);
  const steps: string[] = [];
  const terms = createTemporaryTerms({
    temporaryChanges,
    supersede: async ({ id }, goals, _later, isForGood = false) => {
      steps.push(`superseded ${id}: ${goals.length} ${isForGood ? 'for good' : 'for a while'}`);
      return lifted;
    },
    purchaseOf: async ({ id }) =>
      id === 'act_typed' ? null : { ...transactionAlert().event, ...(id === 'act_checked' && { amountCents: 0 }) },
    zone: 'America/New_York',
    factsOf: async () => ({ ...card, ruleset: { id: 2, name: null, mayOverrule: true } }),
    scheduleTemporaryChangeEnd: async (id, atMs) => void steps.push(`${id} ends ${new Date(atMs).toISOString()}`),
    postTemporaryChange: async ({ id }) => void steps.push(`posted ${id}`),
    now: () => new Date(openedAt),
  });
  return { terms, temporaryChanges, steps };
}

const made = (changes: readonly RuleChange[], term: Term, over: Partial<MadeChange> = {}): MadeChange => ({
  action: ask('limit', { ...byCommand, id: 'act_new' }),
  acctId,
  changes,
  term,
  requestId: null,
  ...over,
});

describe('a temporary change', () => {
  it('is stored with its end, wakes the worker then, and has its own message', async () => {
    const { terms, temporaryChanges, steps } = await setUp();

    const said = await terms.begin(made([daily], forHours(4)));

    const until = '2026-11-20T19:00:00.000Z';
    expect(said).toEqual({
      note: null,
      control: { kind: 'revert', id: 'act_new', until, back: { to: '$400.00', when: 'automatically' } },
    });
    expect(steps).toEqual([`act_new ends ${until}`, 'posted act_new']);
    expect(await temporaryChanges.get('act_new')).toMatchObject({ state: 'open', endsAt: until, changes: [daily] });
  });

  it('has no separate message if an alert or a request shows it', async () => {
    const { terms, steps } = await setUp();

    await terms.begin(made([daily], forHours(4), { requestId: 'req_1' }));

    expect(steps.filter((step) => step.startsWith('posted'))).toEqual([]);
  });

  it('is stored before it is sent, and supersedes nothing until it is made', async () => {
    const { terms, temporaryChanges, steps } = await setUp(temporaryChangeOf());

    await terms.openUnsent(made([limitChange('daily', 45_000, 50_000)], forHours(4)));

    expect(steps).toEqual(['act_new ends 2026-11-20T19:00:00.000Z']);
    expect((await temporaryChanges.all()).map(({ id }) => id)).toEqual(['act_1', 'act_new']);
  });

  it.each([
    [true, 'ended'],
    [false, 'open'],
  ] as const)(
    'that has ended is opened again only if its value is its own: set since %j, so it is %s',
    async (isSetSince, state) => {
      const { terms, temporaryChanges } = await setUp(temporaryChangeOf({ id: 'act_new', state: 'ended' }));

      const said = await terms.begin(made([daily], forHours(4)), { isSetSince });

      expect(said === null).toBe(isSetSince);
      expect(await temporaryChanges.get('act_new')).toMatchObject({ state });
    },
  );

  it('on top of a shorter one goes back to the value before both', async () => {
    const { terms, temporaryChanges, steps } = await setUp(temporaryChangeOf());

    const said = await terms.begin(made([limitChange('daily', 45_000, 50_000)], forHours(4)));

    expect(said?.control?.back?.to).toBe('$400.00');
    expect(steps).toContain('superseded act_1: 1 for a while');
    expect((await temporaryChanges.get('act_new'))?.changes).toEqual([limitChange('daily', 40_000, 50_000)]);
  });

  it('in place of one from a restored backup goes back to a value that may be out of date, too', async () => {
    const { terms, temporaryChanges } = await setUp(temporaryChangeOf({ isFromBackup: true }));

    await terms.openUnsent(made([limitChange('daily', 45_000, 50_000)], forHours(4)));

    expect(await temporaryChanges.get('act_new')).toMatchObject({ isFromBackup: true });
  });

  it('leaves a reduction from a restored backup to its own question', async () => {
    const reduction = [limitChange('daily', 600_000, 10_000)];
    const { terms, temporaryChanges, steps } = await setUp(
      temporaryChangeOf({ changes: reduction, isFromBackup: true }),
    );
    const raise = limitChange('daily', 10_000, 90_000);

    await terms.begin(made([raise], forHours(4)));

    const opened = await temporaryChanges.get('act_new');
    expect(opened?.changes).toEqual([raise]);
    expect(opened).not.toHaveProperty('isFromBackup');
    expect(steps.join()).not.toContain('superseded');
  });

  it('that keeps the value of a reduction from a restored backup may be out of date, too', async () => {
    const reduction = [limitChange('daily', 600_000, 10_000)];
    const { terms, temporaryChanges } = await setUp(temporaryChangeOf({ changes: reduction, isFromBackup: true }));

    await terms.keep(made([limitChange('daily', 10_000, 10_000)], forHours(4)));

    expect(await temporaryChanges.get('act_new')).toMatchObject({ changes: reduction, isFromBackup: true });
  });

  it('within a longer one goes back to that', async () => {
    const { terms, steps } = await setUp(temporaryChangeOf({ endsAt: '2026-11-21T15:00:00.000Z' }));

    const said = await terms.begin(made([limitChange('daily', 45_000, 50_000)], forHours(4)));

    expect(said?.control?.back?.to).toBe('$450.00');
    expect(steps.filter((step) => step.startsWith('superseded'))).toEqual([]);
  });

  it('supersedes a longer one with the same value if someone changed the rule in between', async () => {
    const { terms, steps } = await setUp(temporaryChangeOf({ endsAt: '2026-11-21T15:00:00.000Z' }));

    const said = await terms.begin(made([limitChange('daily', 41_000, 45_000)], forHours(4)));

    expect(said?.control?.back?.to).toBe('$410.00');
    expect(steps).toContain('superseded act_1: 1 for a while');
  });

  it('remembers the ruleset that the card followed before it was made', async () => {
    const { terms, temporaryChanges } = await setUp();

    await terms.begin(made([daily], forHours(4)));

    expect((await temporaryChanges.get('act_new'))?.rulesetId).toBe(2);
    await temporaryChanges.save({ ...(await temporaryChanges.get('act_new'))!, rulesetId: null });
    await terms.begin(made([daily], forHours(4)));
    expect((await temporaryChanges.get('act_new'))?.rulesetId, 'as first set').toBeNull();
  });

  it('for a purchase stores the merchant and the amount', async () => {
    const { terms, temporaryChanges } = await setUp();
    const { merchant, amountCents, occurredAt } = transactionAlert().event;

    await terms.begin(made([daily], { kind: 'purchase' }));

    expect((await temporaryChanges.get('act_new'))?.purchase).toEqual({
      merchantId: merchant.id,
      merchant: merchant.name,
      maxCents: amountCents,
      declinedAt: occurredAt,
    });
  });

  it('for a purchase that only checked the card, for $0.00, ends with the one that follows there, whatever it costs', async () => {
    const { terms, temporaryChanges } = await setUp();
    const abroad: RuleChange = { rule: { kind: 'international' }, from: false, to: true };
    const action = ask('allow', { id: 'act_checked' });

    await terms.begin(made([abroad], { kind: 'purchase' }, { action }));

    const maxCents = Number.MAX_SAFE_INTEGER;
    expect((await temporaryChanges.get('act_checked'))?.purchase).toMatchObject({ maxCents });
  });

  it.each<[string, RuleChange, object, number, string]>([
    ['what its holder asked to pay', daily, { payCents: 30_000 }, 30_000, 'the next purchase of up to $300.00'],
    ['the raised limit', daily, {}, 45_000, 'the next purchase of up to $450.00'],
    ['nothing else', limitChange('daily', 40_000, null), {}, Number.MAX_SAFE_INTEGER, 'the next purchase'],
  ])(
    'for a purchase without a decline ends with the next one, bounded by %s',
    async (_what, change, asked, maxCents, words) => {
      const { terms, temporaryChanges } = await setUp();
      const term = { kind: 'purchase' } as const;
      const changeRequest = { goals: [{ rule: change.rule, to: change.to }], term, ...asked };
      const action = ask('limit', { ...byCommand, id: 'act_typed', changeRequest });

      const said = await terms.begin(made([change], term, { action }));

      expect(said?.control?.back).toEqual({ to: '$400.00', when: `after ${words}, at the latest` });
      expect((await temporaryChanges.get('act_typed'))?.purchase).toMatchObject({ maxCents, declinedAt: null });
    },
  );

  it.each(['superseded', 'asking', 'kept', 'refused'] as const)(
    'is not opened again after its final decision: %s',
    async (state) => {
      const { terms, steps } = await setUp(temporaryChangeOf({ id: 'act_new', state }));

      expect(await terms.begin(made([daily], forHours(4)))).toBeNull();
      expect(steps).toEqual([]);
    },
  );

  it.each<[Term, string]>([
    [{ kind: 'purchase' }, 'after this purchase, at the latest'],
    [{ kind: 'day', day: '2026-11-21' }, 'automatically'],
  ])('says when it ends: %j', async (term, words) => {
    const { terms } = await setUp();

    expect((await terms.begin(made([daily], term)))?.control?.back).toEqual({ to: '$400.00', when: words });
  });

  it('with a duration stores no purchase', async () => {
    const { terms, temporaryChanges } = await setUp();

    await terms.begin(made([daily], forHours(4)));

    expect((await temporaryChanges.get('act_new'))?.purchase).toBeNull();
  });

  it('supersedes one that ends at the same moment', async () => {
    const { terms, steps } = await setUp(temporaryChangeOf({ endsAt: '2026-11-20T19:00:00.000Z' }));

    await terms.begin(made([limitChange('daily', 45_000, 50_000)], forHours(4)));

    expect(steps).toContain('superseded act_1: 1 for a while');
  });

  it('supersedes one that waits for a decision: it would bring its value back', async () => {
    const { terms, steps } = await setUp(temporaryChangeOf({ state: 'asking' }));

    const said = await terms.begin(made([limitChange('daily', 45_000, 50_000)], forHours(4)));

    expect(said?.control?.back?.to).toBe('$400.00');
    expect(steps).toContain('superseded act_1: 1 for a while');
  });

  it.each<[string, Partial<TemporaryChange>]>([
    ['of another card', { acctId: acctId + 1 }],
    ['of another rule', { changes: [limitChange('weekly', 40_000, 45_000)] }],
  ])('supersedes nothing of one %s', async (_which, over) => {
    const { terms, steps } = await setUp(temporaryChangeOf(over));

    const said = await terms.begin(made([limitChange('daily', 45_000, 50_000)], forHours(4)));

    expect(said?.control?.back?.to).toBe('$450.00');
    expect(steps.filter((step) => step.startsWith('superseded'))).toEqual([]);
  });

  it('goes back to the current value if someone has changed the earlier temporary value', async () => {
    const { terms } = await setUp(temporaryChangeOf());

    const said = await terms.begin(made([limitChange('daily', 48_000, 50_000)], forHours(4)));

    expect(said?.control?.back?.to).toBe('$480.00');
  });

  it('ends only the rules that nobody has decided on since it was sent', async () => {
    const weekly = limitChange('weekly', 100_000, 120_000);
    const { terms, temporaryChanges } = await setUp(temporaryChangeOf({ id: 'act_new', changes: [weekly] }));

    await terms.begin(made([daily, weekly], forHours(4)));

    expect((await temporaryChanges.get('act_new'))?.changes).toEqual([weekly]);
  });

  it('is not opened again if all of its rules were decided on since it was sent', async () => {
    const weekly = limitChange('weekly', 100_000, 120_000);
    const { terms, steps } = await setUp(temporaryChangeOf({ id: 'act_new', changes: [weekly] }));

    expect(await terms.begin(made([daily], forHours(4)))).toBeNull();
    expect(steps).toEqual([]);
  });

  it('still goes back to the value that a longer change below it handed over when it ended', async () => {
    // Its answer was lost. Meanwhile the change from $400.00 to $450.00 that it was made on top of was taken back.
    const handedOver = temporaryChangeOf({ id: 'act_new', changes: [limitChange('daily', 40_000, 60_000)] });
    const { terms, temporaryChanges } = await setUp(handedOver);

    const said = await terms.begin(made([limitChange('daily', 45_000, 60_000)], forHours(1)));

    expect(said?.control?.back?.to).toBe('$400.00');
    expect((await temporaryChanges.get('act_new'))?.changes).toEqual([limitChange('daily', 40_000, 60_000)]);
  });

  it('keeps its first end when rerun after a crash', async () => {
    const { terms, steps } = await setUp(temporaryChangeOf({ id: 'act_new' }));

    await terms.begin(made([daily], forHours(4)));

    expect(steps[0]).toBe('act_new ends 2026-11-20T16:00:00.000Z');
  });
});

describe('a permanent change', () => {
  it('ends the temporary values of its rules, and says so', async () => {
    const { terms, steps } = await setUp(temporaryChangeOf());

    const said = await terms.begin(made([limitChange('daily', 45_000, 45_000)], { kind: 'permanent' }));

    expect(said).toEqual({ note: 'It was temporary; now it is permanent.', control: null });
    expect(steps).toEqual(['superseded act_1: 1 for good']);
  });

  it('also mentions a rule that goes back to more than before', async () => {
    const { terms } = await setUpLifting(['The weekly limit goes back to $450.00.'], temporaryChangeOf());

    const said = await terms.begin(made([limitChange('daily', 45_000, 45_000)], { kind: 'permanent' }));

    expect(said?.note).toBe('It was temporary; now it is permanent. The weekly limit goes back to $450.00.');
  });

  it('mentions only that rule if it changes a temporary value', async () => {
    const { terms } = await setUpLifting(['The weekly limit goes back to $450.00.'], temporaryChangeOf());

    const said = await terms.begin(made([limitChange('daily', 45_000, 50_000)], { kind: 'permanent' }));

    expect(said?.note).toBe('The weekly limit goes back to $450.00.');
  });

  it('adds no note if nothing was temporary', async () => {
    const { terms } = await setUp();

    expect(await terms.begin(made([daily], { kind: 'permanent' }))).toBeNull();
  });
});

describe('rules that already have the requested value', () => {
  it('last longer if they were temporary', async () => {
    const { terms, temporaryChanges, steps } = await setUp(temporaryChangeOf());

    const said = await terms.keep(made([limitChange('daily', 45_000, 45_000)], forHours(4)));

    expect(said?.control?.back?.to).toBe('$400.00');
    expect(steps).toContain('superseded act_1: 1 for a while');
    expect((await temporaryChanges.get('act_new'))?.changes).toEqual([daily]);
  });

  it('last longer together, temporary or not', async () => {
    const { terms, temporaryChanges } = await setUp(temporaryChangeOf());
    const weekly = limitChange('weekly', 90_000, 90_000);

    await terms.keep(made([limitChange('daily', 45_000, 45_000), weekly], forHours(4)));

    expect((await temporaryChanges.get('act_new'))?.changes).toEqual([daily, weekly]);
  });

  it('are not superseded by the same change when its job runs again', async () => {
    const { terms, steps } = await setUp(temporaryChangeOf({ id: 'act_new' }));

    await terms.keep(made([limitChange('daily', 45_000, 45_000)], forHours(4)));

    expect(steps.filter((step) => step.startsWith('superseded'))).toEqual([]);
  });

  it('stay as they are if they were not temporary', async () => {
    const { terms, steps } = await setUp();

    expect(await terms.keep(made([limitChange('daily', 45_000, 45_000)], forHours(4)))).toBeNull();
    expect(steps).toEqual([]);
  });
});

describe('a change whose answer was lost', () => {
  it.each<[string, RuleChange, TemporaryChange[], boolean]>([
    ['is unconfirmed if it is not in effect', limitChange('daily', 40_000, 45_000), [], true],
    ['is taken as made if the rule has the value that it set', limitChange('daily', 45_000, 45_000), [], false],
    [
      'is unconfirmed if only another card’s change goes back to it',
      limitChange('daily', 50_000, 45_000),
      [temporaryChangeOf({ id: 'act_2', acctId: acctId + 1, changes: [limitChange('daily', 45_000, 50_000)] })],
      true,
    ],
    [
      'is unconfirmed if another change goes back to a different value',
      limitChange('daily', 50_000, 45_000),
      [temporaryChangeOf({ id: 'act_2', changes: [limitChange('daily', 41_000, 50_000)] })],
      true,
    ],
    [
      'is unconfirmed if a change of another rule goes back to the same amount',
      limitChange('daily', 50_000, 45_000),
      [temporaryChangeOf({ id: 'act_2', changes: [limitChange('weekly', 45_000, 50_000)] })],
      true,
    ],
    [
      'is taken as made if another change goes back to it',
      limitChange('daily', 50_000, 45_000),
      [temporaryChangeOf({ id: 'act_2', changes: [limitChange('daily', 45_000, 50_000)] })],
      false,
    ],
  ])('%s', async (_what, seen, others, isUnconfirmed) => {
    const { terms, temporaryChanges } = await setUp(temporaryChangeOf(), ...others);

    await terms.markUnconfirmed('act_1', { now: [seen], sent: null });

    expect((await temporaryChanges.get('act_1'))?.certainty === 'unconfirmed').toBe(isUnconfirmed);
  });
});
