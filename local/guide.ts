import { styleText } from 'node:util';
import { channelId, HERO_LAST4, userId } from './cast.ts';
import type { Demo } from './demo.ts';

/** The terminal output when everything runs. `page` leads to Sam’s decline. */
export function guide(
  demo: Omit<Demo, 'begin'>,
  options: { isColored: boolean; story: { minutes: number; afterSeconds: number } | null },
): string {
  const bold = (text: string): string => (options.isColored ? styleText('bold', text) : text);
  const dim = (text: string): string => (options.isColored ? styleText('dim', text) : text);
  const story =
    options.story === null
      ? 'No story is told: only you make things happen.'
      : `Once you have done something, or after ${options.story.afterSeconds === 60 ? 'a minute' : `${options.story.afterSeconds} seconds`}, a day at ${demo.businessName} begins. It takes ${minutes(options.story.minutes)}:
  purchases, declines, a card from order to activation, virtual cards, many declines at noon, an outage.`;
  return `
${bold('Cardbell is running on this machine.')} No account is needed, nothing leaves it.

  Start here      ${bold(demo.page)}
  Cash register   ${bold(demo.till)}

  You are Olga, an operator. To become somebody else, choose a name under “You are”, at the bottom of the
  left side (on a phone, behind the menu button). Ana and Ben approve, Otto may do nothing, Sam holds card ${HERO_LAST4}.

${bold('Five minutes')}

  1. Open the first link. Sam’s card was declined: which limit, by how much, and when it resets.
  2. Become Sam and open ${bold('Cardbell messages')}: the same decline, in words for Sam. Press ${bold('Ask for more…')},
     write a reason and press ${bold('Ask')}.
  3. Become Ana, open #card-approvals and press ${bold('Approve')}. The limit goes up by just enough for this purchase. A few
     seconds later Sam tries again, #card-spend shows the purchase, and the limit goes back down.
  4. Become Olga and open the first link again. Press ${bold('Block card')}, then ${bold('Undo')}. As Otto, press ${bold('Block card')}: refused.
  5. At the cash register press ${bold('12 declines')}. #card-declines gets the first at once and one message about the
     other eleven; its menu opens each. ${bold('144 declines')} make a summary with a chart, and its thread has every row.
  6. Become Ana and write ${bold('/card digest now')} in #card-declines, then ${bold(`/card why ${HERO_LAST4}`)}: why an alert went where it did.
     #card-audit has who did what.

  More to write, as Ana: /card help · /card show ${HERO_LAST4} · /card limit ${HERO_LAST4} daily 400 for 2h · /card block 4821
  (two cards end in 4821, so it asks) · /card limit ${HERO_LAST4} daily 2000 (Ben has to approve, too)

  ${story}

  ${dim(`Web            ${demo.web} (/healthz, /readyz)`)}
  ${dim(`Card service   ${demo.sandbox}`)}
  ${dim(`Logs           ${demo.folder}/ web.log, worker.log, card-service.log`)}

Ctrl-C stops everything and leaves nothing behind.
`;
}

/** The same for people in #general, with links to switch between people. Slack's mrkdwn. */
export function welcome(at: { workspace: string; till: string }): string {
  const as = (user: string, channel: string, words: string): string =>
    `<${at.workspace}?channel=${channel}&user=${user}|${words}>`;
  const samMessages = `D${userId.sam.slice(1)}`;
  return [
    '*Welcome.* This workspace is a copy of Slack on your machine, and Cardbell works in it as it does in the real one.',
    'To become somebody else, choose a name under *You are*, at the bottom of the left side, or follow these links.',
    `• <#${channelId.declines}> says why a card was declined: which limit, by how much, and when it resets.`,
    `• ${as(userId.sam, samMessages, 'As Sam, who holds the card')}: press *Ask for more…*, write a reason and press *Ask*.`,
    `• ${as(userId.ana, channelId.approvals, 'As Ana, an approver')}: press *Approve*. Sam tries again, <#${channelId.spend}> shows the purchase, and the limit goes back down.`,
    `• ${as(userId.olga, channelId.declines, 'As Olga, an operator')}: press *Block card* on the decline, then *Undo*.`,
    `• ${as(userId.otto, channelId.declines, 'As Otto, who may do nothing')}: press *Block card* and be refused.`,
    `• At the <${at.till}|cash register> pay with any card, or press *12 declines*: the first comes at once, the other eleven in one message with a menu that opens each.`,
    `• As Ana, write \`/card digest now\`, \`/card why ${HERO_LAST4}\`, \`/card limit ${HERO_LAST4} daily 400 for 2h\` or \`/card help\`.`,
  ].join('\n');
}

function minutes(count: number): string {
  if (count < 1.5) return count < 0.75 ? 'less than a minute' : 'a minute';
  return `${Math.round(count)} minutes`;
}
