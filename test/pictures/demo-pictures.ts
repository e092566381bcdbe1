import type { Locator } from 'playwright-core';
import { HERO_LAST4, HERO_MERCHANT } from '../../local/cast.ts';
import { TILL_AMOUNT } from '../../local/till.ts';
import type { DemoStage } from './demo-stage.ts';
import type { Picture, PictureSection } from './picture.ts';

/** Taken in the order of the page, in one demo: each begins where the one before ended. */
interface DemoPicture extends Picture {
  readonly take: (stage: DemoStage) => Promise<Locator>;
}

type Section = PictureSection<DemoPicture>;

const card = HERO_LAST4;
const FIRST_SHOP = 'Bluebird Bistro';
const atTheTill = `$${TILL_AMOUNT} at ${FIRST_SHOP}`;
const declinedAtTheTill = `Declined: ${atTheTill}`;
const declinedFirst = `Declined: $84.10 at ${HERO_MERCHANT}`;

/** A command and its answer. */
function command(
  name: string,
  person: 'olga' | 'ana' | 'sam',
  text: string,
  templates: string[],
  words: string,
): DemoPicture {
  return { name, words, templates, alt: `What ${text} answers`, take: (stage) => stage.write(person, text) };
}

const decline: Section = {
  title: 'A decline, from the cash register to “paid”',
  pictures: [
    {
      name: 'till',
      words: 'Sam pays at the demo’s cash register, and the card service declines.',
      alt: `The cash register: ${atTheTill}, declined, with a button to try again`,
      templates: [],
      take: async ({ atTill }) => (await atTill('Pay')).locator('main'),
    },
    {
      name: 'decline',
      words: 'The channel shows what happened, why, and what fixes it.',
      alt: 'The decline in its channel: which limit, by how much, and buttons that fix it',
      templates: [
        'alerts/alert',
        'alerts/short-alert',
        'alerts/decline',
        'alerts/decline-words',
        'actions/card-buttons',
      ],
      take: async ({ see, message }) => message(await see('olga', 'declines'), declinedAtTheTill),
    },
    {
      name: 'details',
      words: 'Everything else is behind *Details*.',
      alt: 'The details of the decline: cardholder, merchant, category, and what each reader can do',
      templates: ['alerts/alert-details', 'alerts/decline'],
      async take({ see, message, press, form }) {
        const page = await see('olga', 'declines');
        await press(message(page, declinedAtTheTill), 'Details');
        return await form(page);
      },
    },
    {
      name: 'holder',
      words: 'The holder gets the same information in a direct message, worded for the holder.',
      alt: 'Your card was declined: what you can do, with buttons to ask for more, to confirm, and to block',
      templates: ['holders/holder-alert', 'holders/holder-decline', 'holders/holder-buttons'],
      take: async ({ see, message }) => message(await see('sam', 'messages'), declinedAtTheTill),
    },
    {
      name: 'ask-form',
      words: '*Ask for more…* opens a form.',
      alt: 'The form: how much, how long, and why',
      templates: ['approvals/ask-form'],
      take: async ({ see, message, press, form }) => {
        const page = await see('sam', 'messages');
        await press(message(page, declinedAtTheTill), 'Ask for more…');
        return await form(page);
      },
    },
    {
      name: 'request',
      words: 'The approvers see the request.',
      alt: 'The request in the approvals channel, with buttons to approve, to change, and to deny',
      templates: ['approvals/approval-request', 'approvals/request-notes'],
      take: async (stage) => {
        const page = await stage.see('sam', 'messages');
        await stage.press(stage.message(page, declinedAtTheTill), 'Ask for more…');
        const dialog = await stage.form(page);
        await dialog.getByLabel('Reason').fill('Lunch with a client');
        await stage.press(dialog, /^Ask$/);
        return stage.message(await stage.see('ana', 'approvals'), 'Lunch with a client');
      },
    },
    {
      name: 'paid',
      words: 'Once it is approved, Sam tries again and pays, and the limit goes back down.',
      alt: 'The decline after the approval: who changed the limit, and that it is back to its old value',
      templates: ['actions/outcomes', 'limits/temporary-change'],
      take: async ({ see, message, press }) => {
        await press(message(await see('ana', 'approvals'), 'Lunch with a client'), /^Approve$/);
        const decline = message(await see('olga', 'declines'), declinedAtTheTill);
        await decline
          .getByText(/limit back to/)
          .first()
          .waitFor();
        return decline;
      },
    },
    {
      name: 'spend',
      words: 'A paid purchase is one quiet line; its next steps follow in the thread.',
      alt: 'The channel of purchases: one line each',
      templates: ['alerts/money-line'],
      take: async ({ see, message }) => message(await see('ana', 'spend'), FIRST_SHOP),
    },
  ],
};

const onADecline: Section = {
  title: 'Acting on a decline',
  pictures: [
    {
      name: 'raise-limit',
      words: '*Raise daily limit…* offers the smallest change that lets this purchase pass.',
      alt: 'The form: the new limit is filled in, and the duration is selected',
      templates: ['limits/remedy-form', 'limits/form-inputs'],
      take: async ({ see, message, press, form }) => {
        const page = await see('ana', 'declines');
        await press(message(page, declinedFirst), /^Raise/);
        return await form(page);
      },
    },
    {
      name: 'explain',
      words: 'The shortcut *Explain this decline* says more; it also works in threads.',
      alt: 'Why it was declined, what would fix it, and who can',
      templates: ['alerts/explain-decline'],
      take: async ({ see, message }) => {
        const page = await see('olga', 'declines');
        const decline = message(page, declinedFirst);
        await decline.hover();
        await decline.getByTestId('message-shortcut').click();
        const answer = page.locator('[data-ephemeral]').last().or(page.getByTestId('modal'));
        await answer.waitFor();
        return answer;
      },
    },
    {
      name: 'block-question',
      words: '*Block card* asks first.',
      alt: 'Block this card? It will decline every purchase until somebody unblocks it',
      templates: ['actions/card-buttons'],
      take: async ({ see, message, press, form }) => {
        const page = await see('olga', 'declines');
        await press(message(page, declinedFirst), 'Block card');
        return await form(page);
      },
    },
    {
      name: 'decline-blocked',
      words: 'The message says who blocked the card, and offers to undo it.',
      alt: 'The decline after Block card: who blocked it and when',
      templates: ['actions/outcomes'],
      take: async (stage) => {
        const page = await stage.see('olga', 'declines');
        const decline = stage.message(page, declinedFirst);
        await stage.press(decline, 'Block card');
        await page.getByTestId('confirm-yes').click();
        await decline.getByText('Blocked').first().waitFor();
        return decline;
      },
    },
    {
      name: 'status',
      words: 'When a card is blocked, unblocked, activated or closed, its channel gets one line.',
      alt: 'Sam Rivera’s card was blocked by Olga',
      templates: ['alerts/card-status'],
      take: async ({ see, message }) => message(await see('olga', 'status'), 'Sam Rivera'),
    },
    {
      name: 'holder-blocked',
      words: 'The holder is notified.',
      alt: 'Your card was blocked',
      templates: ['holders/holder-status'],
      take: async ({ see, message }) => message(await see('sam', 'messages'), /[Bb]locked/),
    },
    {
      name: 'audit',
      words: 'Everything that people do is on record.',
      alt: 'The audit channel: who did what to which card',
      templates: ['audit/audit-line'],
      take: async ({ see, message }) => message(await see('ana', 'audit'), 'Olga Brandt'),
    },
    command('unblock', 'ana', `/card unblock ${card} found it`, ['actions/action-result'], 'Commands do the same.'),
  ],
};

const decisions: Section = {
  title: 'Limits and approvals',
  pictures: [
    command(
      'temporary',
      'ana',
      `/card limit ${card} daily 400 for 2h client lunch`,
      ['limits/temporary-change', 'limits/limit-words'],
      'Temporary changes end automatically; you can also end them at once.',
    ),
    {
      name: 'two-people',
      words: 'A raise above `TWO_PERSON_ABOVE` needs two approvers.',
      alt: 'The request as the second approver sees it',
      templates: ['approvals/approval-request'],
      take: async ({ write, see, message }) => {
        await write('ana', '/card limit EMP-1103 monthly 4000 trade fair');
        return message(await see('ben', 'approvals'), 'trade fair');
      },
    },
    {
      name: 'decide-form',
      words: '*Change and approve…* opens a form.',
      alt: 'The form: change the requested limit or duration',
      templates: ['approvals/decide-form'],
      take: async ({ see, message, press, form }) => {
        const page = await see('ben', 'approvals');
        await press(message(page, 'trade fair'), 'Change and approve');
        return await form(page);
      },
    },
  ],
};

const many: Section = {
  title: 'Many declines at once',
  pictures: [
    {
      name: 'repeats',
      words: 'The same card at the same merchant is one message with a count.',
      alt: 'A repeated decline, with its count',
      templates: ['alerts/repeats'],
      take: async ({ simulate, accountOf, see, message }) => {
        const AcctId = await accountOf(card);
        for (let turn = 0; turn < 3; turn += 1)
          await simulate('purchase', { AcctId, Amount: 612, MerchantName: 'Elm Rentals', MCCCode: '7394' });
        return message(await see('olga', 'declines'), /Declined 3 times: .* at Elm Rentals/);
      },
    },
    {
      name: 'card-testing',
      words: 'Declines of several cards at one merchant within minutes are reported as card testing.',
      alt: 'A warning: which cards were tried at which merchant, with a button to block each',
      templates: ['alerts/card-testing'],
      take: async ({ simulate, accountOf, see, message }) => {
        for (const last4 of ['5072', '0910', '6748', '2586'])
          await simulate('purchase', {
            AcctId: await accountOf(last4),
            Amount: 1.05,
            MerchantName: 'QX Digital',
            MCCCode: '5968',
            IsCardPresent: false,
            DoNotHonor: true,
          });
        return message(await see('olga', 'declines'), 'Possible card testing');
      },
    },
    {
      name: 'joined',
      words: 'Up to five declines are listed as rows. More are a table, with a menu that opens each of them.',
      alt: 'Many declines as a table, with the menu below it',
      templates: ['outbox/batch', 'outbox/batch-row', 'outbox/rows'],
      take: async ({ atTill, see }) => {
        await atTill('12 declines');
        const page = await see('olga', 'declines');
        return page
          .getByTestId('message')
          .filter({ has: page.locator('table') })
          .last();
      },
    },
    command(
      'digest',
      'ana',
      '/card digest now',
      ['digests/digest', 'core/data-table'],
      'A digest summarizes a day, a week or a month.',
    ),
    {
      name: 'flood',
      words: 'A flood is a summary with a chart. All rows are in its thread, as a file.',
      alt: 'A flood of declines: a bar chart of the reasons, the top merchants and cards',
      templates: ['outbox/batch-summary', 'outbox/batch-row', 'outbox/rows'],
      take: async ({ atTill, see, message }) => {
        await atTill('144 declines');
        return message(await see('olga', 'declines'), 'Every row is in the thread');
      },
    },
  ],
};

const home: Section = {
  title: 'App Home',
  pictures: [
    {
      name: 'home-approver',
      words: 'For approvers and operators: pending requests, temporary changes, declines, and the health of Cardbell.',
      alt: 'App Home of an approver',
      templates: [
        'app-home/home',
        'app-home/home-team',
        'app-home/home-waiting',
        'app-home/home-list',
        'app-home/home-health',
      ],
      take: async ({ see }) => (await see('ben', 'home')).getByTestId('home'),
    },
    {
      name: 'home-holder',
      words: 'For holders: their own card, and the messages they get.',
      alt: 'App Home of a holder: the card, what is left of its limit, what was declined, and switches for messages',
      templates: ['app-home/home-own-cards', 'app-home/preferences'],
      take: async ({ see }) => (await see('sam', 'home')).getByTestId('home'),
    },
  ],
};

const commands: Section = {
  title: 'Commands and their answers',
  pictures: [
    command('help', 'ana', '/card help', ['dispatch/help'], '`/card help`'),
    command('picker', 'ana', '/card', ['directory/card-picker'], '`/card` opens a form'),
    command('show', 'olga', `/card show ${card}`, ['directory/card-show'], `\`/card show ${card}\``),
    command(
      'choose-card',
      'olga',
      '/card show 4821',
      ['directory/choose-card'],
      'Two cards end in 4821, so Cardbell asks',
    ),
    command(
      'confirm-activation',
      'olga',
      '/card activate Marcus Thiel',
      ['actions/confirm-activation'],
      'An activation that permanently closes another card asks first',
    ),
    command('declines', 'olga', `/card declines ${card}`, ['alerts/decline-list'], `\`/card declines ${card}\``),
    command(
      'track',
      'olga',
      `/card track ${card}`,
      ['alerts/card-track', 'alerts/order-progress'],
      `\`/card track ${card}\``,
    ),
    command('why', 'olga', `/card why ${card}`, ['routing/why'], `\`/card why ${card}\``),
    command(
      'mute',
      'ana',
      `/card mute ${card} 3 days on a business trip`,
      ['routing/mutes'],
      `\`/card mute ${card} 3 days on a business trip\``,
    ),
    command(
      'subscribe',
      'ana',
      '/card subscribe declines over 500 and not country US',
      ['routing/subscriptions'],
      '`/card subscribe declines over 500 and not country US`',
    ),
    command(
      'quiet',
      'ana',
      '/card quiet 22:00-07:00 weekdays',
      ['routing/channel-settings'],
      '`/card quiet 22:00-07:00 weekdays`',
    ),
    command('virtual-order', 'ana', '/card virtual order', ['virtual-cards/order-form'], '`/card virtual order`'),
    command('unclear', 'olga', `/card shwo ${card}`, ['dispatch/unclear'], 'A typo'),
  ],
};

/** Sections of the page whose pictures are taken in the demo. */
export const DEMO_PICTURES: readonly Section[] = [decline, onADecline, decisions, many, home, commands];
