import type { AllMiddlewareArgs, SlackOptionsMiddlewareArgs } from '@slack/bolt';
import { isPermitted } from '../../src/dispatch/verbs.ts';
import { cardOption } from '../../templates/directory/card-picker.ts';
import type { ListenerDeps } from '../deps.ts';
import { toChoice } from '../dispatch/picker.ts';

type Args = AllMiddlewareArgs & SlackOptionsMiddlewareArgs<'block_suggestion'>;

/** As many as Slack shows. https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
const OPTIONS_MAX = 100;

/** Somebody types several letters a second: who was in a group a minute ago may still look. */
const KNOWN_FOR_MS = 60_000;

/**
 * Cards for what was typed so far, from the directory alone: Slack waits three seconds, people less.
 *
 * Names are for operators: whoever lost the role while the form was open finds nothing any more.
 */
export function findCards(deps: ListenerDeps) {
  return async ({ ack, body }: Args): Promise<void> => {
    const { roles } = await deps.permissions.rolesOf(body.user.id, { knownForMs: KNOWN_FOR_MS });
    const accounts = isPermitted('show', roles) ? await deps.directory.search(body.value ?? '', OPTIONS_MAX) : [];
    const options = accounts.flatMap(({ acctId, holder, customId, isVirtual, cards }) => {
      const account = { acctId, holder, customId, isVirtual, group: null };
      const known = cards.length > 0 ? cards : [{ cardId: null, last4: null, status: null }];
      return known.map(({ cardId, last4, status }) =>
        cardOption(toChoice(acctId, cardId, deps), { ...account, cardId, last4 }, status),
      );
    });
    await ack({ options: options.slice(0, OPTIONS_MAX) });
  };
}
