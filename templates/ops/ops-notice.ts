import type { OpsIssue } from '../../src/ops/notify-ops.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { context, escapeUntrusted, header, section, sentence, sentenceWithCommands } from '../core/blocks.ts';

export interface OpsNotice extends Omit<OpsIssue, 'cause' | 'resolved'> {
  /** `ops` needs a person; `recovered` does not. */
  readonly level: 'ops' | 'recovered';
  readonly at: string;
}

const words: Readonly<Record<OpsNotice['level'], string>> = {
  ops: 'Needs attention',
  recovered: 'Resolved',
};

/** A problem of Cardbell itself. */
export function opsNotice({ level, title, what, means, todo, about, at, ref }: OpsNotice): Message {
  const fix = todo === null || todo.trim() === '' ? 'Nothing to do.' : sentenceWithCommands(todo, 800);

  const where = about === undefined ? null : aboutWords(about);

  return {
    text: sentence(
      `${words[level]}: ${escapeUntrusted(title, 150)}. ${where === null ? '' : `${where}. `}${escapeUntrusted(means, 800)} ${fix}`,
    ),
    blocks: [
      header(`${words[level]}: ${title}`),
      section(
        where === null ? null : `*${where}*`,
        `*What happened:* ${escapeUntrusted(what, 800)}`,
        `*What it means:* ${escapeUntrusted(means, 800)}`,
        `*What to do:* ${fix}`,
      ),
      ...context(dateToken(at), ref === undefined ? null : escapeUntrusted(ref, 60)),
    ],
  };
}

/** `Channel: #alerts`, `Person: @ana`. Only its two people can see a direct conversation. */
function aboutWords(id: string): string {
  if (id.startsWith('D')) return 'A direct message';
  return /^[UW]/.test(id) ? `Person: ${mention(id)}` : `Channel: ${channelMention(id)}`;
}
