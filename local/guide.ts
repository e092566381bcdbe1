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
  from order to activation, virtual cards, an outage, a storm.`;
  return `
${bold('Cardbell is running on this machine.')} No account is needed, nothing leaves it.

  Slack workspace   ${bold(demo.page)}
  Cash register     ${bold(demo.till)}

  You are Olga, an operator. Change who you are at the bottom left: Ana and Ben approve,
  Otto may do nothing, Sam holds the card ending ${HERO_LAST4}.

${bold('Try this')}

  1. Open the workspace. Sam’s card was just declined: over the daily limit of $150.
  2. Press ${bold('Block card')} and confirm. The message says who did it; so does #card-audit.
  3. Become Ana. Write ${bold(`/card unblock ${HERO_LAST4} found it`)}
     Sam tries again a few seconds later: still over the limit.
  4. Write ${bold(`/card limit ${HERO_LAST4} daily 400`)}
     Sam tries once more, and #card-spend shows the purchase approved.
  5. Pay at the cash register with any card, anywhere, any amount.
  6. Become Sam and look at Cardbell’s messages: the decline in a holder’s words. Press ${bold('It was me')}, or block
     the card. Cardbell’s Home shows what is left of Sam’s limits; Olga and Ana find there what waits for them.
  7. Become Otto and press a button: refused, and nothing changes.

  Also: /card help · /card show ${HERO_LAST4} · /card limit ${HERO_LAST4} daily 2000 (needs Ana and Ben, in
  #card-approvals) · /card activate Nina Castellanos · /card block 4821 (two cards end so: it asks)

  ${story}

  ${dim(`Web            ${demo.web} (/healthz, /readyz, /metrics)`)}
  ${dim(`Card service   ${demo.sandbox}`)}
  ${dim(`Logs           ${demo.folder}/ web.log, worker.log, card-service.log`)}

Ctrl-C stops everything and leaves nothing behind.
`;
}

/** The same for those who look into #general. Slack's mrkdwn. */
export function welcome(tillUrl: string): string {
  return [
    '*Welcome.* This workspace is a copy of Slack on your machine, and Cardbell works in it as it does in the real one.',
    `• <#${channelId.declines}> says why a card was declined. Press *Block card* there.`,
    `• As Ana, write \`/card unblock ${HERO_LAST4} found it\`, then \`/card limit ${HERO_LAST4} daily 400\`. Sam tries again, and <#${channelId.spend}> shows the purchase.`,
    `• Pay with any card at the <${tillUrl}|cash register>.`,
    '• As Sam, look at *Cardbell messages* and *Cardbell Home*: the own card, in a holder’s words.',
    '• `/card help` lists what else there is. Change who you are at the bottom left.',
  ].join('\n');
}

function minutes(count: number): string {
  if (count < 1.5) return count < 0.75 ? 'less than a minute' : 'a minute';
  return `${Math.round(count)} minutes`;
}
