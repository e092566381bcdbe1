import type { SlackError } from '../core/errors.ts';
import { FETCHED_PATH, kindTraits, type QuarantinedWebhook, type WebhookKind } from '../core/event.ts';
import { commandCode, terminalCode } from '../core/installation.ts';
import type { OpsIssue } from './notify-ops.ts';
import { fileAdvice } from './refused-messages.ts';

/**
 * Everything that can go wrong with Cardbell itself, described for the people who run it. What Slack refuses in a channel
 * or a direct conversation is in `refused-messages.ts`.
 */

const KEPT_SILENTLY = 'More like it will be kept without another notice.';

export function quarantined({ id, path, issues }: QuarantinedWebhook): OpsIssue {
  const isFetched = path === FETCHED_PATH;
  return {
    cause: `quarantine:${path}:${issues.join('|')}`,
    title: isFetched ? 'A fetched transaction could not be read' : `A webhook could not be read: ${path}`,
    what: `The card service sent something that does not fit its schema: ${issues.slice(0, 5).join('; ')}.`,
    means: `It is kept without card data, and no alert was posted. ${KEPT_SILENTLY}`,
    todo: `Update Cardbell or fix the sender, then retry what is kept: ${terminalCode('replay -- list')} shows it.`,
    ref: id,
  };
}

/** Its `todo` is the doctor's, too: without AUDIT_KEY, the token is the key that signs stored records (docs/operations.md). */
export const cardTokenDead = {
  cause: 'card-token',
  title: 'The card service refuses Cardbell’s token',
  what: 'The card API says that the token has expired or is unknown.',
  means: 'Alerts still go out, but show only what the webhooks say. Buttons and commands that change cards fail.',
  todo: 'Create a new token and set CARD_API_TOKEN for the worker. If AUDIT_KEY is not set, also set it to a new secret and the former token, with a comma in between: that token signed what is stored.',
  resolved: {
    what: 'The card API accepts the token again.',
    means: 'Buttons and commands work again. Anything that failed in the meantime must be done again.',
  },
} satisfies OpsIssue;

/** @param day `2026-11-30`. */
export const cardTokenEnds = (day: string): OpsIssue => ({
  cause: 'card-token-ends',
  title: 'The token of the card service ends soon',
  what: `The card service accepts Cardbell’s token until ${day}.`,
  means: 'After that, buttons and commands that change cards fail, and raised limits stay raised.',
  todo: cardTokenDead.todo,
  resolved: { what: 'Cardbell has a new token.', means: 'Buttons and commands go on working.' },
});

/** Cannot be posted while it lasts: until then it is in the log and the metrics only. */
export const slackTokenDead: OpsIssue = {
  cause: 'slack-token',
  title: 'Slack refused Cardbell’s token',
  what: 'Slack said that the bot token was revoked, expired or unknown.',
  means: 'Nothing could be posted. Everything that waited is being posted now, with its original time.',
  todo: null,
};

export const lagging: OpsIssue = {
  cause: 'lag',
  title: 'Alerts and requests are waiting for a worker',
  what: 'The oldest has been waiting for more than a minute.',
  means: 'Alerts arrive late, and so do the answers to buttons and commands. Nothing is lost.',
  todo: 'Start more workers, or find out what the running ones are waiting for: Redis, Slack or the card service.',
  resolved: {
    what: 'Nothing is waiting any more.',
    means: 'Alerts and answers arrive immediately again.',
  },
};

export function webhooksMissing(kind: WebhookKind): OpsIssue {
  const [, events] = kindTraits[kind].nouns;
  return {
    cause: `webhooks-missing:${kind}`,
    title: `Webhooks of ${events} are missing or cannot be read`,
    what: `The card service lists ${events} of which no readable webhook has arrived.`,
    means:
      'Their alerts are late: Cardbell fetches them from the card service once an hour. Shipments and virtual card orders cannot be fetched.',
    todo: `See whether they are in quarantine: ${terminalCode('replay -- list')}. If not, run ${terminalCode('doctor -- --url https://YOUR-HOST')} outside your network. Check the certificate, the proxy and the firewall in front of web, and that every kind of webhook has its address in the dashboard of the card service.`,
    resolved: {
      what: `The webhooks of the latest ${events} have arrived.`,
      means: 'Their alerts are posted immediately again.',
    },
  };
}

export function channelShared(channel: string): OpsIssue {
  return {
    cause: `shared:${channel}`,
    title: 'A channel is shared with another company',
    what: 'The channel is shared through Slack Connect, so people outside your company can read it.',
    means:
      'Messages that name people, cards or limits go to another of your channels, or wait if all of them are shared.',
    todo: `Stop sharing the channel, configure another one, or end its subscriptions with ${commandCode('unsubscribe')}.`,
    about: channel,
  };
}

export function entryRejected(actionId: string, why: string): OpsIssue {
  return {
    cause: 'entry-rejected',
    title: 'An action in the queue was rejected',
    what: `The action ${actionId} was not performed: ${why}.`,
    means: 'Nothing changed. Either someone else can write to Redis, or web and worker have different bot tokens.',
    todo: 'Compare SLACK_BOT_TOKEN of both processes. If they are the same, find out who can write to Redis.',
  };
}

export function cannotRender(alertId: string): OpsIssue {
  return {
    cause: 'cannot-render',
    title: 'An alert cannot be shown',
    what: 'The stored alert does not fit this version of Cardbell.',
    means: 'A line with its id is shown instead. The same goes for others like it, without another notice.',
    todo: 'Run the version of Cardbell that stored it, or report it with the reference.',
    ref: alertId,
  };
}

export function noFiles(error: SlackError): OpsIssue {
  return {
    cause: `files:${error.slackError}`,
    title: `Slack does not accept a file (${error.slackError})`,
    what: 'A file could not be attached: all alerts of a summary, or the rows of a monthly digest.',
    means: 'Alerts are posted as tables in the thread of their summary. A digest says that its file is missing.',
    todo: fileAdvice(error),
  };
}

export function messageRefused(channel: string, error: SlackError): OpsIssue {
  return {
    cause: `refused:${error.slackError}`,
    title: 'Slack refused a message',
    what: `Slack rejected the content of a message: ${error.slackError}.`,
    means: 'The message is shown as plain text, without its buttons.',
    todo: 'This is a bug in Cardbell. Please report it with Slack’s words above.',
    about: channel,
  };
}

export function editRefused(channel: string, error: SlackError): OpsIssue {
  return {
    cause: `edit-refused:${error.slackError}`,
    title: 'Slack refuses to change a message',
    what: `Slack does not let me change a message of mine: ${error.slackError}.`,
    means: 'It shows an older state, and maybe buttons that no longer apply. I’ll keep trying for a week.',
    todo: 'If this happens again tomorrow, report it with the reference.',
    about: channel,
  };
}

/** @param change the requested change, followed by the card: `change the limit of`. */
export const notConfirmed = (change: string, ref: string): OpsIssue => ({
  cause: `unconfirmed:${ref}`,
  title: 'A change was not confirmed',
  what: `The card service accepted a request to ${change} a card, but after two minutes neither a webhook nor the card itself shows the change.`,
  means: 'The card may be unchanged. The person who asked has been told.',
  todo: 'Check the card in the card program’s portal, and change it there if necessary.',
  ref,
});

export const notPutBack = (ref: string): OpsIssue => ({
  cause: `not-put-back:${ref}`,
  title: 'A temporary change could not be put back',
  what: 'Its time is over, but the card service refused several times to put back the earlier rules.',
  means: 'The card keeps its temporary rules. The person who asked and the approvers have been told.',
  todo: 'Put them back in the card program’s portal. The audit channel has the card and the service’s reason.',
  ref,
});

/** One cause for all problems, because it is one file. */
export function policyInvalid(problems: readonly string[]): OpsIssue {
  return {
    cause: 'policy-file',
    title: 'The policy file cannot be used',
    what: `${problems.slice(0, 5).join('; ')}.`,
    means: 'The previous policy stays in force. A process that starts now stops immediately.',
    todo: `Fix the file, and check it with ${terminalCode('policy -- check')}.`,
    resolved: {
      what: 'The policy is valid again.',
      means: 'It is in force from now on.',
    },
  };
}

/** @param what queue and job; @param why masked, without values. */
export function jobFailed(what: string, why: string, ref: string): OpsIssue {
  return {
    cause: `failed-job:${what}:${why.replaceAll(/\d+/g, '#')}`,
    title: `A job failed for good (${what})`,
    what: `Every attempt failed. The last failure: ${why}`,
    means: `Its work was not done. The job is kept for two weeks. ${KEPT_SILENTLY}`,
    todo: `Fix the cause or update Cardbell, then run ${terminalCode('replay -- list')} and ${terminalCode('replay -- run ID')}.`,
    ref,
  };
}

export function recordsUnreadable(kinds: readonly string[]): OpsIssue {
  return {
    cause: `unreadable:${kinds.join('|')}`,
    title: 'This version cannot read some stored records',
    what: `They do not fit this version of Cardbell, or someone else has changed them in Redis. Their kinds: ${kinds.join(', ')}.`,
    means: 'They are kept but ignored. Everything else works.',
    todo: 'If AUDIT_KEY or CARD_API_TOKEN was changed, set AUDIT_KEY to the new key and the former one, with a comma in between. If a newer version of Cardbell stored them, run that version on every machine. Otherwise find out who can write to Redis.',
  };
}

export const redisClockDiffers: OpsIssue = {
  cause: 'redis-clock',
  title: 'Redis’ clock and Slack’s differ by more than a minute',
  what: 'The clock of the machine that runs Redis is probably wrong.',
  means: 'Temporary changes do not end until the clocks agree; none ends too early.',
  todo: 'Synchronize the clock of the machine that runs Redis, for example with NTP.',
  resolved: { what: 'The clocks agree again.', means: 'Temporary changes end on time.' },
};

/** @param machine the name of the machine that runs a worker. */
export function machineClockDiffers(machine: string): OpsIssue {
  return {
    cause: `clock:${machine}`,
    title: `The clock of ${machine} and Redis’ differ by more than a minute`,
    what: `${machine} runs a worker. Its clock, or that of the machine that runs Redis, is wrong.`,
    means: 'Retries and recurring work of this worker come early or late. Nothing is lost.',
    todo: 'Synchronize the clocks of both machines, for example with NTP.',
    resolved: { what: 'The clocks agree again.', means: 'Retries and recurring work come on time.' },
  };
}

/** Purchases paid from the business balance will soon be declined. */
export function balanceLow(balance: string, threshold: string): OpsIssue {
  return {
    cause: 'balance',
    title: `Business balance is low: ${balance}`,
    what: `The business balance is ${balance}. The warning is set to ${threshold}.`,
    means: 'Once the balance is used up, purchases paid from it are declined, and no card can be funded.',
    todo: `Transfer money to the business account. ${commandCode('warnings off balance')} in this channel turns these warnings off.`,
    resolved: {
      what: 'The business balance is no longer below the warning level.',
      means: 'Purchases are paid from it as usual.',
    },
  };
}
