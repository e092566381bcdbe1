import type { Action } from '../actions/action.ts';
import { namedCard } from '../alerts/named-card.ts';
import { createTrackCard } from '../alerts/track-card.ts';
import { createSetDigest } from '../digests/set-digest.ts';
import type { Directory } from '../directory/directory.ts';
import { createResolveCard, type ResolveCard } from '../directory/resolve-card.ts';
import { createListDeclines, createShowCard } from '../directory/show-card.ts';
import type { Handlers } from '../dispatch/perform-action.ts';
import { isOfAccount, refusedTo } from '../dispatch/verbs.ts';
import { createClaimCard, createOpenClaim } from '../holders/claim-card.ts';
import { createClaimDecisions } from '../holders/decide-claim.ts';
import { createEndLink, createLinkCard, createSetLink, createUnlinkCard } from '../holders/link-card.ts';
import { createReadableFrom } from '../holders/link-store.ts';
import { createMayGetAlerts } from '../routing/channel-access.ts';
import { createSetAlertLength, createSetQuiet } from '../routing/channel-settings.ts';
import { createEndMute, createMuteVerbs } from '../routing/mute.ts';
import { createSubscriptionVerbs } from '../routing/subscribe.ts';
import { createExplainRouting } from '../routing/why.ts';
import { createSetWarnings } from '../warnings/set-warnings.ts';
import type { Tools } from './compose-tools.ts';

/** Finds the card that a person means. */
export function composeResolveCard(tools: Tools): ResolveCard {
  return createResolveCard({
    ...tools,
    async cardOfAlert(alertId) {
      const alert = await tools.alerts.get(alertId);
      if (alert === null) return null;
      const named = namedCard(alert);
      return { acctId: alert.event.acctId, cardId: alert.kind === 'card-status' ? named.cardId : null, named };
    },
    doing: refusedTo,
    isOfAccount,
  });
}

/** What a channel gets, when, and why. */
export function composeChannelVerbs(tools: Tools, resolveCard: ResolveCard) {
  const groups = () => groupsIn(tools.directory);
  const common = { ...tools, resolveCard, groups, mayGetAlerts: createMayGetAlerts(tools) };
  const { list, ...subscriptions } = createSubscriptionVerbs(common);
  return {
    ...subscriptions,
    subscriptions: list,
    alerts: createSetAlertLength(common),
    quiet: createSetQuiet(common),
    warnings: createSetWarnings(common),
    why: createExplainRouting(common),
    digest: createSetDigest(common),
  } satisfies Partial<Handlers>;
}

/** What people are not notified of for a while. */
export function composeMutes(tools: Tools) {
  const { closeMute, endMute } = createEndMute(tools);
  const { list, mute, unmute } = createMuteVerbs({ ...tools, closeMute });
  return { endMute, handlers: { mutes: list, mute, travel: mute, unmute } satisfies Partial<Handlers> };
}

/** Verbs that only show something about a card. */
export function composeLooks(tools: Tools) {
  const common = { ...tools, readableFrom: createReadableFrom(tools) };
  return {
    track: createTrackCard(tools),
    show: createShowCard(common),
    declines: createListDeclines(common),
  } satisfies Partial<Handlers>;
}

/** Who holds which card: links, unlinks, claims, and decisions on claims. */
export function composeHolders(tools: Tools) {
  const setLink = createSetLink(tools);
  const endLink = createEndLink(tools);
  const openClaim = createOpenClaim(tools);
  const offer = (action: Action) => tools.putChoice(action, null);
  const { decideClaim, endClaim } = createClaimDecisions({ ...tools, setLink, endLink });
  return {
    endClaim,
    handlers: {
      link: createLinkCard({ ...tools, setLink }),
      unlink: createUnlinkCard({ ...tools, endLink, openClaim }),
      claim: createClaimCard({ ...tools, setLink, offer, openClaim }),
      'decide-claim': decideClaim,
    } satisfies Partial<Handlers>,
  };
}

/** Names of the groups that have cards. */
async function groupsIn(directory: Pick<Directory, 'all'>): Promise<readonly string[]> {
  const groups = new Set<string>();
  for await (const { group } of directory.all()) if (group !== null) groups.add(group);
  return [...groups];
}
