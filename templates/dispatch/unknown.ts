import type { ModalView } from '@slack/types';
import { commandCode } from '../../src/core/installation.ts';
import type { Message } from '../../src/slack/message.ts';
import { section, sentence } from '../core/blocks.ts';
import { modal } from '../core/form.ts';

const unknown = {
  button: 'This button belongs to another version of Cardbell.',
  shortcut: 'Cardbell no longer has this shortcut.',
  command: 'Cardbell does not have this command.',
} as const;

/** The person used a control or command that this version does not have. */
export function unknownControl(what: keyof typeof unknown): Message {
  const type = what === 'button' ? 'Use a newer message, or type' : 'Type';
  return notDone({ why: unknown[what], todo: `${type} ${commandCode('help')} to see what you can do.` });
}

/** Replaces a submitted form that this version does not have. */
export function unknownForm(): ModalView {
  return notSent(
    '*Not done.* This form belongs to another version of Cardbell.',
    'Nothing changed.',
    'Close it, then open it again where you found it.',
  );
}

const tooManyWords = {
  why: 'You sent too many requests in a row.',
  todo: 'Wait a minute, then try again.',
} as const;

/** Someone sends far more requests than a person would. */
export function tooMany(): Message {
  return notDone(tooManyWords);
}

/** Shown on top of the submitted form, which stays open. */
export function tooManyForm(): ModalView {
  const { why, todo } = tooManyWords;
  return notSent(`*Not done.* ${why}`, 'Nothing changed.', `${todo} Your form is still there when you close this.`);
}

function notDone({ why, todo }: { readonly why: string; readonly todo: string }): Message {
  return {
    text: sentence(`Not done: ${why}`, 'Nothing changed.', todo),
    blocks: [section(`*Not done.* ${why}`, 'Nothing changed.', todo)],
  };
}

function notSent(...lines: string[]): ModalView {
  return modal({ title: 'Not sent', blocks: [section(...lines)] });
}
