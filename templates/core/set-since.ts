import type { Message } from '../../src/slack/message.ts';
import { section, sentence } from './blocks.ts';

/** For a person whose setting is answered only after somebody has chosen another one. */
export function setSince(): Message {
  const head = 'This has been changed again since you asked.';
  const stays = 'The newer setting stays.';
  return { text: sentence(`${head} ${stays}`), blocks: [section(`*${head}*`, stays)] };
}
