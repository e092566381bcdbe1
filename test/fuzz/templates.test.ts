import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ModalView } from '@slack/types';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClosedRequest, OverriddenRequest } from '../../src/approvals/request.ts';
import { limitWindows } from '../../src/card-api/rule.ts';
import { goalsOf } from '../../src/card-api/rule-change.ts';
import { DEFAULT_COMMAND, DEFAULT_ZONE, useInstallation } from '../../src/core/installation.ts';
import { TemporaryChange } from '../../src/limits/temporary-change-store.ts';
import type { Mute } from '../../src/routing/mute-store.ts';
import type { Message } from '../../src/slack/message.ts';
import { askAgain, stillTrying } from '../../templates/actions/ask-again.ts';
import { settingSetSince } from '../../templates/actions/setting-words.ts';
import { cardTrack } from '../../templates/alerts/card-track.ts';
import { declineList } from '../../templates/alerts/decline-list.ts';
import { declinePaid } from '../../templates/alerts/decline-paid.ts';
import { explainDecline } from '../../templates/alerts/explain-decline.ts';
import { responded, respondedBefore } from '../../templates/alerts/seen.ts';
import { delegateForm, delegateSet } from '../../templates/app-home/delegate.ts';
import { ownDigest } from '../../templates/app-home/own-digest.ts';
import { ownDigestSet, preferenceSet, quietHoursSet } from '../../templates/app-home/preferences.ts';
import { approvalRequest } from '../../templates/approvals/approval-request.ts';
import { askForm } from '../../templates/approvals/ask-form.ts';
import { decideForm } from '../../templates/approvals/decide-form.ts';
import { permissionAsked, permissionSent } from '../../templates/approvals/permission-asked.ts';
import { overrideNotice, requestReminder } from '../../templates/approvals/request-notes.ts';
import { digestOff, digestPartlyOff, digestSet } from '../../templates/digests/digest-set.ts';
import { cardOption, cardPicker, readingCard } from '../../templates/directory/card-picker.ts';
import { commandForm } from '../../templates/dispatch/command-form.ts';
import { unclear } from '../../templates/dispatch/unclear.ts';
import { tooMany, tooManyForm, unknownControl, unknownForm } from '../../templates/dispatch/unknown.ts';
import { fraudCaseClosed, fraudNotice } from '../../templates/holders/fraud-notice.ts';
import {
  requestDecided,
  requestSent,
  requestUnconfirmed,
  sameRequestEnded,
} from '../../templates/holders/holder-request.ts';
import { limitCardForm } from '../../templates/limits/limit-card-form.ts';
import { overwritten } from '../../templates/limits/overwritten.ts';
import { temporaryChange, temporaryChangeEnded } from '../../templates/limits/temporary-change.ts';
import { notPermitted } from '../../templates/policy/not-permitted.ts';
import { recoveryLine, recoveryStarted } from '../../templates/recovery/recovery-line.ts';
import { alertLengthSet, quietEnded, quietSet } from '../../templates/routing/channel-settings.ts';
import { muteEnded, muteList, muteSet, notMuted } from '../../templates/routing/mutes.ts';
import { subscribed, subscriptionList, unsubscribed } from '../../templates/routing/subscriptions.ts';
import { why } from '../../templates/routing/why.ts';
import { orderAnswer, overdueAnswer, resendAnswer } from '../../templates/virtual-cards/order.ts';
import { virtualOrderForm } from '../../templates/virtual-cards/order-form.ts';
import { expiryWarning, limitWarning, subscriptionWarning, warningsSet } from '../../templates/warnings/warnings.ts';
import { checkBlocks } from '../../workspace/block-limits.ts';
import { examples } from '../support/examples.ts';
import { limitChange } from '../support/limit-goals.ts';
import { ask } from '../support/perform-world.ts';
import { clumsyIn } from '../templates/clumsy.ts';
import { expectCopyable } from '../templates/copyable.ts';
import { card as somebody, transactionAlert } from '../templates/fixtures.ts';
import { expectFit, expectPlain, spiteful } from '../templates/judge.ts';
import { texts } from '../templates/shown.ts';

// A non-default command and time zone, because `expectFit` checks that the defaults do not appear.
beforeAll(() => useInstallation({ command: '/pay', serviceZone: 'Asia/Kathmandu' }));
afterAll(() => useInstallation({ command: DEFAULT_COMMAND, serviceZone: DEFAULT_ZONE }));

const at = '2026-11-20T14:14:00Z';
/** Length of each list. Null means the length given for the template. */
let listLength: number | null = null;
const many = <T>(one: T, count = 30): T[] => Array<T>(listLength ?? count).fill(one);

const atLeastOne = <T>(one: T): T[] => [one, ...many(one)];

/** The most limits a card can have, in a category with any name. */
const limits = (name: string) =>
  limitWindows.flatMap((period) =>
    [{ id: 1, name: name || 'Hotels' }, null].map((category) => limitChange(period, null, 500, category)),
  );
const daily = (name: string) => limitChange('daily', 400, 500, { id: 1, name: name || 'Hotels' });

const requestOf = (one: string, two: string, isSeveral = false): OverriddenRequest => {
  const changes = isSeveral ? limits(one) : [daily(one)];
  return {
    id: 'req_1',
    revision: 0,
    action: ask('limit', { reason: two }),
    acctId: 1,
    card: { ...somebody, holder: one, last4: two },
    holder: null,
    orderCents: null,
    isOwnCard: false,
    goals: goalsOf(changes),
    changes,
    temporary: [{ rule: daily(one).rule, now: 450, back: 400, until: two }],
    term: { kind: 'permanent' },
    needed: 1,
    voided: [{ by: one || 'U1', why: 'same', standsInFor: two }],
    isBlocked: true,
    facts: {
      purchase: {
        amountCents: 8410,
        merchant: one,
        kind: two || null,
        link: `https://example.slack.com/archives/C1/p${two}`,
      },
      left: [{ period: 'weekly', limitCents: null, remainingCents: -5 }],
      there: many({ at: one, amountCents: 5 }, 5),
      earlier: ['approved', 'denied', 'denied'],
    },
    approvals: [],
    counted: {
      rule: daily(one).rule,
      ownCents: null,
      earlier: [{ by: two, at: one, cents: 1 }],
      aboveCents: 1,
      cap: null,
    },
    inFlight: [],
    state: 'overridden',
    note: two || 'urgent',
    decision: { actionId: 'act_1', by: one || 'U1', at },
    temporaryChangeId: null,
    expiresAt: at,
    remindedAt: null,
  };
};

const deniedOf = ({
  temporaryChangeId: _made,
  ...request
}: OverriddenRequest): Extract<ClosedRequest, { state: 'denied' }> => ({
  ...request,
  state: 'denied',
});

/** The output of each template for two strings in all its text inputs. Templates with properties elsewhere are omitted. */
const made: Readonly<Record<string, (one: string, two: string) => readonly (Message | ModalView)[]>> = {
  'ask-form': (one) => [
    askForm({ privateMetadata: 'p_1', about: one, amountCents: 8410, term: { kind: 'purchase' }, today: '2026-11-20' }),
  ],
  'card-picker': (one, two) => {
    const card = { ...somebody, holder: one, last4: two };
    const controls = (['show', 'activate', 'unblock', 'limit', 'block'] as const).map((verb) => ({
      verb,
      value: 'p_1',
    }));
    expect(cardOption('p_1', card, two).text.text.length).toBeLessThanOrEqual(75);
    return [cardPicker({ privateMetadata: 'p_1', picked: { card, status: two, controls }, notice: null })];
  },
  'card-track': (one, two) => {
    const shipment = {
      callbackAt: two,
      shippingMethod: one,
      trackingNumber: two,
      last4: one,
      cardOrderId: 1,
      orderedAt: one,
    };
    const card = { ...somebody, holder: one, last4: two };
    const named = { cardId: 1, last4: one, status: two };
    const track = { card, isVirtual: false, named, isForHolder: false, at: two };
    return [
      cardTrack({ ...track, cards: many(named), shipments: many(shipment) }),
      cardTrack({ ...track, isVirtual: true, named: null, cards: [], shipments: [], isForHolder: true }),
    ];
  },
  'decline-list': (one, two) => {
    const { event } = transactionAlert({ decline: { code: two, message: one } });
    const declined = { ...event, occurredAt: one, merchant: { ...event.merchant, name: one } };
    return [
      declineList({
        card: { ...somebody, holder: one },
        since: '7 days',
        unreadable: null,
        page: 1,
        again: one,
        declines: many(declined),
      }),
    ];
  },
  'fraud-notice': (one, two) => [
    fraudCaseClosed({ card: somebody, by: one }),
    fraudNotice({ card: { ...somebody, holder: one, last4: two }, operators: many('U1'), added: null }),
    fraudNotice({
      card: { ...somebody, last4: one },
      operators: [],
      added: transactionAlert({ merchant: { ...transactionAlert().event.merchant, name: two } }).event,
    }),
  ],
  'decide-form': (one, two) => {
    return [requestOf(one, two), requestOf(one, two, true)].flatMap((request) =>
      (['change', 'deny', 'override'] as const).map((purpose) =>
        decideForm({ privateMetadata: 'p_1', purpose, request, capCents: 5000, today: '2026-11-20' }),
      ),
    );
  },
  'request-notes': (one, two) =>
    [requestOf(one, two), requestOf(one, two, true)].flatMap((request) => [
      requestReminder(atLeastOne({ request, link: `https://example.slack.com/p${two}` }), many('U1')),
      overrideNotice(request, many('U1')),
      requestDecided(request),
      requestDecided(deniedOf(request)),
      sameRequestEnded(deniedOf(request)),
      requestUnconfirmed(request, { kind: 'approval', by: two, changes: request.changes, term: request.term }),
      approvalRequest(request),
    ]),
  'ask-again': (one) => [askAgain({ value: 'p_1', asked: one, waitedMs: 660_000 })],
  'still-trying': (one) => [
    stillTrying({ asked: one, isRateLimited: false, unread: null, isBlock: true, isHolder: true, isOnAlert: true }),
  ],
  'digest-set': (one, two) => [
    digestSet({ weekday: null, isMonthly: true, hour: 9, minute: 0, zone: one, next: two }),
    digestOff(['daily'], { named: 'C1', of: 'daily', left: ['weekly', 'monthly'] }),
    digestPartlyOff(['daily'], ['weekly']),
  ],
  'explain-decline': (one, two) => {
    const alert = transactionAlert({ decline: { code: two, message: one } }, { card: { ...somebody, holder: one } });
    const around = { place: 'private' as const, more: 3 };
    const whoMay = { approver: ['U1'], operator: ['U2'] };
    return [
      explainDecline(
        many({ alert, whoMay, eventLog: many({ step: 'routed' as const, at: two, channel: one, text: one }, 3) }, 4),
        around,
      ),
    ];
  },
  'holder-request': (one, two) => {
    const card = { ...somebody, holder: one, last4: two };
    return [[limitChange('daily', 1, 5, { id: 1, name: one })], limits(one)].map((changes) =>
      requestSent({ card, payCents: 30_000, changes, term: { kind: 'permanent' }, note: two, isTwin: false }),
    );
  },
  overwritten: (one, two) => {
    const card = { ...somebody, holder: one, last4: two };
    return [[null], ['U1', null]].map((by) => overwritten(limits(one), card, by));
  },
  temporaryChange: (one, two) => {
    const card = { ...somebody, holder: one, last4: two };
    return TemporaryChange.shape.state.options.flatMap((state) => {
      const given = TemporaryChange.parse({
        id: 'act_1',
        acctId: 1,
        changes: limits(one),
        meanwhile: limits(one),
        term: { kind: 'permanent' },
        by: { userId: one, teamId: 'T1' },
        openedAt: at,
        endsAt: two,
        purchase: { merchantId: two, merchant: one, maxCents: 5, declinedAt: at },
        alertId: null,
        requestId: null,
        certainty: 'certain',
        state,
        closedAt: two,
        closedBy: one,
      });
      const single = { ...given, changes: [daily(one)], meanwhile: null, instead: [daily(one)] };
      return [given, single].flatMap((shown) => [temporaryChange(shown, card), temporaryChangeEnded(shown, card)]);
    });
  },
  'decline-paid': (one, two) => {
    const alert = transactionAlert();
    const outcomes = (['limit', 'paid', 'restore'] as const).map((verb) => {
      return { verb, by: verb === 'limit' ? one || 'U1' : null, at, state: 'done', text: two } as const;
    });
    const event = { ...alert.event, merchant: { ...alert.event.merchant, name: one } };
    return [declinePaid({ ...alert, card: { ...alert.card, holder: two }, outcomes }, event)];
  },
  'limit-card-form': (one, two) => [limitCardForm('p_1', { ...somebody, holder: one, last4: two })],
  'reading-card': () => [readingCard()],
  mutes: (one, two) => {
    const common = {
      id: 'mute_1',
      acctId: 1,
      card: { ...somebody, holder: one },
      by: one,
      reason: two,
      at,
      endsAt: at,
    };
    const mute: Mute = { kind: 'travel', ...common, countries: many(one), directChannel: 'D1' };
    return [
      muteSet(mute),
      muteSet({ kind: 'mute', ...common }),
      muteSet(mute, { kind: 'mute', ...common }),
      muteSet({ kind: 'mute', ...common }, mute),
      muteEnded({ mutes: [mute], stillMuted: at, channel: two, kinds: many('decline', 200) }),
      notMuted(),
      muteEnded({ mutes: many(mute), endedBy: one, channel: two, kinds: many('decline', 200) }),
      muteList({ mutes: many({ ...mute, count: 5 }, 100), page: 2 }),
    ];
  },
  preferences: (one) => [
    quietHoursSet({ words: one }),
    preferenceSet({ what: 'declines', isOn: true, hasCard: false }),
    ownDigestSet({ often: 'weekly', hasCard: false }),
  ],
  delegate: (one) => [
    delegateForm(many(one)),
    delegateSet({ to: one, from: one, until: one }, many({ to: one, from: one, until: one })),
    delegateSet(null, []),
    settingSetSince(),
  ],
  'command-form': () => [commandForm()],
  'own-digest': (one, two) => {
    const limit = { period: 'daily', category: one || null, limitCents: 5, remainingCents: 5 } as const;
    const { event } = transactionAlert({ decline: { code: two, message: one } });
    const decline = { ...event, merchant: { ...event.merchant, name: one }, attempts: 30, isNew: false };
    const card = { ...somebody, holder: one, last4: two };
    const facts = { card, value: two, status: one, isStatusRead: true, readAt: at, balance: -5, hasLimits: true };
    const sums = { count: 1, attempts: 30, cents: 5 };
    return [
      ownDigest({
        often: 'daily',
        from: '2026-11-19T14:00:00Z',
        total: sums,
        isCut: true,
        cards: many({ ...facts, limits: many(limit), declines: many(decline) }),
      }),
    ];
  },
  'not-permitted': (one) => [
    notPermitted({
      doing: 'block cards',
      role: 'operator',
      isExternal: false,
      isForSomeCards: false,
      instead: null,
      whoMay: ['U1', ...many(one)],
      askValue: 'p_1',
    }),
  ],
  'permission-asked': (one, two) => {
    const card = { ...somebody, holder: one, last4: two };
    const rule = { kind: 'category', category: { id: 1, name: two } } as const;
    const changeRequest = { goals: [{ rule, to: true }], term: { kind: 'permanent' } } as const;
    const asked = {
      by: 'U1',
      doing: 'block cards',
      typed: { words: one || 'block', channel: null },
      input: { details: one, changeRequest },
      purchase: { amountCents: 8410, merchant: { name: one, city: two, state: '', country: '', id: '' } },
      link: 'https://team.slack.com/archives/C1/p1',
      reason: two,
      command: 'block',
      role: 'approver' as const,
      whoMay: many('U1'),
    };
    return [
      permissionAsked({ ...asked, card }),
      permissionAsked({ ...asked, card: null, command: null, whoMay: [] }),
      permissionSent(asked),
    ];
  },
  'limit-warning': (one, two) => {
    const limit = { limitCents: 40_000, usedCents: 40_001, threshold: 90, period: 'daily', resetsAt: at } as const;
    const card = { ...somebody, holder: one, last4: two };
    return [
      limitWarning({ card, limits: many({ ...limit, category: one || null }), value: 'sealed' }),
      limitWarning({ card, limits: [{ ...limit, category: null, resetsAt: null }], value: 'sealed' }),
    ];
  },
  'subscription-warning': (one, two) => {
    const alert = transactionAlert({ merchant: { id: one, name: one, city: two, state: two, country: two } });
    return (['team', 'holder'] as const).map((audience) =>
      subscriptionWarning({ alert: { ...alert, card: { ...somebody, holder: two } }, days: 3, since: at }, audience),
    );
  },
  'expiry-warning': (one, two) =>
    (['team', 'holder'] as const).map((audience) =>
      expiryWarning({ card: { ...somebody, holder: one, last4: two }, expiresOn: two }, audience),
    ),
  'warnings-set': () =>
    [true, false].map((isOn) =>
      warningsSet({ kinds: ['low-balance', 'expiring-cards'], isOn, elsewhere: 'Elsewhere.' }),
    ),
  'alert-length': () => [true, false].map((isLong) => alertLengthSet({ isLong })),
  quiet: (one, two) => [
    quietSet({ words: one, except: two, unknown: [{ what: 'group', typed: one, meant: two }], until: at, released: 3 }),
    quietEnded({ wasSet: true, released: 2 }),
  ],
  'recovery-line': (_one, two) =>
    (['running', 'waiting', 'done', 'failed'] as const).map((state) =>
      recoveryLine({
        // Our own time, which a command repeats.
        from: at,
        to: two,
        state,
        done: 0.5,
        recovered: 1,
        unsent: 1,
        unreadable: 1,
        statuses: 1,
      }),
    ),
  'recovery-started': (one) => [recoveryStarted({ from: one, channel: 'C1' })],
  seen: (one, two) => [
    responded('acknowledge', { ...somebody, holder: one, last4: two }, true),
    responded('close-case', { ...somebody, holder: one, last4: two }, false),
    respondedBefore('acknowledge', 'U0OLGA'),
  ],
  subscriptions: (one, two) => {
    const subscription = { number: 1, channel: 'C1', filter: one, by: two, at: two };
    const preview = { count: 14, isAll: false, unknown: [{ what: 'group', typed: one, meant: two }] as const };
    const digests = [{ weekday: 1, isMonthly: false, hour: 9, minute: 0, zone: one, by: two, at: two }];
    const subscriptions = many(subscription, 100);
    const rule = { channel: 'C1', byDefault: ['declines'], subscriptions, digests, quiet: null };
    return [
      subscribed({ subscription, isNew: true, byDefault: [], addsNothing: false, ...preview }),
      subscribed({ subscription, isNew: true, byDefault: ['declines'], addsNothing: true, ...preview }),
      subscriptionList({ isAll: true, rules: many(rule), mutes: 2, page: 3 }),
      unsubscribed({ removed: many(subscription, 100), left: many(subscription, 100) }),
    ];
  },
  unknown: () => [
    tooMany(),
    tooManyForm(),
    unknownForm(),
    ...(['button', 'shortcut', 'command'] as const).map(unknownControl),
  ],
  unclear: (one) => [unclear({ why: one, usage: 'help' })],
  'virtual-order': (one, two) =>
    (['done', 'failed', 'unknown'] as const).flatMap((state) => [
      orderAnswer({ state, name: one, summary: two, orderId: 1, apiWords: one, note: two, ref: one }),
      resendAnswer({ state, card: { ...somebody, holder: one }, apiWords: two, note: one, ref: two }),
    ]),
  'virtual-overdue': (one, two) =>
    [
      { kind: 'order', orderId: 1 } as const,
      { kind: 'name', name: one } as const,
      { kind: 'resend', acctId: 1 } as const,
    ].map((awaited) =>
      overdueAnswer({
        awaited,
        card: { ...somebody, holder: one },
        summary: two,
        at: '2026-11-20T15:00:00.000Z',
        ref: two,
      }),
    ),
  'virtual-order-form': (one, two) => [
    virtualOrderForm({
      privateMetadata: 'p_1',
      firstName: one,
      lastName: two,
      bands: [{ upToCents: 5000, approvals: 1 }],
    }),
  ],
  why: (one, two) => {
    const steps = many({ step: 'routed' as const, at: two, channel: 'C1', text: one }, 120);
    const posted = many({ channel: 'C1', at: two, link: one }, 40);
    const facts = { id: 'evt_1', what: 'A decline.', callbackAt: two, receivedAt: one, isLate: true, times: 3 };
    return [why({ ...facts, steps, ofFirst: steps, posted, others: 35 })];
  },
};

describe('with any strings, Slack accepts the output and shows them as text:', () => {
  it.each(Object.entries(made))('%s', (_name, make) => {
    fc.assert(
      fc.property(spiteful, spiteful, (one, two) => {
        for (const shown of make(one, two)) {
          if ('type' in shown) {
            expect(checkBlocks(shown.blocks, 'modal')).toEqual([]);
            expectPlain(shown.blocks);
          } else expectFit(shown);
        }
      }),
      { numRuns: examples(8) },
    );
  });
});

/** Templates in which the strings are times or our own words, which are never missing. */
const neverMissing =
  /^(?:card-track|decline-list|ask-again|still-trying|digest-set|explain-decline|temporaryChange|mutes|preferences|delegate|not-permitted|quiet|subscriptions|why|request-notes)$/;

describe('with empty and short lists and with missing values, the output reads as sentences:', () => {
  it.each(Object.entries(made))('%s', (name, make) => {
    const words = [
      ['Sam Rivera', 'FedEx'],
      ['Sam Rivera', ''],
      ['', 'FedEx'],
    ] as const;
    try {
      for (const length of [null, 0, 1, 2]) {
        listLength = length;
        for (const [one, two] of neverMissing.test(name) ? words.slice(0, 1) : words) {
          for (const shown of make(one, two)) {
            for (const { type, text } of texts(shown.blocks)) if (type === 'mrkdwn') expectCopyable(text);
            const read = 'type' in shown ? texts(shown.blocks) : [...texts(shown.blocks), { text: shown.text }];
            for (const { text } of read)
              expect([text, clumsyIn(text)], `“${one}”, “${two}”, lists of ${length}`).toEqual([text, null]);
          }
        }
      }
    } finally {
      listLength = null;
    }
  });
});

const importLine = /^(?:import|export)\s(?:[^;'"]*?\sfrom\s+)?'(\.[^']+)'/gm;
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(importLine)].map(([, to]) => join(dirname(file), to ?? ''));

it('covers every template with a property', () => {
  const tests = ['test/templates', 'test/fuzz'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes('fc.assert')),
  );
  // Imports of a tested template are tested with it.
  const reached = new Set<string>();
  const reach = (file: string): void => {
    if (!file.startsWith('templates/') || reached.has(file)) return;
    reached.add(file);
    importsOf(file).forEach(reach);
  };
  for (const file of tests) importsOf(file).forEach(reach);
  const all = readdirSync('templates', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `templates/${name}`)
    .filter((file) => /\): (Message|ModalView|HomeView)\b/.test(readFileSync(file, 'utf8')));

  expect(all.length).toBeGreaterThan(40);
  expect(all.filter((file) => !reached.has(file))).toEqual([]);
});
