import { createClaimCard, createOpenClaim } from '../holders/claim-card.ts';
import { createClaimDecisions } from '../holders/decide-claim.ts';
import { createLinkCard, createSetLink, createUnlinkCard } from '../holders/link-card.ts';
import type { ActionBase } from './action-base.ts';
import type { Tools } from './compose-tools.ts';

/** Whose card it is: what links, unlinks, claims and decides claims. */
export function composeHolders({ base, tools }: { readonly base: ActionBase; readonly tools: Tools }) {
  const { stores, cards, people, messages, timers } = base;
  const common = { ...stores, ...cards, ...people, ...messages, ...timers, ...tools };
  const setLink = createSetLink(common);
  return {
    linkCard: createLinkCard({ ...common, setLink }),
    unlinkCard: createUnlinkCard(common),
    claimCard: createClaimCard({
      ...common,
      setLink,
      offer: (action) => tools.putChoice(action, null),
      openClaim: createOpenClaim(common),
    }),
    ...createClaimDecisions({ ...common, setLink }),
  };
}
