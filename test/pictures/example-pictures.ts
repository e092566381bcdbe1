import type { ModalView } from '@slack/types';
import { channelId, userId } from '../../local/cast.ts';
import { ActivationReminder, FraudCaseAlert } from '../../src/alerts/alert.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { askAgain, stillTrying } from '../../templates/actions/ask-again.ts';
import { renderAlert } from '../../templates/alerts/alert.ts';
import { declinePaid } from '../../templates/alerts/decline-paid.ts';
import { responded } from '../../templates/alerts/seen.ts';
import { delegateForm, delegateSet } from '../../templates/app-home/delegate.ts';
import { ownDigest } from '../../templates/app-home/own-digest.ts';
import { ownDigestSet, preferenceSet, quietHoursSet } from '../../templates/app-home/preferences.ts';
import { homeProgramMenu } from '../../templates/app-home/program-menu.ts';
import { permissionAsked, permissionSent } from '../../templates/approvals/permission-asked.ts';
import { digestSet } from '../../templates/digests/digest-set.ts';
import { commandForm } from '../../templates/dispatch/command-form.ts';
import { tooMany, unknownControl } from '../../templates/dispatch/unknown.ts';
import { claimWaits, confirmOwnCard } from '../../templates/holders/claim-answers.ts';
import { claimRequest } from '../../templates/holders/claim-request.ts';
import { fraudNotice } from '../../templates/holders/fraud-notice.ts';
import { renderHolderAlert } from '../../templates/holders/holder-alert.ts';
import { requestSent } from '../../templates/holders/holder-request.ts';
import { holderWelcome, linkResult } from '../../templates/holders/link-result.ts';
import { limitCardForm } from '../../templates/limits/limit-card-form.ts';
import { overwritten } from '../../templates/limits/overwritten.ts';
import { opsNotice } from '../../templates/ops/ops-notice.ts';
import { notPermitted } from '../../templates/policy/not-permitted.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import { recoveryStarted } from '../../templates/recovery/recovery-line.ts';
import { alertLengthSet } from '../../templates/routing/channel-settings.ts';
import { shared } from '../../templates/routing/shared-channel.ts';
import { orderAnswer } from '../../templates/virtual-cards/order.ts';
import { expiryWarning, limitWarning, subscriptionWarning, warningsSet } from '../../templates/warnings/warnings.ts';
import { limitChange, limitGoal } from '../support/limit-goals.ts';
import { ask } from '../support/perform-world.ts';
import { answer } from '../templates/answer-fixtures.ts';
import {
  declined,
  outcome,
  raise,
  shippingAlert,
  card as someCard,
  transactionAlert,
  virtualAlert,
} from '../templates/fixtures.ts';
import type { Picture, PictureSection } from './picture.ts';

/** A picture of messages, or of one form, that templates make of examples. No product runs. */
export interface ExamplePicture extends Picture {
  readonly shows: () => ModalView | readonly Message[];
}

/** When the examples are looked at. */
export const EXAMPLES_AT = '2026-11-20T15:00:00Z';

const at = '2026-11-20T14:20:00Z';
const card: CardFacts = { ...someCard, last4: '1234', holder: 'Sam Rivera', customId: 'EMP-1130' };
const view = { place: 'private', channel: channelId.declines } as const;
const overLimit = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit', { card, remedy: raise });
const money = (kind: string, networkType: string, over: object = {}) =>
  renderAlert(transactionAlert({ kind, networkType, decline: null, ...over }, { card }), view);
const subscription = transactionAlert(
  {
    merchant: { name: 'Sketchboard', city: '', state: '', country: 'US', id: 'M2' },
    amountCents: 4900,
    isCardPresent: false,
  },
  { card },
);

const fraudCase = FraudCaseAlert.parse({
  kind: 'fraud-case',
  event: { ...overLimit.event, id: 'evt_0000000000000001' },
  card,
  outcomes: [outcome({ verb: 'block', by: userId.sam, at, asHolder: true, confirmation: 'confirmed' })],
  late: false,
  alertId: overLimit.event.id,
  reported: { by: userId.sam, at },
  operators: [userId.olga],
  purchases: [
    { at, amountCents: 9640, merchant: 'Oak Hardware' },
    { at: '2026-11-19T16:02:00Z', amountCents: 3820, merchant: 'Corner Diner' },
  ],
});

const direct = (alert: Parameters<typeof renderHolderAlert>[0]): Message[] => {
  const message = renderHolderAlert(alert, { place: 'direct' });
  return message === null ? [] : [message];
};

const alerts: readonly ExamplePicture[] = [
  {
    name: 'money',
    words: 'A purchase with PIN, a settlement and a reversal are one quiet line each.',
    alt: 'Three lines: spent with PIN, settled, and reversed',
    templates: ['alerts/money-line'],
    shows: () => [
      money('pin', 'Pin'),
      money('settlement', 'Settlement', { settledAt: at }),
      money('reversal', 'Reversal', { direction: 'credit' }),
    ],
  },
  {
    name: 'shipping',
    words: 'A shipped card, and the reminder ten days later if nobody has activated it.',
    alt: 'A shipped card with its tracking number; then: still not activated, with a button that activates it',
    templates: ['alerts/card-shipping', 'alerts/activation-reminder'],
    shows: () => {
      const { event, ...rest } = shippingAlert({ last4: '1234' }, { card });
      return [
        renderAlert({ ...rest, event }, view),
        renderAlert(
          ActivationReminder.parse({
            ...rest,
            event: { ...event, id: 'evt_0000000000000002', callbackAt: '2026-11-12T14:14:05Z' },
            kind: 'activation-reminder',
          }),
          view,
        ),
      ];
    },
  },
  {
    name: 'virtual',
    words: 'A virtual card that was created, and another for which a step failed. The card number is never shown.',
    alt: 'Virtual card created; virtual card created, but incomplete: it could not be funded',
    templates: ['alerts/virtual-card'],
    shows: () => {
      const made = { ...card, holder: 'Jon Snow', last4: '8888', isVirtual: true };
      return [
        renderAlert(virtualAlert({}, { card: made, asked: { by: userId.ana, at } }), view),
        renderAlert(virtualAlert({ outcome: 'partial', failed: ['Funding'] }, { card: made }), view),
      ];
    },
  },
  {
    name: 'blocked-card',
    words:
      'In a channel with long alerts, declines of a blocked card stay short and are counted. The second message answers *Acknowledge*.',
    alt: 'Card is blocked: declined 3 times; marked as seen',
    templates: ['alerts/decline-blocked', 'alerts/seen'],
    shows: () => {
      const blocked = {
        count: 3,
        firstAt: '2026-11-20T13:02:00Z',
        lastAt: at,
        minCents: 1250,
        maxCents: 8410,
      };
      const { event, ...rest } = declined('decline.card.status', 'Card is blocked', {
        card: { ...card, status: 'BLOCKED' },
        remedy: { kind: 'unblock' },
      });
      return [
        renderAlert({ ...rest, event, repeats: { [view.channel]: blocked } }, { ...view, isLong: true }),
        responded('acknowledge', card, true),
      ];
    },
  },
  {
    name: 'paid-notice',
    words: 'The approver learns that the purchase was paid.',
    alt: 'Paid: $84.10, approved by Ana, limit back to $150.00',
    templates: ['alerts/decline-paid'],
    shows: () => [
      declinePaid(
        {
          ...overLimit,
          outcomes: [
            outcome({ verb: 'limit', by: userId.ana, at, confirmation: 'confirmed' }),
            outcome({ verb: 'paid', by: null, at: '2026-11-20T14:21:00Z' }),
            outcome({
              verb: 'restore',
              by: null,
              at: '2026-11-20T14:21:00Z',
              text: 'Daily limit $184.10 → $150.00',
              goals: [limitGoal('daily', 15_000)],
            }),
          ],
        },
        overLimit.event,
      ),
    ],
  },
  {
    name: 'shared-channel',
    words: 'A channel that is shared with another company shows nothing about cards.',
    alt: 'There is news about a card. It is not shown here',
    templates: ['routing/shared-channel'],
    shows: () => [shared(overLimit)],
  },
];

const fraud: readonly ExamplePicture[] = [
  {
    name: 'fraud-case',
    words:
      '*It wasn’t me* blocks the card and opens a fraud case for the operators; later events follow in its thread.',
    alt: 'Fraud reported: who said so, the latest purchases, what to do, and that the card is blocked',
    templates: ['alerts/fraud-case'],
    shows: () => [renderAlert(fraudCase, view)],
  },
  {
    name: 'fraud-notice',
    words: 'The holder learns what happens next, and how to get a new card.',
    alt: 'Fraud case opened: the card is being blocked, what happens next, and the new card',
    templates: ['holders/fraud-notice'],
    shows: () => [fraudNotice({ card, operators: [userId.olga], added: null })],
  },
];

const holders: readonly ExamplePicture[] = [
  {
    name: 'link-question',
    words: '`/card link 1234` from a person with the holder’s email address takes one click.',
    alt: 'Is this your card? With a button',
    templates: ['holders/claim-answers'],
    shows: () => [confirmOwnCard([{ value: 'claim_1', card }])],
  },
  {
    name: 'link-request',
    words: 'With a different address, an approver confirms the link.',
    alt: 'To the person who asks: sent to the approvers. To the approvers: who claims the card, with Confirm and Refuse',
    templates: ['holders/claim-answers', 'holders/claim-request'],
    shows: () => [
      claimWaits({ isUnlink: false }),
      claimRequest({
        claim: {
          id: 'claim_1',
          action: ask('claim', { actor: { userId: userId.otto, teamId: 'T1' }, askedAt: at }),
          card: { acctId: card.acctId ?? 0, isSameEmail: false, isSameName: false },
          state: 'open',
          expiresAt: '2026-11-21T14:20:00Z',
        },
        card,
        value: 'claim_1',
        heldBy: userId.sam,
        isSameEmail: false,
        isSameName: false,
      }),
    ],
  },
  {
    name: 'linked',
    words: 'Once the card is linked: the answer, and the first direct message.',
    alt: 'Linked: Sam holds the card. Then which messages Sam will get, and how to block the card',
    templates: ['holders/link-result'],
    shows: () => [
      linkResult({ card, userId: userId.sam, isOwn: false, before: null, isSame: false }),
      holderWelcome({ card, by: userId.ana }),
    ],
  },
  {
    name: 'holder-mail',
    words: 'A shipped card and a virtual card, as the holder sees them.',
    alt: 'Your new card is on its way; your virtual card is ready',
    templates: ['holders/holder-alert'],
    shows: () => [
      ...direct(shippingAlert({ last4: '1234' }, { card })),
      ...direct(
        virtualAlert({ last4: '8888', holder: 'Sam Rivera' }, { card: { ...card, last4: '8888', isVirtual: true } }),
      ),
    ],
  },
  {
    name: 'holder-asked',
    words: 'The answer to *Ask for more…*, and the decline with the status of the request.',
    alt: 'Asked, to pay $84.10; then the decline: sent to approvers',
    templates: ['holders/holder-request', 'holders/holder-outcomes'],
    shows: () => [
      requestSent({
        card,
        payCents: 8410,
        changes: [limitChange('daily', 15_000, 18_410)],
        term: { kind: 'purchase' },
        note: 'I’ll message you when the approvers have decided, or when the request expires.',
        isTwin: false,
      }),
      ...direct({ ...overLimit, outcomes: [outcome({ verb: 'limit', by: userId.sam, at, state: 'waiting' })] }),
    ],
  },
];

const warnings: readonly ExamplePicture[] = [
  {
    name: 'warnings',
    words: 'Before the decline: most of a limit is used, a card expires, a subscription keeps failing.',
    alt: 'Three warnings, each with what to do',
    templates: ['warnings/warnings'],
    shows: () => [
      limitWarning({
        card,
        limits: [
          {
            period: 'daily',
            category: null,
            limitCents: 15_000,
            usedCents: 13_700,
            threshold: 90,
            resetsAt: '2026-11-21T05:00:00Z',
          },
        ],
        value: 'card_1',
      }),
      expiryWarning({ card, expiresOn: '2026-12-31' }, 'team'),
      subscriptionWarning({ alert: subscription, days: 3, since: '2026-11-17T14:20:00Z' }, 'team'),
    ],
  },
  {
    name: 'warnings-set',
    words: '`/card warnings on`, `/card alerts long` and `/card digest daily 9:00` change what a channel gets.',
    alt: 'Three answers: which warnings the channel gets, that its alerts are long, and when its digest comes',
    templates: ['warnings/warnings', 'routing/channel-settings', 'digests/digest-set'],
    shows: () => [
      warningsSet({ kinds: ['low-balance', 'expiring-cards', 'failing-subscriptions'], isOn: true, elsewhere: '' }),
      alertLengthSet({ isLong: true }),
      digestSet({
        weekday: null,
        isMonthly: false,
        hour: 9,
        minute: 0,
        zone: 'America/New_York',
        next: '2026-11-21T14:00:00Z',
      }),
    ],
  },
];

const own: readonly ExamplePicture[] = [
  {
    name: 'own-digest',
    words: 'Everyone can get a digest of their own cards.',
    alt: 'Your cards: status, balance, what is left of each limit, and what was declined',
    templates: ['app-home/own-digest'],
    shows: () => [
      ownDigest({
        often: 'daily',
        from: null,
        total: { count: 1, attempts: 2, cents: 8410 },
        isCut: false,
        cards: [
          {
            card,
            value: 'card_1',
            status: 'ACTIVE',
            isStatusRead: true,
            readAt: at,
            balance: 455_360,
            hasLimits: true,
            limits: [{ period: 'daily', category: null, limitCents: 15_000, remainingCents: 5360 }],
            declines: [
              {
                occurredAt: at,
                amountCents: 8410,
                merchant: { name: 'Corner Diner', city: '', state: '', country: 'US', id: 'M1' },
                decline: { code: 'decline.rule.velocity', message: 'over the daily limit' },
                attempts: 2,
                isNew: true,
              },
            ],
          },
        ],
      }),
    ],
  },
  {
    name: 'preferences',
    words: 'Set preferences in App Home or with `/card notify`.',
    alt: 'Answers: no message about this any more; your quiet hours; a digest every Monday; your delegate',
    templates: ['app-home/preferences', 'app-home/delegate'],
    shows: () => [
      preferenceSet({ what: 'shipping', isOn: false, hasCard: true }),
      quietHoursSet({ words: '22:00-07:00' }),
      ownDigestSet({ often: 'weekly', hasCard: true }),
      delegateSet({ to: userId.ben, from: '2026-12-21', until: '2027-01-02' }, []),
    ],
  },
  {
    name: 'program-menu',
    words: 'If there are several card programs, choose in this menu which one App Home shows.',
    alt: 'This page shows the cards of one program, with a menu of the programs by their commands',
    templates: ['app-home/program-menu'],
    shows: () => [
      {
        text: 'This page shows the cards of one program.',
        blocks: homeProgramMenu('eu', [
          { name: '', command: '/card' },
          { name: 'eu', command: '/card-eu' },
        ]),
      },
    ],
  },
  {
    name: 'delegate-form',
    words: 'An approver who will be away names a delegate, if the policy allows it.',
    alt: 'The form: who, first day, last day',
    templates: ['app-home/delegate'],
    shows: () => delegateForm([userId.ben]),
  },
];

const answers: readonly ExamplePicture[] = [
  {
    name: 'not-permitted',
    words:
      'People who may not do something are told who may, with a button that asks them. The approvers get this question.',
    alt: 'Not done: only approvers may unblock cards, with the button Ask them; then the question in the approvals channel',
    templates: ['policy/not-permitted', 'approvals/permission-asked'],
    shows: () => {
      const asked = {
        by: userId.otto,
        doing: 'unblock',
        typed: null,
        input: {},
        purchase: null,
        link: null,
        reason: 'found it',
        command: 'unblock',
        role: 'approver',
        whoMay: [userId.ana, userId.ben],
      } as const;
      return [
        notPermitted({
          doing: 'unblock cards',
          role: 'approver',
          isExternal: false,
          isForSomeCards: false,
          instead: null,
          whoMay: [userId.ana, userId.ben],
          askValue: 'ask_1',
        }),
        permissionSent(asked),
        permissionAsked({ ...asked, card }),
      ];
    },
  },
  {
    name: 'refusals',
    words: 'A refusal says why, what to do, and that nothing changed.',
    alt: 'A refusal, an outdated button, a click that came too late, and a block that takes longer',
    templates: ['policy/refusal', 'dispatch/unknown', 'actions/ask-again'],
    shows: () => [
      refusal({
        ...answer.refusal,
        what: 'Unblocking card 1234',
        whoCan: { text: 'Ask another approver.', userIds: [userId.ana, userId.ben] },
      }),
      unknownControl('button'),
      tooMany(),
      askAgain({ value: 'again_1', asked: 'unblock Sam Rivera · card 1234', waitedMs: 660_000 }),
      stillTrying({
        asked: 'block Sam Rivera · card 1234',
        isRateLimited: true,
        unread: null,
        isBlock: true,
        isHolder: false,
        isOnAlert: false,
      }),
    ],
  },
  {
    name: 'virtual-ordered',
    words: 'An order for a virtual card is answered at once.',
    alt: 'Ordered: a virtual card. The card service is making it',
    templates: ['virtual-cards/order'],
    shows: () => [
      orderAnswer({
        state: 'done',
        name: 'Jon Snow',
        summary: '$400.00, group Field team',
        orderId: 13_232,
        apiWords: null,
        note: null,
        ref: '7f3a',
      }),
    ],
  },
  {
    name: 'command-form',
    words: 'Slash commands do not work in threads: the shortcut *Cardbell command* does.',
    alt: 'The form: one field for a command',
    templates: ['dispatch/command-form'],
    shows: () => commandForm(),
  },
  {
    name: 'limit-form',
    words: '`/card` offers *Change limit…*.',
    alt: 'The form: period, amount, how long, and why',
    templates: ['limits/limit-card-form'],
    shows: () => limitCardForm('card_1', card),
  },
];

const operations: readonly ExamplePicture[] = [
  {
    name: 'ops',
    words: 'A problem of Cardbell itself, and the recovery of missed events.',
    alt: 'What happened, what it means, and what to do; then: looking for missed events',
    templates: ['ops/ops-notice', 'recovery/recovery-line'],
    shows: () => [
      opsNotice({ ...answer.notice, at }),
      recoveryStarted({ from: '2026-11-20T12:20:00Z', channel: channelId.ops }),
    ],
  },
  {
    name: 'overwritten',
    words: 'The card service carried out an earlier call late, which set back a limit that Ana had raised since.',
    alt: 'A change was overwritten: what the limit is now, what it was set to and by whom',
    templates: ['limits/overwritten'],
    shows: () => [overwritten([limitChange('daily', 40_000, 15_000)], card, [userId.ana])],
  },
];

/** Sections of the page that need no demo. */
export const EXAMPLE_PICTURES: readonly PictureSection<ExamplePicture>[] = [
  { title: 'Other alerts', pictures: alerts },
  { title: '“It wasn’t me”', pictures: fraud },
  { title: 'For the holder', pictures: holders },
  { title: 'Warnings and settings', pictures: warnings },
  { title: 'Preferences', pictures: own },
  { title: 'Refusals and other answers', pictures: answers },
  { title: 'Operations', pictures: operations },
];
