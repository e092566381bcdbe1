import { muteEnded, muteList, muteSet, notMuted } from '../../templates/routing/mutes.ts';
import type { Action, Resolved } from '../actions/action.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { tellSetSince } from '../actions/set-in-order.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { WebhookKind } from '../core/event.ts';
import { commandCode } from '../core/installation.ts';
import { countryInSentence } from '../core/merchant-category.ts';
import { redactText } from '../core/redact-text.ts';
import { beginParts, type SettingOrder } from '../core/setting-order.ts';
import type { Message } from '../slack/message.ts';
import { muteEndOf } from './mute-end.ts';
import type { Mute, Mutes, Withheld } from './mute-store.ts';
import { type ChannelAction, type MuteAction, pageIn, routingVerbs } from './verbs.ts';

/** Purchases in any other country are abroad for the card service. */
const HOME = 'US';

const muteKinds = ['mute', 'travel'] as const;

/** The mutes of a card and of a kind, in the order of what people set. `beginParts` names them alike. */
const orderOf = (acctId: number, kind: Mute['kind']): string => `mutes:${acctId}:${kind}`;

interface ListDeps {
  readonly responses: Pick<Responses, 'answer'>;
  readonly rights: Pick<Rights, 'mayAct'>;
  readonly mutes: Pick<Mutes, 'active' | 'withheld'>;
}

/** `/card mutes`. */
export function createListMutes(deps: ListDeps) {
  const { mutes, responses } = deps;
  return async function listMutes(action: ChannelAction): Promise<void> {
    const shown = await mutesFor(action, deps);
    const counted = shown.map(async (mute) => ({ ...mute, count: kindsOf(await mutes.withheld(mute.id)).length }));
    await responses.answer(action, muteList({ mutes: await Promise.all(counted), page: pageIn(action) }));
  };
}

interface UnmuteDeps extends Pick<ActionTools, 'record' | 'hasBegun'> {
  readonly settingOrder: SettingOrder;
  readonly responses: Pick<Responses, 'answer'>;
  readonly mutes: Pick<Mutes, 'inForce' | 'active' | 'ended' | 'end'>;
  readonly closeMute: ReturnType<typeof createEndMute>['closeMute'];
}

/** `/card unmute CARD`: ends its mute and its travel mute now. Runs under the lock of the card's mutes. */
export function createUnmute(deps: UnmuteDeps) {
  const { mutes, closeMute, responses, record, hasBegun } = deps;
  return async function unmute({ action, acctId, cardId }: Resolved): Promise<void> {
    const all = [...(await mutes.inForce()), ...(await mutes.ended())];
    const isRerun = await hasBegun(action);
    const kinds = await beginParts(deps.settingOrder, `mutes:${acctId}`, muteKinds, action);
    // A mute that was asked for later stays.
    const ofCard = all.filter((mute) => mute.acctId === acctId && kinds.includes(mute.kind));
    const [first] = ofCard;
    if (first === undefined) {
      if (isRerun) {
        const now = (await mutes.active()).find((mute) => mute.acctId === acctId);
        const answer = now === undefined ? notMuted() : muteSet(now, await muteBeside(now, mutes));
        return await responses.answer(action, answer);
      }
      if (kinds.length < muteKinds.length) return await tellSetSince(action, deps);
      await record(action, { event: 'unchanged', begins: true, acctId, cardId });
    } else {
      const before = ofCard.map(({ kind, endsAt }) => `${kind === 'mute' ? '' : 'travel mute '}until ${endsAt}`);
      await record(action, { ...doneTo(first.card, 'ended a mute of'), before: before.join(', ') });
    }
    // All of them before the first is reported: its report says whether the card is still muted.
    for (const mute of ofCard) await mutes.end(mute);
    const withheld: WebhookKind[] = [];
    for (const mute of ofCard) withheld.push(...(await closeMute(mute, action.actor.userId)));
    const stillMuted = first === undefined ? null : await stillMutedUntil(first, mutes);
    // After a crash, what the first of them withheld is not known any more.
    await responses.answer(action, muteEnded({ mutes: ofCard, stillMuted, ...(!isRerun && { kinds: withheld }) }));
  };
}

/** The mute in force beside a travel mute of the same card, or the travel mute beside a mute; null: there is none. */
async function muteBeside({ acctId, kind }: Mute, mutes: Pick<Mutes, 'active'>): Promise<Mute | null> {
  return (await mutes.active()).find((other) => other.acctId === acctId && other.kind !== kind) ?? null;
}

/** Until when the card of a travel mute is muted anyway; null: it is not, or this is its mute. */
async function stillMutedUntil(mute: Mute, mutes: Pick<Mutes, 'active'>): Promise<string | null> {
  const other = await muteBeside(mute, mutes);
  return other?.kind === 'mute' ? other.endsAt : null;
}

/** The mutes and travel mutes in force of cards that a person's role covers, as `/card mutes` lists them. */
export async function mutesFor(
  action: Action,
  { mutes, rights }: { readonly rights: Pick<Rights, 'mayAct'> } & { readonly mutes: Pick<Mutes, 'active'> },
): Promise<Mute[]> {
  const active = await mutes.active();
  const isShown = await Promise.all(active.map(({ acctId }) => rights.mayAct({ ...action, verb: 'mutes' }, acctId)));
  return active.filter((_, index) => isShown[index]);
}

interface MuteDeps extends Pick<ActionTools, 'openDirect' | 'factsOf' | 'zone' | 'hasBegun' | 'now'> {
  readonly responses: Pick<Responses, 'refuse' | 'refuseUnclear'>;
  readonly whyNotMute: ReturnType<typeof createWhyNotMute>;
  readonly startMute: ReturnType<typeof createStartMute>;
}

/**
 * `/card mute CARD DURATION [reason]` and `/card travel-mute CARD COUNTRIES until DATE [reason]`. Both have an end. Runs
 * under the lock of the card's mutes.
 */
export function createMute(deps: MuteDeps) {
  const { responses, zone } = deps;
  return async function mute({ action, acctId, cardId }: Resolved<MuteAction>): Promise<void> {
    const isTravel = action.verb === 'travel';
    const { judgedAs, countries, rest } = splitMuteDetails(action);
    const end = muteEndOf(rest, { now: new Date(action.askedAt), zone }, isTravel ? countries.split(',') : null);
    const isLate = 'endsAt' in end && end.endsAt <= deps.now() && !(await deps.hasBegun(action));
    if ('why' in end || isLate) {
      const { usage } = routingVerbs[action.verb].command;
      return await responses.refuseUnclear(
        action,
        { why: 'why' in end ? end.why : 'That time has passed.', usage },
        { acctId, cardId },
      );
    }
    const lastsMs = end.endsAt.getTime() - Date.parse(action.askedAt);
    const refusal = await deps.whyNotMute(action, acctId, { judgedAs, lastsMs });
    if (refusal !== null) {
      const what = isTravel ? 'Hiding the declines of a trip' : 'Muting this card';
      return await responses.refuse(
        action,
        { what, ...refusal },
        { acctId, cardId, isNotPermitted: refusal.isNotPermitted },
      );
    }
    const facts = {
      id: muteIdOf(action),
      acctId,
      card: await deps.factsOf(acctId, { cardId }),
      by: action.actor.userId,
      reason: redactText([action.reason, ...rest.slice(end.words)].filter(Boolean).join(' ')).slice(0, 300),
      at: action.askedAt,
      endsAt: end.endsAt.toISOString(),
    };
    const directChannel = isTravel ? await deps.openDirect(action.actor.userId) : '';
    const mute: Mute = isTravel
      ? { kind: 'travel', ...facts, countries: countries.split(','), directChannel }
      : { kind: 'mute', ...facts };
    await deps.startMute(action, mute);
  };
}

interface MuteVerbs extends Pick<ActionTools, 'withLock'> {
  readonly mute: ReturnType<typeof createMute>;
  readonly unmute: ReturnType<typeof createUnmute>;
}

/** One at a time per card: two mutes must not be in force. */
export function createMuteVerbs({ mute, unmute, withLock }: MuteVerbs) {
  const alone =
    <R extends Resolved>(work: (resolved: R) => Promise<void>) =>
    (resolved: R) =>
      withLock(`mutes:${resolved.acctId}`, () => work(resolved));
  return { mute: alone(mute), travel: alone(mute), unmute: alone(unmute) };
}

interface StartDeps extends Pick<ActionTools, 'record' | 'now'> {
  readonly responses: Pick<Responses, 'answer'>;
  readonly mutes: Pick<Mutes, 'put' | 'active'>;
  readonly scheduleMuteEnd: (muteId: string, atMs: number) => Promise<void>;
  readonly settingOrder: SettingOrder;
}

/** Puts a mute in force and schedules its end, unless somebody has set or ended one of the card since it was asked for. */
export function createStartMute(deps: StartDeps) {
  const { mutes, record, responses } = deps;
  return async function startMute(action: MuteAction, mute: Mute): Promise<void> {
    const { kind, acctId, endsAt } = mute;
    if (!(await deps.settingOrder.begin(orderOf(acctId, kind), action))) return await tellSetSince(action, deps);
    const where = kind === 'travel' ? `in ${mute.countries.map(countryInSentence).join(', ')} ` : '';
    const did = kind === 'travel' ? 'set a travel mute for' : 'muted';
    // Recorded first: nothing is withheld by a mute that is not on record.
    await record(action, { ...doneTo(mute.card, did), after: `${where}until ${endsAt}`, reason: mute.reason });
    const endsAtMs = Date.parse(endsAt);
    if (endsAtMs <= deps.now().getTime()) {
      const stillMuted = await stillMutedUntil(mute, mutes);
      return await responses.answer(action, muteEnded({ mutes: [mute], stillMuted }));
    }
    await mutes.put(mute);
    await deps.scheduleMuteEnd(mute.id, endsAtMs);
    await responses.answer(action, muteSet(mute, await muteBeside(mute, mutes)));
  };
}

interface WhyNotDeps {
  readonly rights: Pick<Rights, 'authorize'>;
  readonly mutes: Pick<Mutes, 'active'>;
  readonly settingOrder: Pick<SettingOrder, 'isSetSince'>;
}

/** Why a card may not be muted: by the policy, or because it is muted already. */
export function createWhyNotMute({ mutes, rights, settingOrder }: WhyNotDeps) {
  /** @param judgedAs the verb whose permission it needs. */
  return async function whyNotMute(
    action: MuteAction,
    acctId: number,
    { judgedAs, lastsMs }: { readonly judgedAs: 'mute' | 'travel'; readonly lastsMs: number },
  ): Promise<{ readonly why: string; readonly whoCan: string; readonly isNotPermitted?: true } | null> {
    const own = muteIdOf(action);
    const active = await mutes.active();
    // A rerun after a crash: it was permitted before it was stored.
    if (active.some(({ id }) => id === own)) return null;
    const decision = await rights.authorize({ ...action, verb: judgedAs }, { acctId, lastsMs });
    if (decision.kind === 'refused')
      return { why: decision.why, whoCan: 'Mute it for a shorter time, or ask an approver.', isNotPermitted: true };
    const other = active.find(({ acctId: ofCard, kind }) => ofCard === acctId && kind === action.verb);
    // What was asked for later stays, and is not in the way of itself.
    if (other === undefined || (await settingOrder.isSetSince(orderOf(acctId, action.verb), action))) return null;
    const what = action.verb === 'mute' ? 'The card is muted' : 'The card has a travel mute';
    return {
      why: `${what} until ${other.endsAt}.`,
      whoCan: `To change that, type ${commandCode('unmute')} with this card first.`,
    };
  };
}

/** The countries of a travel mute, the words behind them, and the verb whose permission it needs. */
export function splitMuteDetails({ verb, details }: { readonly verb: 'mute' | 'travel'; readonly details: string }) {
  const words = details.split(' ');
  if (verb === 'mute') return { judgedAs: verb, countries: '', rest: words } as const;
  const [countries = '', ...rest] = words;
  // A trip at home would explain nearly every decline, so this is a regular mute.
  return { judgedAs: countries.split(',').includes(HOME) ? 'mute' : verb, countries, rest } as const;
}

function muteIdOf({ id }: Action): string {
  return `mute_${id.slice('act_'.length)}`;
}

/** For the audit record. @param did past tense, followed by the card. */
function doneTo(card: CardFacts, did: string) {
  return { event: 'done', begins: true, acctId: card.acctId, cardId: card.cardId, line: { did, card } } as const;
}

interface EndMuteDeps extends Pick<ActionTools, 'withLock'> {
  readonly mutes: Pick<Mutes, 'get' | 'active' | 'end' | 'withheld' | 'remove'>;
  /** Posts into a channel, once per id and after its quiet hours. */
  readonly postNotice: (channel: string, id: string, message: Message) => Promise<void>;
  readonly now: () => Date;
}

export function createEndMute({ mutes, postNotice, withLock, now }: EndMuteDeps) {
  return {
    /**
     * Ends a mute whose time is over: reports to each channel how many alerts it withheld, and removes it. Idempotent.
     *
     * @returns milliseconds until the next run, when it is too early; null when the mute has ended.
     */
    async endMute(id: string): Promise<number | null> {
      const mute = await mutes.get(id);
      if (mute === null) return null;
      const leftMs = Date.parse(mute.endsAt) - now().getTime();
      if (leftMs > 0 && mute.hasEnded !== true) return leftMs;
      await withLock(`mutes:${mute.acctId}`, async () => {
        // Somebody may have ended it meanwhile.
        if ((await mutes.get(id)) !== null) await closeMute(mute, null);
      });
      return null;
    },
    closeMute,
  };

  /** Ends a mute, under the lock of the card's mutes. Idempotent. @returns the kind of each alert that it withheld. */
  async function closeMute(mute: Mute, endedBy: string | null): Promise<WebhookKind[]> {
    // Before reporting. Otherwise an alert that arrives in between would be withheld and never reported.
    await mutes.end(mute);
    const withheld = await mutes.withheld(mute.id);
    const stillMuted = await stillMutedUntil(mute, mutes);
    const channels = mute.kind === 'mute' ? [...new Set(withheld.map(({ channel }) => channel))] : [mute.directChannel];
    for (const channel of channels) {
      const alerts = withheld.filter((alert) => mute.kind === 'travel' || alert.channel === channel);
      if (alerts.length === 0) continue;
      const message = muteEnded({ mutes: [mute], stillMuted, endedBy, channel, kinds: kindsOf(alerts) });
      await postNotice(channel, `${mute.id}-${channel}`, message);
    }
    await mutes.remove(mute);
    return kindsOf(withheld);
  }
}

/** The kind of each alert, once, however many channels it was withheld in. */
function kindsOf(withheld: readonly Withheld[]): WebhookKind[] {
  return [...new Map(withheld.map(({ eventId, kind }) => [eventId, kind])).values()];
}
