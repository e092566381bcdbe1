import type { Message } from '../../src/slack/message.ts';
import { headed } from '../core/blocks.ts';

/** For a person whose setting is made only after somebody has changed it again. */
export function settingSetSince(): Message {
  return headed('This has been changed again since you asked.', 'The newer setting stays.');
}
