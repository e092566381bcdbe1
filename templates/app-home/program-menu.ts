import type { KnownBlock } from '@slack/types';
import { actionId } from '../../src/slack/action-id.ts';
import * as limits from '../../src/slack/limits.ts';
import { plainText, section } from '../core/blocks.ts';
import { option } from '../core/form.ts';

/** The card programs with their commands. */
type Programs = readonly { readonly name: string; readonly command: string }[];

/** The card program that App Home shows, and a menu to choose another. */
export function homeProgramMenu(shown: string, programs: Programs): KnownBlock[] {
  const options = programs.map(({ name, command }) => option(command, name === '' ? FIRST : name));
  const initial = options.find(({ value }) => value === (shown === '' ? FIRST : shown));
  return [
    {
      ...section('This page shows the cards of one program.'),
      accessory: {
        type: 'static_select',
        action_id: actionId.chooseProgram,
        placeholder: plainText('Choose a program', limits.PLACEHOLDER_MAX),
        options,
        ...(initial === undefined ? {} : { initial_option: initial }),
      },
    },
  ];
}

/** The value of the first program, which has no name: Slack does not accept empty values. */
export const FIRST = '-';
