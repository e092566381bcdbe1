import type { KnownBlock } from '@slack/types';
import { type HomeList, type ListPage, turnValue } from '../../src/app-home/home-page.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { actions, button, header } from '../core/blocks.ts';

interface ShownList<T> extends ListPage<T> {
  readonly list: HomeList;
  readonly title: string;
  /** False: there may be more than were read. */
  readonly isWhole?: boolean;
}

/** One page of a list below its title, with paging buttons. Nothing when the list is empty. */
export function homeList<T>(
  { list, title, shown, page, pages, before, total, isWhole = true }: ShownList<T>,
  draw: (shown: readonly T[]) => readonly KnownBlock[],
): KnownBlock[] {
  if (total === 0) return [];
  const turn = (text: string, to: number) =>
    to < 1 || to > pages
      ? null
      : button({
          text,
          label: `${text}: ${title}`,
          action: text === 'Next' ? actionId.nextPage : actionId.previousPage,
          value: turnValue({ list, page: to }),
        });
  const which =
    pages === 1 ? '' : ` (${before + 1} to ${before + shown.length} of ${isWhole ? total : `at least ${total}`})`;
  return [header(`${title}${which}`), ...draw(shown), ...actions(turn('Previous', page - 1), turn('Next', page + 1))];
}
