import { terminalCode } from '../../src/core/installation.ts';
import type { RecoveryProgress, RecoveryShown } from '../../src/recovery/recovery-store.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { context, countOf, headed, section, sentence } from '../core/blocks.ts';

/** The progress or result of a gap's recovery. */
type RecoveryLine = Omit<RecoveryShown, 'cause'> &
  Pick<RecoveryProgress, 'recovered' | 'unsent' | 'unreadable' | 'statuses'>;

const BAR = 20;

/** What a recovery cannot know, so that nobody takes it for nothing. */
export const notFetched =
  'Shipments and virtual card orders cannot be fetched afterwards, nor statuses that a card had only in between.';

/** One line that is edited during the recovery: what was missed, and how much of it was recovered. */
export function recoveryLine(line: RecoveryLine): Message {
  const span = `${dateAfter('between', line.from)} ${dateAfter('and', line.to)}`;
  const percent = Math.floor(line.done * 100);
  const soFar =
    line.recovered === 0 ? 'No missed event found so far.' : `${countOf(line.recovered, 'event')} recovered so far.`;
  switch (line.state) {
    case 'running':
    case 'waiting': {
      const what = `Looking for what was missed ${span}: ${percent}% done.`;
      const why =
        line.state === 'waiting'
          ? ' The card service is not responding, or Redis is full; recovery continues automatically.'
          : '';
      return {
        text: sentence(what, `${soFar}${why}`),
        blocks: [section(`${what}${why}`, `\`${bar(line.done)}\` ${soFar}`)],
      };
    }
    case 'failed': {
      const what = `What was missed ${span} could not be fetched: the card service refused the request, or its answer cannot be read.`;
      const since = line.from.replace(/\.\d+/, '');
      const todo = `Fix what ${terminalCode('doctor')} finds, then run ${terminalCode(`recover -- --since ${since}`)}.`;
      return headed(what, todo);
    }
    case 'done':
      return finished(line, span);
  }
}

/** Empty: webhooks of all kinds arrive. */
export function unsentWords({ recovered, unsent }: Pick<RecoveryProgress, 'recovered' | 'unsent'>): string {
  if (unsent === 0) return '';
  const are = unsent === 1 ? 'is' : 'are';
  const which = unsent < recovered ? `${unsent} of them` : unsent === 1 ? 'It' : 'All recovered ones';
  return `${which} ${are} of a kind of which no webhook has arrived in 30 days: perhaps it has no address.`;
}

function finished(line: RecoveryLine, span: string): Message {
  const { recovered, unreadable, statuses } = line;
  const missed = recovered + unreadable;
  if (missed === 0) {
    const what = `No purchase or card status was missed ${span}.`;
    return { text: sentence(what), blocks: [section(what), ...context(notFetched)] };
  }
  const were = missed === 1 ? 'was' : 'were';
  const what = `${countOf(missed, 'event')} ${were} missed ${span}; ${recovered} recovered.`;
  const unread =
    unreadable === 0
      ? null
      : `${unreadable} could not be read, and ${unreadable === 1 ? 'is' : 'are'} in quarantine: ${terminalCode('replay -- list')}.`;
  if (recovered === 0)
    return { text: sentence(what, unread), blocks: [section(`*${what}*`, unread), ...context(notFetched)] };
  const late = `${recovered === 1 ? 'Its alert is' : 'Their alerts are'} marked as late.`;
  return {
    text: sentence(what, late, unread),
    blocks: [
      section(`*${what}*`, late),
      ...context(
        unsentWords(line),
        statuses === 0 ? null : `Of these, ${countOf(statuses, 'card')} changed status without a webhook.`,
        unread,
        notFetched,
      ),
    ],
  };
}

function bar(done: number): string {
  const full = Math.round(done * BAR);
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)}`;
}

/** The recovery has started: what it does, and where it shows its progress. */
export function recoveryStarted({ from, channel }: { from: string; channel: string }): Message {
  const what = `Looking for everything that was missed ${dateAfter('since', from)}.`;
  const then = `What I find is posted where it belongs, marked as late. <#${channel}> shows how many.`;
  return headed(what, then);
}
