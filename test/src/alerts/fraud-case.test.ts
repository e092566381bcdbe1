import { beforeEach, describe, expect, it } from 'vitest';
import type { FraudCaseAlert } from '../../../src/alerts/alert.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { createLock } from '../../../src/core/lock.ts';
import type { Message } from '../../../src/slack/message.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
} from '../../support/perform-world.ts';
import { sampleWebhook } from '../../support/sample-webhook.ts';

const redis = useRedis();
const DECLINE = 'evt_0123456789abcdef';
const holder = { actor: { userId: 'U0HUGO', teamId: 'T1' }, roles: ['holder' as const] };

let world: PerformWorld;
let told: { userId: string; id: string; message: Message }[];

beforeEach(async () => {
  told = [];
  world = await createActionWorld(redis(), {
    whoMay: async (role) => (role === 'operator' ? ['U0OLGA', 'S0OPS'] : []),
    notifyDirectly: async (userId, id, message) => void told.push({ userId, id, message }),
  });
  await world.deps.links.link({
    acctId,
    userId: 'U0HUGO',
    provedBy: 'email',
    by: 'U0HUGO',
    at: '2026-11-20T15:00:00Z',
  });
});

const itWasntMe = (over: object = {}) => performAction(ask('block', { ...holder, isFraud: true, ...over }), world.deps);

async function onlyCase(): Promise<FraudCaseAlert> {
  expect(world.announced, 'one case was announced').toHaveLength(1);
  const alert = await world.deps.alerts.get(world.announced[0] ?? '');
  if (alert?.kind !== 'fraud-case') return expect.fail('the case is stored');
  return alert;
}

describe('It wasn’t me', () => {
  it('blocks the card, opens a case that mentions the operators, and shows the block on the alert and the case', async () => {
    await itWasntMe();

    expect(world.service.status).toBe('BLOCKED');
    const opened = await onlyCase();
    expect(opened).toMatchObject({
      alertId: DECLINE,
      reported: { by: 'U0HUGO' },
      operators: ['U0OLGA', 'S0OPS'],
      purchases: [],
    });
    expect(opened.outcomes).toMatchObject([{ verb: 'block', state: 'done', by: 'U0HUGO' }]);
    const decline = await world.deps.alerts.get(DECLINE);
    expect(decline?.outcomes.map(({ verb }) => verb).toSorted()).toEqual(['block', 'report-fraud']);
  });

  it('mentions no operator who holds the card: nobody checks purchases with themselves', async () => {
    const whoMay = async () => ['U0HUGO', 'U0OLGA'];
    await performAction(ask('block', { ...holder, isFraud: true }), { ...world.deps, whoMay });

    expect(await onlyCase()).toMatchObject({ reported: { by: 'U0HUGO' }, operators: ['U0OLGA'] });
  });

  it('tells the holder what happens next and how to get a new card', async () => {
    await itWasntMe();

    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ userId: 'U0HUGO' });
    expect(told[0]?.message.text).toMatch(
      /asked the card service to block the card, and notified <@U0OLGA> and <!subteam\^S0OPS>/,
    );
    expect(told[0]?.message.text).toMatch(/What happens next: .* order your new card\./);
  });

  describe('shows of the card service’s list', () => {
    const row = (
      id: number,
      at: string,
      MerchantName: string,
      kind: 'authorization' | 'decline' = 'authorization',
    ) => ({
      ...(JSON.parse(
        sampleWebhook(kind, { AcctId: acctId, NetworkTransactionId: id, TransactionTime: at, MerchantName }).body,
      ).Data as Record<string, unknown>),
    });
    const unreadable = { NetworkTransactionId: 'none' };
    const caseOf = async (rows: Record<string, unknown>[]): Promise<FraudCaseAlert> => {
      const card = { ...world.deps.card, listAccountNetworkTransactions: async () => rows };
      await performAction(ask('block', { ...holder, isFraud: true }), { ...world.deps, card });
      return await onlyCase();
    };

    it('the latest purchases, newest first, and no declines', async () => {
      const { purchases } = await caseOf([
        row(1, '2026-11-18T10:00:00', 'Older'),
        row(2, '2026-11-19T10:00:00', 'Newer'),
        row(3, '2026-11-19T11:00:00', 'Declined one', 'decline'),
      ]);

      expect(purchases?.map(({ merchant }) => merchant)).toEqual(['Newer', 'Older']);
    });

    it('five purchases and how many more there are, and how many transactions could not be read', async () => {
      const rows = Array.from({ length: 12 }, (_, id) => row(id + 1, '2026-11-19T10:00:00', `Shop ${id}`));

      const { purchases, morePurchases, unreadable: count } = await caseOf([...rows, unreadable, unreadable]);

      expect(purchases).toHaveLength(5);
      expect([morePurchases, count]).toEqual([7, 2]);
    });

    it('no “none” if only a decline of it could be read', async () => {
      const { purchases } = await caseOf([row(1, '2026-11-19T11:00:00', 'Declined one', 'decline'), unreadable]);

      expect(purchases).toBeNull();
    });
  });

  it('opens no second case when pressed again or when its job runs again', async () => {
    await itWasntMe();
    await itWasntMe();
    await itWasntMe({ id: 'act_again' });

    await onlyCase();
    expect(new Set(told.map(({ id }) => id)).size, 'the holder is notified once').toBe(1);
    expect(world.writes).toEqual(['status BLOCKED']);
  });

  it('adds another purchase to the open case and notifies the operators and the holder once', async () => {
    const OTHER = 'evt_fedcba9876543210';
    const first = await world.deps.alerts.get(DECLINE);
    if (first?.kind !== 'transaction') return expect.fail('the decline is stored');
    await world.deps.alerts.save({ ...first, event: { ...first.event, id: OTHER, amountCents: 9999 } });
    await itWasntMe();
    const other = { id: 'act_other', target: { kind: 'alert' as const, alertId: OTHER } };
    await itWasntMe(other);
    await itWasntMe(other);
    await itWasntMe({ ...other, id: 'act_again' });
    await itWasntMe({ id: 'act_firstagain' });

    const [caseId = '', added = '', ...more] = world.announced;
    expect(more, 'each purchase is announced once').toEqual([]);
    expect(await world.deps.alerts.get(added)).toMatchObject({
      kind: 'fraud-case',
      joins: caseId,
      alertId: OTHER,
      operators: ['U0OLGA', 'S0OPS'],
      event: { amountCents: 9999 },
    });
    expect(new Set(told.map(({ id }) => id)).size, 'the holder is notified of each purchase').toBe(2);
    expect(told.find(({ id }) => id === `fraud-${added}`)?.message.text).toMatch(
      /^Added to your open fraud case: \$99\.99/,
    );
    const decline = await world.deps.alerts.get(OTHER);
    expect(
      decline?.outcomes.map(({ verb }) => verb),
      'the decline shows the report',
    ).toContain('report-fraud');
  });

  it('shows on the message of the purchase that was reported that its holder made it after all', async () => {
    const OTHER = 'evt_fedcba9876543210';
    const first = await world.deps.alerts.get(DECLINE);
    if (first?.kind !== 'transaction') return expect.fail('the decline is stored');
    await world.deps.alerts.save({ ...first, event: { ...first.event, id: OTHER } });
    await itWasntMe();
    await itWasntMe({ id: 'act_other', target: { kind: 'alert' as const, alertId: OTHER } });
    const isConfirmed = () =>
      Promise.all(
        world.announced.map(async (id) =>
          (await world.deps.alerts.get(id))?.outcomes.some(({ verb }) => verb === 'recognize'),
        ),
      );
    const itWasMe = (alertId: string) =>
      performAction(
        ask('recognize', { ...holder, id: `act_${alertId.slice(4)}`, target: { kind: 'alert', alertId } }),
        world.deps,
      );

    await itWasMe(OTHER);
    expect(await isConfirmed()).toEqual([false, true]);
    await itWasMe(DECLINE);
    expect(await isConfirmed()).toEqual([true, true]);
  });

  it.each(['ACTIVE', 'BLOCKED'] as const)(
    'keeps the case that another purchase with the %s card joins, and its button, for as long as a new one',
    async (status) => {
      const OTHER = 'evt_fedcba9876543210';
      const first = await world.deps.alerts.get(DECLINE);
      if (first?.kind !== 'transaction') return expect.fail('the decline is stored');
      await world.deps.alerts.save({ ...first, event: { ...first.event, id: OTHER } });
      await itWasntMe();
      const { id: caseId } = (await onlyCase()).event;
      const keysOfCase = [`fraud-case:${acctId}`, `alert:${caseId}`].map(stateKey);
      for (const key of keysOfCase) expect(await redis().expire(key, 60)).toBe(1);
      world.service.status = status;

      await itWasntMe({ id: 'act_other', target: { kind: 'alert' as const, alertId: OTHER } });

      for (const key of keysOfCase) expect(await redis().ttl(key), key).toBeGreaterThan(29 * 24 * 3600);
    },
  );

  it('reports a purchase in the audit channel once, however often the button is pressed', async () => {
    await itWasntMe();
    await itWasntMe();
    await itWasntMe({ id: 'act_again' });

    expect(world.auditLines.filter((id) => id.endsWith('-asked'))).toHaveLength(1);
  });

  it('reports a purchase in the audit channel once when the button is pressed twice at once', async () => {
    const press = (id: string) =>
      performAction(ask('block', { ...holder, isFraud: true, id }), { ...world.deps, withLock: createLock(redis()) });

    await Promise.all([press('act_1'), press('act_2')]);

    expect(world.auditLines.filter((id) => id.endsWith('-asked'))).toHaveLength(1);
  });

  it('opens the case even if the card service is down, and blocks when the job runs again', async () => {
    const away = async () => {
      throw unanswered({ outcome: 'refused' });
    };
    const up = world.deps.card;
    const deps = {
      ...world.deps,
      card: { ...up, getAccount: away, setCardStatus: away, listAccountNetworkTransactions: away },
    };

    await expect(performAction(ask('block', { ...holder, isFraud: true }), deps)).rejects.toThrow();

    expect((await onlyCase()).purchases).toBeNull();
    expect(told).toHaveLength(1);

    await itWasntMe();

    expect(world.service.status).toBe('BLOCKED');
    await onlyCase();
  });

  it.each(['BLOCKED', 'CLOSED'] as const)('opens a case for a card that is already %s', async (status) => {
    world.service.status = status;

    await itWasntMe();

    expect(world.writes).toEqual([]);
    await onlyCase();
  });

  it('is audited before the case is announced', async () => {
    await itWasntMe();

    expect((await world.stations())[0]).toBe('asked');
    for await (const { record } of world.deps.audit.read()) {
      expect(record).toMatchObject({ verb: 'block', detail: expect.stringMatching(/^fraud case evt_/) });
      break;
    }
  });

  it('only blocks if someone else presses it', async () => {
    await performAction(ask('block', { isFraud: true }), world.deps);

    expect(world.service.status).toBe('BLOCKED');
    expect(world.announced).toEqual([]);
  });
});

describe('the card of an open case', () => {
  const APPROVER = { id: 'act_unblock', actor: { userId: 'U0ANA', teamId: 'T1' } };
  const why =
    /The cardholder reported a purchase as fraud: order a new card\. If it was not fraud, or this is the new card, close the fraud case first\./;

  it.each<[string, object]>([
    ['a command', byCommand],
    ['the form of its decline', {}],
  ])('is not unblocked by %s, and whoever asks is told what to do', async (_how, over) => {
    await itWasntMe();

    await performAction(ask('unblock', { ...APPROVER, ...over }), world.deps);

    expect(world.service.status).toBe('BLOCKED');
    expect(world.answers.at(-1)?.text).toMatch(why);
    expect((await world.stations()).at(-1)).toBe('failed');
  });

  it('is not unblocked by its holder alone, if the holder is an operator', async () => {
    const also = { ...holder, roles: ['operator' as const, 'holder' as const] };
    await itWasntMe(also);
    const block = (await onlyCase()).outcomes.find(({ verb }) => verb === 'block');
    expect(block?.control ?? null, 'Undo is not offered').toBeNull();
    const alertId = (await onlyCase()).event.id;

    await performAction(ask('close-fraud-case', { ...also, target: { kind: 'alert', alertId } }), world.deps);
    expect(world.answers.at(-1)?.text).toMatch(/You can’t close the fraud case of your own card: .*another operator/);
    const target = { kind: 'action', actionId: 'act_block1' } as const;
    await performAction(ask('undo-block', { ...also, target }), world.deps);

    expect(world.service.status).toBe('BLOCKED');
  });

  it('is unblocked by an approver once the case is closed', async () => {
    await itWasntMe();
    const alertId = (await onlyCase()).event.id;
    await performAction(ask('close-fraud-case', { target: { kind: 'alert', alertId } }), world.deps);

    await performAction(ask('unblock', { ...APPROVER, ...byCommand }), world.deps);

    expect(world.service.status).toBe('ACTIVE');
  });

  const LATER = 'evt_fedcba9876543210';
  /** The alert of a decline while the case is open. */
  async function declinedLater(): Promise<void> {
    const { alerts } = world.deps;
    const first = await alerts.get(DECLINE);
    if (first?.kind !== 'transaction') return expect.fail('the decline is stored');
    const remedy = { kind: 'unblock', hasFraudCase: true } as const;
    await alerts.record({ ...first, event: { ...first.event, id: LATER }, remedy, outcomes: [] }, []);
  }
  const remedyOfLater = async () => {
    const later = await world.deps.alerts.get(LATER);
    return later?.kind === 'transaction' ? later.remedy : null;
  };

  it('may be unblocked once the case is closed: the messages of its declines say so', async () => {
    await itWasntMe();
    await declinedLater();
    const alertId = (await onlyCase()).event.id;
    const updated: string[] = [];

    await performAction(ask('close-fraud-case', { target: { kind: 'alert', alertId } }), {
      ...world.deps,
      updateAlert: async (id) => void updated.push(id),
    });

    expect(await remedyOfLater()).toEqual({ kind: 'unblock' });
    expect(updated).toEqual([alertId, LATER]);
  });

  it('is still to be replaced if another case is open by the time the closing is shown', async () => {
    await itWasntMe();
    await declinedLater();
    const alertId = (await onlyCase()).event.id;

    await performAction(ask('close-fraud-case', { target: { kind: 'alert', alertId } }), {
      ...world.deps,
      fraudCases: { ...world.deps.fraudCases, openOf: async () => 'evt_another' },
    });

    expect(await remedyOfLater()).toEqual({ kind: 'unblock', hasFraudCase: true });
  });

  it('is not unblocked by a second attempt if the case was opened after the first', async () => {
    world.service.status = 'BLOCKED';
    const unblock = ask('unblock', { ...APPROVER, ...byCommand });
    const lost = async () => {
      throw unanswered();
    };
    await expect(
      performAction(unblock, { ...world.deps, card: { ...world.deps.card, setCardStatus: lost } }),
    ).rejects.toThrow();
    await itWasntMe();

    await performAction(unblock, world.deps);

    expect(world.writes).toEqual(['status BLOCKED']);
    expect(world.answers.at(-1)?.text).toMatch(why);
  });

  it.each<[string, 'ACTIVE' | 'BLOCKED']>([
    ['before the case was opened', 'BLOCKED'],
    ['while the card is active still', 'ACTIVE'],
  ])('is blocked although an approver has asked to unblock it %s', async (_when, status) => {
    world.service.status = status;
    const away = async () => {
      throw unanswered({ outcome: 'refused' });
    };
    if (status === 'ACTIVE')
      await expect(
        performAction(ask('block', { ...holder, isFraud: true }), {
          ...world.deps,
          card: { ...world.deps.card, setCardStatus: away },
        }),
      ).rejects.toThrow();
    await performAction(ask('unblock', { ...APPROVER, ...byCommand, askedAt: '2026-11-20T15:00:05.000Z' }), world.deps);

    await itWasntMe();

    expect(world.service.status).toBe('BLOCKED');
  });
});

describe('Close the case', () => {
  const close = (alertId: string, over: object = {}) =>
    performAction(
      ask('close-fraud-case', { id: 'act_close', target: { kind: 'alert', alertId }, ...over }),
      world.deps,
    );
  const OTHER = 'evt_fedcba9876543210';
  const refused = async (): Promise<never> => {
    throw refusal('No');
  };
  /** The cardholder reports another purchase. */
  const another = async () => {
    const first = await world.deps.alerts.get(DECLINE);
    if (first?.kind !== 'transaction') return expect.fail('the decline is stored');
    await world.deps.alerts.save({ ...first, event: { ...first.event, id: OTHER } });
    return ask('block', { ...holder, isFraud: true, id: 'act_other', target: { kind: 'alert', alertId: OTHER } });
  };

  /** The same world while the card service does not answer. */
  const withoutCardService = () => {
    const away = async () => {
      throw unanswered({ outcome: 'refused' });
    };
    const card = { ...world.deps.card, getAccount: away, setCardStatus: away };
    return { ...world.deps, card };
  };

  it('stays closed when the job that opened it runs again, and the card is blocked then', async () => {
    const report = ask('block', { ...holder, isFraud: true });
    await expect(performAction(report, withoutCardService())).rejects.toThrow();
    const { id } = (await onlyCase()).event;
    await close(id);

    await itWasntMe();

    expect(world.service.status).toBe('BLOCKED');
    expect(await world.deps.fraudCases.openOf(acctId)).toBeNull();
    await onlyCase();
  });

  it('stays closed when the job of a purchase that was added to it runs again', async () => {
    await itWasntMe();
    const [caseId = ''] = world.announced;
    world.service.status = 'ACTIVE';
    const added = await another();
    await expect(performAction(added, withoutCardService())).rejects.toThrow();
    await close(caseId, { askedAt: '2026-11-20T15:01:00.000Z' });
    const before = [...world.announced];

    await performAction(added, world.deps);

    expect(world.service.status).toBe('BLOCKED');
    expect(await world.deps.fraudCases.openOf(acctId)).toBeNull();
    expect(world.announced).toEqual(before);
  });

  it('is refused for a minute after another purchase was added, which nobody may have seen yet', async () => {
    await itWasntMe();
    const [caseId = ''] = world.announced;
    await performAction(await another(), world.deps);

    await close(caseId, { askedAt: '2026-11-20T15:00:59.000Z' });
    expect(world.answers.at(-1)?.text).toMatch(/^Not done. Another purchase was added .* Nothing changed\.$/);
    expect(await world.deps.fraudCases.openOf(acctId)).toBe(caseId);

    world.advance(60_000);
    await performAction({ ...(await another()), id: 'act_pressed_again' }, world.deps);
    await close(caseId, { id: 'act_again', askedAt: '2026-11-20T15:01:00.000Z' });
    expect(await world.deps.fraudCases.openOf(acctId), 'a press of the same button adds nothing').toBeNull();
  });

  it('shows on the message of an added purchase whether its own block worked, so that operators can block the card', async () => {
    await itWasntMe();
    world.service.status = 'ACTIVE';
    await performAction(await another(), { ...world.deps, card: { ...world.deps.card, setCardStatus: refused } });

    const added = await world.deps.alerts.get(world.announced[1] ?? '');
    if (added?.kind !== 'fraud-case') return expect.fail('the added purchase is stored');
    expect(added.outcomes).toMatchObject([{ verb: 'block', state: 'failed' }]);
    expect(renderAlert(added, { place: 'private', channel: 'C1', isLong: true }).text).toContain('block the card now');
  });

  it('leaves a later report of the same purchase to open another case', async () => {
    await itWasntMe();
    await close(world.announced[0] ?? '');

    await itWasntMe({ id: 'act_again' });

    expect(world.announced).toHaveLength(2);
    expect(await world.deps.fraudCases.openOf(acctId)).toBe(world.announced[1]);
  });

  it('shows who closed it and when, leaves the card unchanged, and lets a later report open another case', async () => {
    await itWasntMe();
    const { id } = (await onlyCase()).event;
    const close = (over: object = {}) =>
      performAction(ask('close-fraud-case', { target: { kind: 'alert', alertId: id }, ...over }), world.deps);

    await close();
    await close();
    await close({ id: 'act_other', actor: { userId: 'U0OTTO', teamId: 'T1' } });

    const closed = (await onlyCase()).outcomes.filter(({ verb }) => verb === 'close-case');
    expect(closed).toMatchObject([{ by: 'U0OLGA', state: 'done' }]);
    const notices = new Map(told.map(({ id: notice, userId, message }) => [notice, `${userId} ${message.text}`]));
    expect(notices.get(`fraud-closed-${id}`)).toMatch(
      /^U0HUGO <@U0OLGA> closed the fraud case of your .*\. The card stays/,
    );
    expect(world.service.status).toBe('BLOCKED');
    expect(await world.deps.fraudCases.openOf(acctId)).toBeNull();
    const events = [];
    for await (const { record } of world.deps.audit.read())
      if (record?.verb === 'close-fraud-case') events.push(record.event);
    expect(events).toEqual(['done', 'unchanged']);
    expect(world.answers.at(-1)?.text).toBe('<@U0OLGA> closed this fraud case before you. Nothing changed.');
  });

  it('answers whoever closes it where the case does not show that: another company reads the channel', async () => {
    await itWasntMe();
    const { id } = (await onlyCase()).event;
    const close = ask('close-fraud-case', { target: { kind: 'alert', alertId: id } });
    const before = world.answers.length;

    await performAction(close, world.deps);
    expect(world.answers.slice(before)).toEqual([]);
    await performAction(close, { ...world.deps, visibilityOf: async () => 'shared' });

    expect(world.answers.slice(before).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Closed: the fraud case of Jane Doe · card[^.]*\.$/),
    ]);
  });

  it.each([
    ['is linked to somebody else by then', 'U0BOB', ['U0BOB']],
    ['is linked to nobody by then', null, []],
  ])('tells whoever holds the card when it is closed: it %s', async (_what, userId, informed) => {
    await itWasntMe();
    const { id } = (await onlyCase()).event;
    const { links } = world.deps;
    if (userId === null) await links.unlink(acctId);
    else await links.link({ acctId, userId, provedBy: 'approver', by: 'U0ANA', at: '2026-11-20T16:00:00Z' });

    await performAction(ask('close-fraud-case', { target: { kind: 'alert', alertId: id } }), world.deps);

    const closed = told.filter((notice) => notice.id === `fraud-closed-${id}`);
    expect(closed.map((notice) => notice.userId)).toEqual(informed);
  });

  it('is refused to a cardholder', async () => {
    await itWasntMe();
    const { id } = (await onlyCase()).event;

    await performAction(ask('close-fraud-case', { ...holder, target: { kind: 'alert', alertId: id } }), world.deps);

    expect((await onlyCase()).outcomes.some(({ verb }) => verb === 'close-case')).toBe(false);
    expect(await world.stations()).toContain('refused');
  });
});
