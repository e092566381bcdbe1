import type { Message } from '../../src/slack/message.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { context, section, sentence } from '../core/blocks.ts';

/** The progress or result of a gap's recovery. */
export interface RecoveryLine {
  /** UTC ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly state: 'running' | 'waiting' | 'done' | 'failed';
  /** From 0 to 1. */
  readonly done: number;
  readonly recovered: number;
  /** Rows of the card service that could not be read. */
  readonly unreadable: number;
  /** The cards among `recovered` whose status changed without a webhook. */
  readonly statuses: number;
}

const BAR = 20;

/** One line that is edited during the recovery: what was missed, and how much of it was recovered. */
export function recoveryLine(line: RecoveryLine): Message {
  const span = `${dateAfter('between', line.from)} ${dateAfter('and', line.to)}`;
  const percent = Math.floor(line.done * 100);
  const soFar = line.recovered === 0 ? 'Nothing missed so far.' : `${events(line.recovered)} recovered so far.`;
  switch (line.state) {
    case 'running':
    case 'waiting': {
      const what = `Looking for what was missed ${span}: ${percent}% done.`;
      const why =
        line.state === 'waiting' ? ' The card service is not responding; recovery continues automatically.' : '';
      return {
        text: sentence(`${what} ${soFar}${why}`),
        blocks: [section(`${what}${why}`, `\`${bar(line.done)}\` ${soFar}`)],
      };
    }
    case 'failed': {
      const what = `What was missed ${span} could not be fetched: the card service refused the request.`;
      const todo = 'Run `npm run doctor`, then `npm run recover -- --since` with the first of these times.';
      return { text: sentence(`${what} ${todo}`), blocks: [section(`*${what}*`, todo)] };
    }
    case 'done':
      return finished(line, span);
  }
}

function finished({ recovered, unreadable, statuses }: RecoveryLine, span: string): Message {
  const missed = recovered + unreadable;
  if (missed === 0) {
    const what = `Nothing was missed ${span}.`;
    return { text: sentence(what), blocks: [section(what)] };
  }
  const what = `${events(missed)} ${missed === 1 ? 'was' : 'were'} missed ${span}; ${recovered} recovered.`;
  return {
    text: sentence(`${what} Their alerts are marked as late.`),
    blocks: [
      section(`*${what}*`, 'Their alerts are in their channels, marked as late.'),
      ...context(
        statuses === 0 ? null : `${statuses} of them: cards whose status changed without a webhook.`,
        unreadable === 0
          ? null
          : `${unreadable} could not be read, and ${unreadable === 1 ? 'is' : 'are'} in quarantine: \`npm run replay -- list\`.`,
        'Shipments and virtual card orders cannot be fetched afterwards.',
      ),
    ],
  };
}

function events(count: number): string {
  return count === 1 ? '1 event' : `${count} events`;
}

function bar(done: number): string {
  const full = Math.round(done * BAR);
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)}`;
}

/** The recovery has started: what it does, and where it shows its progress. */
export function recoveryStarted({ from, channel }: { from: string; channel: string }): Message {
  const what = `Looking for everything that was missed ${dateAfter('since', from)}.`;
  const then = `What I find is posted where it belongs, marked as late. <#${channel}> shows how many.`;
  return { text: sentence(`${what} ${then}`), blocks: [section(`*${what}*`, then)] };
}
