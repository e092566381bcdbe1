import type { InputBlock, KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import * as limits from '../../src/slack/limits.ts';
import { plainText } from './blocks.ts';

interface Modal {
  readonly title: string;
  readonly callback?: string;
  /** Opaque id: comes back with the submission. */
  readonly privateMetadata?: string;
  /** Left out: there is nothing to submit. */
  readonly submit?: string;
  /** Left out: *Cancel* for a form, *Close* where there is nothing to submit. */
  readonly close?: 'Back';
  readonly blocks: KnownBlock[];
}

export function modal({ title, callback, privateMetadata, submit, close, blocks }: Modal): ModalView {
  const label = (text: string) => plainText(text, limits.MODAL_TITLE_MAX);
  return {
    type: 'modal',
    ...(callback !== undefined && { callback_id: callback }),
    ...(privateMetadata !== undefined && { private_metadata: privateMetadata }),
    title: label(title),
    ...(submit !== undefined && { submit: label(submit) }),
    close: label(close ?? (submit === undefined ? 'Close' : 'Cancel')),
    blocks,
  };
}

interface AboutInput {
  readonly hint?: string;
  readonly optional?: boolean;
  /** Another one than `id`: a new one makes Slack forget what was typed. */
  readonly block?: string;
}

type WithoutId<Element> = Element extends unknown ? Omit<Element, 'action_id'> : never;

/** @param id `action_id`, and `block_id` unless `block` is given. */
export function input(
  id: string,
  label: string,
  element: WithoutId<InputBlock['element']>,
  { hint, optional, block = id }: AboutInput = {},
): InputBlock {
  return {
    type: 'input',
    block_id: block,
    label: plainText(label, limits.INPUT_LABEL_MAX),
    ...(hint !== undefined && { hint: plainText(hint, limits.INPUT_HINT_MAX) }),
    ...(optional === true && { optional }),
    element: { ...element, action_id: id },
  };
}

interface AboutText extends AboutInput {
  readonly max: number;
  readonly min?: number;
  readonly initial?: string;
  readonly placeholder?: string;
  readonly multiline?: boolean;
}

export function textInput(
  id: string,
  label: string,
  { max, min, initial = '', placeholder, multiline, ...about }: AboutText,
): InputBlock {
  const element = {
    type: 'plain_text_input',
    max_length: max,
    ...(min !== undefined && { min_length: min }),
    ...(multiline === true && { multiline }),
    ...(initial !== '' && { initial_value: initial.slice(0, max) }),
    ...(placeholder !== undefined && { placeholder: plainText(placeholder, limits.PLACEHOLDER_MAX) }),
  } as const;
  return input(id, label, element, about);
}

/** A choice in a menu. */
export function option(text: string, value: string): PlainTextOption {
  return { text: plainText(text, limits.OPTION_TEXT_MAX), value };
}
