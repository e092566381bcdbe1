import type { Button } from '@slack/types';
import { actionId } from '../../src/slack/action-id.ts';
import type { Message } from '../../src/slack/message.ts';
import { channelMention, mentions } from '../../src/slack/mrkdwn.ts';
import { actions, button, escapeUntrusted, section, sentence, sentenceWithCommands } from '../core/blocks.ts';

export interface Refusal {
  /** Absent: `Not done`. */
  readonly title?: string;
  /** For an answer that may come late: what was asked. Absent: the reader has just asked for it. */
  readonly what?: string;
  /** Why not, one sentence. */
  readonly why: string;
  /**
   * Who can, or what to do: a sentence. It is followed by `userIds` (also of user groups) or by the channels where to do
   * it.
   */
  readonly whoCan:
    | string
    | {
        readonly text: string;
        readonly userIds?: readonly string[];
        readonly channels?: readonly string[];
        /** Value of the button that asks them. */
        readonly askValue?: string;
      };
  /** A sentence, if something changed or may have changed. Empty: `why` says so. */
  readonly changed?: string;
  /** The outcome is unknown: it may have been done. */
  readonly isUnsure?: boolean;
  /** `why` says what others have changed since: only the click changed nothing. */
  readonly isOutdated?: true;
}

/** A refusal with its reason and who can help. The refusal itself changed nothing. */
export function refusal({ what, why, whoCan, isUnsure = false, isOutdated, ...given }: Refusal): Message {
  const nothing = isOutdated === true ? 'Your click changed nothing.' : 'Nothing changed.';
  const { changed = isUnsure ? '' : nothing } = given;
  const title = `${isUnsure ? 'Not certain' : (given.title ?? 'Not done')}${what === undefined ? '' : `: ${escapeUntrusted(what, 200)}`}.`;
  const { text, userIds = [], channels = [], askValue } = typeof whoCan === 'string' ? { text: whoCan } : whoCan;
  const people = channels.length === 0 ? mentions(userIds, 'or') : channels.map(channelMention).join(' or ');
  const fix = [sentenceWithCommands(text, 500), people && `${people}.`].filter(Boolean).join(' ');

  const said = sentenceWithCommands(why, 500);
  return {
    text: sentence(title, said, fix, changed),
    blocks: [
      section(`*${title}* ${said}`, fix, changed),
      ...actions(askValue === undefined || userIds.length === 0 ? null : askThemButton(askValue, what ?? 'this')),
    ],
  };
}

/** *Ask them*: asks the people who may do it, in the approvals channel. */
export function askThemButton(value: string, what: string): Button {
  return button({ text: 'Ask them', action: actionId.askPermission, value, label: `Ask those who may: ${what}` });
}
