import type { AllMiddlewareArgs, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import type { CardMatch } from '../../src/directory/index-entries.ts';
import { permissionOf } from '../../src/dispatch/verbs.ts';
import { mayAsk, withoutHolder } from '../../src/policy/decide-action.ts';
import { SELECT_OPTIONS_MAX } from '../../src/slack/limits.ts';
import { cardOption } from '../../templates/directory/card-picker.ts';

type Args = AllMiddlewareArgs & SlackOptionsMiddlewareArgs<'block_suggestion'>;

/** People type several letters per second, so the result of a permission check is reused for a minute. */
const KNOWN_FOR_MS = 60_000;

/**
 * Finds cards for the input so far, using only the directory: Slack waits three seconds, people less.
 *
 * Each card is visible to its operators and its holder. Everyone else finds nothing.
 */
export function findCards(deps: ListenerDeps) {
  return async ({ ack, body }: Args): Promise<void> => {
    const accounts = await visibleTo(body.user.id, body.value ?? '', deps);
    const options = accounts.flatMap(({ acctId, holder, customId, isVirtual, cards }) => {
      const account = { acctId, holder, customId, isVirtual, group: null };
      const choices = cards.length > 0 ? cards : [{ cardId: null, last4: null, status: null }];
      return choices.map(({ cardId, last4, status }) =>
        cardOption(deps.seals.card.seal({ acctId, cardId }), { ...account, cardId, last4 }, status),
      );
    });
    await ack({ options: options.slice(0, SELECT_OPTIONS_MAX) });
  };
}

/** The person's own cards first, then those of others. */
async function visibleTo(userId: string, typed: string, deps: ListenerDeps): Promise<CardMatch[]> {
  const { directory, rights, cardsFor, accountsOf } = deps;
  const show = permissionOf('show');
  const howOld = { knownForMs: KNOWN_FOR_MS };
  const permitted = (found: readonly CardMatch[]) => cardsFor(userId, show, found, howOld);
  const own = await permitted(await directory.searchAmong(await accountsOf(userId), typed));
  const { roles } = await rights.rolesOf(userId, howOld);
  if (!mayAsk(show, withoutHolder(roles))) return own;
  const isOwn = new Set(own.map(({ acctId }) => acctId));
  const found = await directory.search(typed, SELECT_OPTIONS_MAX, permitted);
  return [...own, ...found.filter(({ acctId }) => !isOwn.has(acctId))];
}
