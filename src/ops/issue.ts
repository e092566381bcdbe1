import type { SlackError } from '../core/errors.ts';
import { FETCHED_PATH, type QuarantinedWebhook } from '../core/event.ts';
import { commandCode, slashCommand, terminalCode } from '../core/installation.ts';
import type { OpsIssue } from './notify-ops.ts';

/** Everything that can go wrong with Cardbell itself, described for the people who run it. */

export function quarantined({ id, path, issues }: QuarantinedWebhook): OpsIssue {
  const isFetched = path === FETCHED_PATH;
  return {
    cause: `quarantine:${path}:${issues.join('|')}`,
    title: isFetched ? 'A transaction that was missed does not fit' : `A ${path} webhook does not fit`,
    what: `The card service ${isFetched ? 'answered' : 'sent'} something that I cannot read: ${issues.slice(0, 5).join('; ')}.`,
    means: 'It is kept, without card data, and not shown as an alert. More like it are kept silently.',
    todo: `Update Cardbell or fix the sender, then run ${terminalCode('replay -- list')}.`,
    ref: id,
  };
}

export const cardTokenDead: OpsIssue = {
  cause: 'card-token',
  title: 'The card service refuses Cardbell’s token',
  what: 'The card API answers that the token has expired or is not known.',
  means: 'Alerts still go out, with what the webhooks say. Buttons and commands that change cards fail.',
  todo: 'Make a new token and set CARD_API_TOKEN for the worker.',
  resolved: {
    what: 'The card API takes the token again.',
    means: 'Buttons and commands work again. What was pressed meanwhile has to be pressed again.',
  },
};

/** Cannot be posted while it lasts: it is in the log and the metrics, and is posted afterwards. */
export const slackTokenDead: OpsIssue = {
  cause: 'slack-token',
  title: 'Slack refused Cardbell’s token',
  what: 'Slack answered that the bot token was revoked, had expired or was not known.',
  means: 'Nothing could be posted. What waited is being posted now, with its own times.',
  todo: null,
};

export const lagging: OpsIssue = {
  cause: 'lag',
  title: 'Alerts and requests wait for a worker',
  what: 'The oldest has waited for more than a minute.',
  means: 'Alerts come late, and buttons and commands are answered late. Nothing is lost.',
  todo: 'Start more workers, or look at what the running ones wait for: Redis, Slack, the card service.',
  resolved: {
    what: 'Nothing waits any more.',
    means: 'Alerts and answers come at once again.',
  },
};

export const redisFilling: OpsIssue = {
  cause: 'redis-filling',
  title: 'Redis is filling up',
  what: 'What Redis holds, with the room that waiting alerts will need, is close to its limit.',
  means:
    'In a burst webhooks are refused for moments, and the card service sends them again for about an hour. When it goes on, all are refused.',
  todo: 'Give Redis more memory (maxmemory). See *When Redis is full* in docs/operations.md.',
  resolved: {
    what: 'Redis has room again.',
    means: 'Webhooks are taken as always.',
  },
};

export const redisFull: OpsIssue = {
  cause: 'redis-full',
  title: 'Redis is full: webhooks are refused',
  what: 'Redis has reached the share of its memory that is left for new webhooks (REDIS_FULL_PERCENT).',
  means:
    'Webhooks are answered with 503, and the card service sends them again for about an hour. What was taken is still posted, and buttons and commands work.',
  todo: 'Give Redis more memory (maxmemory) within the hour.',
  resolved: {
    what: 'Redis has room, and webhooks are taken again.',
    means: 'What was missed meanwhile is fetched from the card service, and posted as late.',
  },
};

export function redisSettings(problems: readonly { what: string; todo: string }[]): OpsIssue {
  return {
    cause: `redis-settings:${problems.map(({ what }) => what).join('|')}`,
    title: 'Redis may lose what it acknowledged',
    what: `${problems.map(({ what }) => what).join('; ')}.`,
    means: 'A restart or a full memory of Redis can lose alerts and requests that were taken.',
    todo: `On the Redis server: ${problems.map(({ todo }) => todo).join('; ')}.`,
  };
}

export function channelUnusable(channel: string, error: SlackError): OpsIssue {
  return {
    cause: `channel:${channel}:${error.slackError}`,
    title: `A channel cannot be posted to (${error.slackError})`,
    what: `Slack refuses messages in channel ${channel}.`,
    means: 'Its alerts go to ALERTS_CHANNEL until this is mended.',
    todo: 'Invite Cardbell with /invite in that channel, or name another channel in the configuration.',
  };
}

export function channelShared(channel: string): OpsIssue {
  return {
    cause: `shared:${channel}`,
    title: 'A channel is shared with another company',
    what: `Channel ${channel} is shared through Slack Connect, so people outside your company read it.`,
    means:
      'What names people, cards or limits goes to another of your channels instead, or waits while all of them are shared.',
    todo: `Stop sharing the channel, name another one in the configuration, or take its subscriptions away with ${slashCommand('unsubscribe')}.`,
  };
}

export function entryRejected(actionId: string, why: string): OpsIssue {
  return {
    cause: 'entry-rejected',
    title: 'An action in the queue was rejected',
    what: `The action ${actionId} was not performed: ${why}.`,
    means: 'Nothing changed. Either somebody else can write to Redis, or web and worker have different bot tokens.',
    todo: 'Compare SLACK_BOT_TOKEN of both processes. If they are equal, find out who can write to Redis.',
  };
}

export function cannotRender(alertId: string): OpsIssue {
  return {
    cause: 'cannot-render',
    title: 'An alert cannot be shown',
    what: 'What is kept of an alert does not fit this version of Cardbell.',
    means: 'A line with its id stands in its place. More like it are shown so without another word here.',
    todo: 'Run the version of Cardbell that took it, or report it with the reference.',
    ref: alertId,
  };
}

export function noFiles(slackError: string): OpsIssue {
  return {
    cause: `files:${slackError}`,
    title: `Slack takes no file (${slackError})`,
    what: 'More alerts came at once than fit into a message, and the file with all rows could not be attached.',
    means: 'The rows are posted as tables in the thread of their summary instead. Nothing is missing.',
    todo: 'Give the app the scope files:write, and allow apps to share files in this workspace.',
  };
}

export function messageRefused(channel: string, error: SlackError): OpsIssue {
  return {
    cause: `refused:${error.slackError}`,
    title: 'Slack refused a message',
    what: `Slack does not take a message of mine: ${error.slackError}.`,
    means: 'It was posted as plain text, without its buttons.',
    todo: 'This is a fault in Cardbell: please report it with the reference.',
    ref: channel,
  };
}

export function editRefused(channel: string, error: SlackError): OpsIssue {
  return {
    cause: `edit-refused:${error.slackError}`,
    title: 'Slack refuses to change a message',
    what: `Slack does not let me change a message of mine: ${error.slackError}.`,
    means: 'It shows an older state, and maybe buttons that no longer apply. I’ll keep trying for a week.',
    todo: 'If this happens again tomorrow, report it with the reference.',
    ref: channel,
  };
}

/** @param change the requested change, followed by the card: `change the limit of`. */
export function notConfirmed(change: string, ref: string): OpsIssue {
  return {
    cause: `unconfirmed:${ref}`,
    title: 'The card service does not show a change',
    what: `It was asked to ${change} a card and accepted that, but neither a webhook nor a look at the card has shown it within two minutes.`,
    means: 'The card may be as it was before. Whoever asked has been told.',
    todo: 'Look at the card in the card program’s portal, and change it there if it is not as it should be.',
    ref,
  };
}

export function personUnreachable(userId: string, error: SlackError): OpsIssue {
  return {
    cause: `person:${userId}`,
    title: `Somebody cannot be written to (${error.slackError})`,
    what: `Slack takes no direct message to the user ${userId}.`,
    means: 'They hear nothing of their card from me. The channels get every alert as before.',
    todo: `If they have left, unlink their card with ${slashCommand('unlink')} and think of blocking it.`,
  };
}

/** One cause for all problems, because it is one file. */
export function policyInvalid(problems: readonly string[]): OpsIssue {
  return {
    cause: 'policy-file',
    title: 'The policy file cannot be used',
    what: `${problems.slice(0, 5).join('; ')}.`,
    means: 'The policy from before still holds. A process that starts now stops at once.',
    todo: `Fix the file, and check it with ${terminalCode('policy -- check')}.`,
    resolved: {
      what: 'The policy file can be used again.',
      means: 'What stands in it holds from now on.',
    },
  };
}

/** @param what queue and job; @param why masked, without values. */
export function jobFailed(what: string, why: string, ref: string): OpsIssue {
  return {
    cause: `failed-job:${what}:${why.replaceAll(/\d+/g, '#')}`,
    title: `A job failed for good (${what})`,
    what: `It was tried as often as it may be. The last failure: ${why}`,
    means: 'What it was to do is not done. It is kept for two weeks. More that fail like it are kept silently.',
    todo: `Fix the cause or update Cardbell, then run ${terminalCode('replay -- list')} and ${terminalCode('replay -- run ID')}.`,
    ref,
  };
}

export function recordsUnreadable(kinds: readonly string[]): OpsIssue {
  return {
    cause: `unreadable:${kinds.join('|')}`,
    title: 'Stored records cannot be read by this version',
    what: `Records of these kinds do not fit this version of Cardbell, or somebody else has changed them in Redis: ${kinds.join(', ')}.`,
    means: 'They are kept as they are and left out. Everything else goes on.',
    todo: 'If AUDIT_KEY or CARD_API_TOKEN was changed, set AUDIT_KEY to the new and the former one. If a newer version of Cardbell stored them, run it on every machine. If neither, find out who can write to Redis.',
  };
}

export const clocksDiffer: OpsIssue = {
  cause: 'clocks-differ',
  title: 'Two clocks differ by more than a minute',
  what: 'The clock of Redis and that of Slack, or of a machine that runs Cardbell, do not show the same time.',
  means:
    'Temporary changes are not ended while nobody can tell whether their time is over. Nothing is reverted too early.',
  todo: 'Set the clocks of the machines that run Redis and Cardbell, for instance with NTP.',
};

/** Purchases paid from the business balance will soon be declined. */
export function balanceLow(balance: string, threshold: string): OpsIssue {
  return {
    cause: 'balance',
    title: `Business balance is low: ${balance}`,
    what: `The card service says that ${balance} is left on the business account; the warning is set to ${threshold}.`,
    means:
      'Purchases that are paid from the business balance are declined once it is used up, and no card can be funded.',
    todo: `Transfer money to the business account. ${commandCode('warnings off balance')} in this channel ends these warnings.`,
    resolved: {
      what: 'The business balance is above the warning again.',
      means: 'Purchases are paid from it as usual.',
    },
  };
}

export const auditSinkAway: OpsIssue = {
  cause: 'audit-sink',
  title: 'The audit record cannot be copied',
  what: 'The place that AUDIT_SINK names does not take the copy.',
  means: 'Nothing is lost: the record is complete in Redis, and is copied once the place takes it again.',
  todo: 'Look at that place, and at what the worker’s log says about it.',
  resolved: {
    what: 'The audit record is copied again.',
    means: 'The copy has everything that waited.',
  },
};

export const auditArchiveAway: OpsIssue = {
  cause: 'audit-archive',
  title: 'Old months of the audit record cannot be moved to files',
  what: 'The folder that AUDIT_ARCHIVE names cannot be used, is not the one with the months before, or has other records under the same numbers.',
  means: 'Nothing more leaves Redis: the record stays there, and takes memory.',
  todo: 'Look at the folder and its rights, and at what the worker’s log says about it.',
  resolved: {
    what: 'Old months of the audit record are moved to files again.',
    means: 'What waited has left Redis.',
  },
};

export function auditRecordChanged(number: number): OpsIssue {
  return {
    cause: `audit-changed:${number}`,
    title: 'The audit record is not as it was written',
    what: `Record ${number} of the audit chain is missing, was changed, or is another one than was copied.`,
    means: 'Either Redis came back older than it was, or somebody cut off or rewrote the record.',
    todo: `Run ${terminalCode('audit -- verify')}. If Redis did not restart or fail over, find out who can write to it.`,
  };
}

export function auditRecordForged(number: number): OpsIssue {
  return {
    cause: `audit-forged:${number}`,
    title: 'The audit record holds what no worker wrote',
    what: `Record ${number} of the audit chain is not signed with the key of the workers.`,
    means: 'Somebody else can write to Redis, or the workers have different keys.',
    todo: `Run ${terminalCode('audit -- verify')}. Compare AUDIT_KEY (or CARD_API_TOKEN) of all workers.`,
  };
}
