import { styleText } from 'node:util';
import { channelId, HERO_LAST4 } from './cast.ts';
import type { Demo } from './demo.ts';

/** What the terminal says when everything runs. */
export function guide(demo: Demo, options: { isColored: boolean; storyMinutes: number | null }): string {
  const bold = (text: string): string => (options.isColored ? styleText('bold', text) : text);
  const dim = (text: string): string => (options.isColored ? styleText('dim', text) : text);
  const story =
    options.storyMinutes === null
      ? 'No story is told; the cash register makes what happens.'
      : `Meanwhile a day at ${demo.businessName} goes by in ${minutes(options.storyMinutes)}: purchases, declines, a card
  from order to activation, virtual cards, a rush at noon, an outage, a storm.`;
  return `
${bold('Cardbell is running on this machine.')} No account is needed, nothing leaves it.

  Slack workspace   ${bold(demo.page)}
  Cash register     ${bold(demo.till)}

  You are Olga, an operator. Change who you are at the bottom left: Ana and Ben approve,
  Otto may do nothing, Sam holds the card ending ${HERO_LAST4}.

${bold('Five minutes')}

  1. Open the workspace. Sam’s card was just declined: which limit, by how much, and when it opens again.
  2. Become Sam. In Cardbell messages the same decline stands in a holder’s words. Press ${bold('Ask for more…')}
     Cardbell Home shows what is left of Sam’s limits.
  3. Become Ana. Press ${bold('Approve')} in #card-approvals: just enough, for this purchase only. Sam tries again a few
     seconds later, #card-spend shows it, and the limit goes back by itself. Without a request, ${bold('Raise daily limit…')}
     on the decline offers the same. #card-audit has who, what, before and after.
  4. Become Olga. Press ${bold('Block card')} on the decline, then ${bold('Undo')}. Become Otto and press it: refused, nothing changes.
  5. At the cash register press ${bold('12 declines')}: many cards, many shops, one message with a row each and a menu that
     opens any of them with its buttons. ${bold('144 declines')}: a summary with a chart, every row in its thread.
  6. As Ana write ${bold('/card digest now')}, and ${bold(`/card why ${HERO_LAST4}`)} to see why an alert went where it did.

  Also: /card help · /card show ${HERO_LAST4} · /card limit ${HERO_LAST4} daily 400 for 2h (App Home counts it down)
  · /card limit ${HERO_LAST4} daily 2000 (needs Ana and Ben) · /card activate Nina Castellanos
  · /card block 4821 (two cards end so: it asks)

  ${story}

  ${dim(`Web            ${demo.web} (/healthz, /readyz)`)}
  ${dim(`Card service   ${demo.sandbox}`)}
  ${dim(`Logs           ${demo.folder}/ web.log, worker.log, card-service.log`)}

Ctrl-C stops everything and leaves nothing behind.
`;
}

/** The same for those who look into #general. Slack's mrkdwn. */
export function welcome(tillUrl: string): string {
  return [
    '*Welcome.* This workspace is a copy of Slack on your machine, and Cardbell works in it as it does in the real one.',
    'Change who you are at the bottom left.',
    `• <#${channelId.declines}> says why a card was declined: which limit, by how much, and when it opens again.`,
    '• *As Sam*, open *Cardbell messages*, press *Ask for more…*, and look at *Cardbell Home*.',
    `• *As Ana*, press *Approve* in <#${channelId.approvals}>. Sam tries again, <#${channelId.spend}> shows the purchase, and the limit goes back by itself.`,
    '• *As Olga*, press *Block card* on the decline, then *Undo*. *As Otto*, press it and be refused.',
    `• At the <${tillUrl}|cash register> pay with any card, or press *12 declines*: one message, and a menu that opens any of them.`,
    `• As Ana, write \`/card digest now\`, \`/card why ${HERO_LAST4}\`, \`/card limit ${HERO_LAST4} daily 400 for 2h\`, or \`/card help\`.`,
  ].join('\n');
}

function minutes(count: number): string {
  if (count < 1.5) return count < 0.75 ? 'less than a minute' : 'a minute';
  return `${Math.round(count)} minutes`;
}
