import type { Action } from '../actions/action.ts';
import { createRecentDeclines } from '../alerts/card-history.ts';
import { createTrackCard } from '../alerts/track-card.ts';
import { createSetDigest } from '../digests/set-digest.ts';
import type { Directory } from '../directory/directory.ts';
import { createListDeclines } from '../directory/list-declines.ts';
import { createResolveCard, type ResolveCard } from '../directory/resolve-card.ts';
import { createShowCard } from '../directory/show-card.ts';
import { refusedTo } from '../dispatch/verbs.ts';
import { createClaimCard, createOpenClaim } from '../holders/claim-card.ts';
import { createClaimDecisions } from '../holders/decide-claim.ts';
import { createEndLink, createLinkCard, createSetLink, createUnlinkCard } from '../holders/link-card.ts';
import { createMayGetAlerts } from '../routing/channel-access.ts';
import { createEndMute, createMuteVerbs } from '../routing/mute.ts';
import { createSetAlertLength } from '../routing/set-alert-length.ts';
import { createSetQuiet } from '../routing/set-quiet.ts';
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
      const [change, ...others] = alert.kind === 'card-status' ? alert.changes : [];
      return { acctId: alert.event.acctId, cardId: others.length === 0 ? (change?.cardId ?? null) : null };
    },
    doing: refusedTo,
  });
}

/** What a channel gets, when, and why. */
export function composeChannelVerbs(tools: Tools, resolveCard: ResolveCard) {
  const common = { ...tools, resolveCard, mayGetAlerts: createMayGetAlerts(tools) };
  return {
    ...createSubscriptionVerbs({ ...common, groups: () => groupsIn(tools.directory) }),
    setAlertLength: createSetAlertLength(common),
    setQuiet: createSetQuiet(common),
    setWarnings: createSetWarnings(common),
    explainRouting: createExplainRouting({ ...common, messages: tools.alertMessages }),
    setDigest: createSetDigest({
      ...common,
      timers: tools.digestTimers,
      postNow: tools.postDigest,
      serviceZone: tools.zone,
    }),
  };
}

/** What people are not notified of, for a while. */
export function composeMutes(tools: Tools) {
  const { closeMute, endMute } = createEndMute(tools);
  return { ...createMuteVerbs({ ...tools, closeMute, factsOf: factsOfCard(tools) }), endMute };
}

/** What only shows something of a card. */
export function composeLooks(tools: Tools) {
  const recentDeclines = createRecentDeclines(tools.history, tools.alerts);
  const common = { ...tools, recentDeclines, factsOf: factsOfCard(tools) };
  return { track: createTrackCard(tools), show: createShowCard(common), declines: createListDeclines(common) };
}

const factsOfCard =
  ({ factsOf }: Tools) =>
  (acctId: number, cardId: number | null) =>
    factsOf(acctId, cardId === null ? {} : { cardId });

/** Whose card it is: what links, unlinks, claims and decides claims. */
export function composeHolders(tools: Tools) {
  const setLink = createSetLink(tools);
  const endLink = createEndLink(tools);
  const openClaim = createOpenClaim(tools);
  const offer = (action: Action) => tools.putChoice(action, null);
  return {
    linkCard: createLinkCard({ ...tools, setLink }),
    unlinkCard: createUnlinkCard({ ...tools, endLink, openClaim }),
    claimCard: createClaimCard({ ...tools, setLink, offer, openClaim }),
    ...createClaimDecisions({ ...tools, setLink, endLink }),
  };
}

/** Names of the groups that some card is in. */
async function groupsIn(directory: Pick<Directory, 'all'>): Promise<readonly string[]> {
  const groups = new Set<string>();
  for await (const { group } of directory.all()) if (group !== null) groups.add(group);
  return [...groups];
}
