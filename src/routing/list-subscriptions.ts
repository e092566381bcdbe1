import { type ChannelDigest, type ChannelRules, subscriptionList } from '../../templates/routing/subscriptions.ts';
import type { Responses, Rights } from '../actions/action-tools.ts';
import { type WebhookKind, webhookKinds } from '../core/event.ts';
import type { QuietHoursStore, Subscriptions } from './channel-rules-store.ts';
import { described, describeStored } from './describe-filter.ts';
import { kindName } from './filter.ts';
import { mutesFor } from './mute.ts';
import type { Mutes } from './mute-store.ts';
import { quietWords } from './quiet-hours.ts';
import { type ChannelAction, pageIn } from './verbs.ts';

interface Deps {
  readonly responses: Pick<Responses, 'answer'>;
  readonly rights: Pick<Rights, 'mayAct'>;
  readonly subscriptions: Pick<Subscriptions, 'all'>;
  readonly digests: { readonly all: () => Promise<readonly (ChannelDigest & { readonly channel: string })[]> };
  readonly quietHours: Pick<QuietHoursStore, 'all'>;
  readonly mutes: Pick<Mutes, 'active'>;
  /** The configured channel for a kind; null when none is configured. */
  readonly defaultChannel: (kind: WebhookKind) => string | null;
}

/** `/card subscriptions [all] [page]`: lists the rules of this channel, or of every channel. */
export function createListSubscriptions(deps: Deps) {
  return async function listSubscriptions(action: ChannelAction): Promise<void> {
    const isAll = /^all\b/i.test(action.target.text.trim());
    const [rules, mutes] = await Promise.all([
      rulesOf(isAll ? null : action.origin.channel, deps),
      mutesFor(action, deps),
    ]);
    await deps.responses.answer(action, subscriptionList({ isAll, rules, mutes: mutes.length, page: pageIn(action) }));
  };
}

/** The rules of one channel, or of every channel. */
async function rulesOf(
  only: string | null,
  { subscriptions, quietHours, digests, defaultChannel }: Deps,
): Promise<ChannelRules[]> {
  const [all, everyQuiet, everyDigest] = await Promise.all([subscriptions.all(), quietHours.all(), digests.all()]);
  // Personal quiet hours are private.
  const quiet = everyQuiet.filter(({ channel }) => !channel.startsWith('D'));
  const configured = webhookKinds.map((kind) => ({ kind, channel: defaultChannel(kind) }));
  const ruled = [...all, ...quiet, ...everyDigest, ...configured];
  const named = only === null ? ruled.flatMap(({ channel }) => channel ?? []) : [only];
  return [...new Set(named)].map((channel): ChannelRules => {
    const hours = quiet.find((each) => each.channel === channel);
    return {
      channel,
      byDefault: configured.filter((each) => each.channel === channel).map(({ kind }) => kindName(kind)),
      subscriptions: all.filter((each) => each.channel === channel).map(described),
      digests: everyDigest.filter((each) => each.channel === channel),
      quiet:
        hours === undefined
          ? null
          : {
              words: quietWords(hours.window),
              except: hours.except === null ? null : describeStored(hours.except),
              by: hours.by,
              at: hours.at,
            },
    };
  });
}
