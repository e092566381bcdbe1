import type { ActionDeps } from '../actions/deps.ts';
import { createRecordAction } from '../actions/record-action.ts';
import { type Refuse, refuse } from '../actions/record-refusal.ts';
import { createRecognizePurchase } from '../alerts/recognize-purchase.ts';
import { createClaimCard, createOpenClaim } from '../holders/claim-card.ts';
import { createClaimDecisions } from '../holders/decide-claim.ts';
import { createLinkCard, createSetLink, createUnlinkCard } from '../holders/link-card.ts';

/** The holder says that a purchase was theirs. */
export function composeRecognizePurchase(deps: ActionDeps) {
  return createRecognizePurchase({
    ...deps,
    record: createRecordAction(deps),
    refuse: (action, refusal, about) => refuse(action, refusal, deps, about),
  });
}

/** Whose card it is: what links, unlinks, claims and decides claims. */
export function composeHolders(deps: ActionDeps) {
  const common = {
    record: createRecordAction(deps),
    refuse: ((action, refusal, about) => refuse(action, refusal, deps, about)) satisfies Refuse,
    factsOf: async (acctId: number) => deps.toFacts(acctId, await deps.directory.account(acctId)),
  };
  const setLink = createSetLink({ ...deps, ...common });
  return {
    linkCard: createLinkCard({ ...deps, ...common, setLink }),
    unlinkCard: createUnlinkCard({ ...deps, ...common }),
    claimCard: createClaimCard({
      ...deps,
      ...common,
      setLink,
      offer: (action) => deps.pending.put({ kind: 'choice', action, questionId: null }),
      openClaim: createOpenClaim({ ...deps, ...common }),
    }),
    ...createClaimDecisions({ ...deps, ...common, setLink }),
  };
}
