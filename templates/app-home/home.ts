import type { KnownBlock } from '@slack/types';
import type { HomePages, ListPage } from '../../src/app-home/home-page.ts';
import { commandCode } from '../../src/core/installation.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { context, header, section } from '../core/blocks.ts';
import { unsureOfRoles } from '../policy/not-permitted.ts';
import { type DelegateFacts, homeDelegate } from './delegate.ts';
import { homeOwnCards, type OwnCardFacts } from './home-own-cards.ts';
import { homeTeam, type TeamFacts } from './home-team.ts';
import { homeOwnRequests, type WaitingRequest } from './home-waiting.ts';
import { homePreferences, type PreferenceFacts } from './preferences.ts';

export interface Home {
  /** When it was rendered, UTC ISO 8601. */
  readonly at: string;
  /** Cards that are linked to the person. */
  readonly own: ListPage<OwnCardFacts>;
  /** The person's own undecided requests. */
  readonly ownRequests: readonly WaitingRequest[];
  /** The person's settings for direct messages. */
  readonly preferences: PreferenceFacts;
  /** Null when the person is not part of the team. */
  readonly team: TeamFacts | null;
  readonly delegate: DelegateFacts;
  readonly pages: HomePages;
  /** They may have more roles: Slack does not list a user group. */
  readonly isUnsure?: boolean;
}

/** App Home: a person's own cards, and for the team everything that waits for them. All lists full, it fits into Slack’s 100 blocks. */
export function home({ at, own, ownRequests, preferences, team, delegate, pages, isUnsure = false }: Home): {
  type: 'home';
  blocks: KnownBlock[];
} {
  const isApprover = team?.isApprover === true;
  // Whoever is no approver any more can still end what they gave away.
  const showsDelegate = isApprover || delegate.current !== null;
  const blocks: KnownBlock[] = [
    ...(isUnsure ? [section(unsureOfRoles)] : []),
    ...homeOwnCards(own, at),
    ...homeOwnRequests(ownRequests, pages),
    ...(team === null ? [] : homeTeam(team, pages)),
    ...(showsDelegate ? homeDelegate(isApprover ? delegate : { ...delegate, allowed: [] }, preferences.delegates) : []),
    ...(own.total === 0 ? [] : homePreferences(showsDelegate ? { ...preferences, delegates: [] } : preferences)),
    ...(own.total === 0 && team === null ? external(isUnsure) : []),
    ...context(
      `${dateAfter('As of', at)}. Updates automatically${own.total === 0 ? '' : '; balances and limits when you open this page'}.`,
    ),
  ];
  return { type: 'home', blocks };
}

/** For people we know nothing about: what they can do. @param isUnsure they may run the cards already. */
function external(isUnsure: boolean): KnownBlock[] {
  return [
    header('Cardbell'),
    section(
      'I tell you why a company card was declined and what fixes it, and let the right people fix it on the spot.',
      `*Do you hold a card?* Write ${commandCode('link')} and its last four digits, for instance ${commandCode('link 4242')}. Then you see it here, hear from me when something happens to it, and can block it at any time.`,
      isUnsure ? null : '*Do you run the cards?* Ask whoever runs Cardbell to make you an operator or an approver.',
      `${commandCode('help')} lists everything you can do.`,
    ),
  ];
}
