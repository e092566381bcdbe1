import type { KnownBlock, ModalView, PlainTextOption } from '@slack/types';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { capital } from '../../src/core/first-letter.ts';
import { commandCode } from '../../src/core/installation.ts';
import { actionId, callbackId } from '../../src/slack/action-id.ts';
import * as limits from '../../src/slack/limits.ts';
import { channelMention, plain, truncate } from '../../src/slack/mrkdwn.ts';
import { activateButton, blockButton } from '../actions/card-buttons.ts';
import { actions, button, context, escapeUntrusted, fields, plainText, section } from '../core/blocks.ts';
import { cardName, cardRaw, holderName, holderRaw, named, statusWord } from '../core/card-words.ts';
import { modal, option } from '../core/form.ts';

/** What can be done with a card that was picked, in the order of the buttons. */
export const pickedVerbs = ['show', 'activate', 'unblock', 'limit', 'block'] as const;
export type PickedVerb = (typeof pickedVerbs)[number];

export interface PickedCard {
  readonly card: CardFacts;
  /** As the card service writes it; null when unknown. */
  readonly status: string | null;
  /** What this person may do. Each value is an opaque id. */
  readonly controls: readonly { readonly verb: PickedVerb; readonly value: string }[];
}

interface CardPicker {
  /** Opaque id that comes back with the choice. */
  readonly privateMetadata: string;
  readonly picked: PickedCard | null;
  /** The result of the last choice; our own mrkdwn. */
  readonly notice: string | null;
}

/** `/card` alone: find a card by typing, then do something with it. */
export function cardPicker({ privateMetadata, picked, notice }: CardPicker): ModalView {
  return modal({
    callback: callbackId.cardPicker,
    privateMetadata,
    title: 'Cards',
    blocks: [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*Which card?*' },
        accessory: {
          type: 'external_select',
          action_id: actionId.pickCard,
          placeholder: plainText('Name, last four digits, id', limits.PLACEHOLDER_MAX),
          min_query_length: 0,
        },
      },
      ...(notice === null ? [] : [section(notice)]),
      ...(picked === null ? [] : about(picked)),
      ...(picked === null && notice === null
        ? context('Type part of the holder’s name, the last four digits, an id or a custom id.')
        : []),
    ],
  });
}

export const pickedSaid = {
  expired: (): string => `This is more than 30 minutes old. Close it and type ${commandCode()} again. Nothing changed.`,
  asked: (channel: string): string => `Asked. The answer appears in ${channelMention(channel)}; only you see it.`,
} as const;

/** Shown over the picker until the worker has read the card: the web process has no token for the card service. */
export function readingCard(): ModalView {
  return modal({
    title: 'Card',
    close: 'Back',
    blocks: context('Reading the card’s limits…'),
  });
}

/** One line of the menu: `Jane Doe · card 4242 · active`. */
export function cardOption(value: string, card: CardFacts, status: string | null): PlainTextOption {
  const facts = [cardRaw(card), status === null ? '' : statusWord(status)].filter(Boolean).join(' · ');
  // Only the name is cut, so that two cards of people with the same name stay distinct.
  const name = truncate(plain(holderRaw(card)), Math.max(10, limits.OPTION_TEXT_MAX - facts.length - 3));
  return option(`${name} · ${facts}`, value);
}

function about({ card, status, controls }: PickedCard): KnownBlock[] {
  return [
    { type: 'divider' },
    section(`*${holderName(card)}*`),
    ...fields([
      ['Card', capital(cardName(card))],
      ['Status', status === null ? 'Not known' : capital(statusWord(status))],
      ['Group', escapeUntrusted(card.group ?? '', 80)],
      ['Custom id', escapeUntrusted(card.customId ?? '', 60)],
      ['Kind', card.isVirtual === null ? '' : card.isVirtual ? 'Virtual' : 'Physical'],
      ['Account', String(card.acctId ?? '')],
    ]),
    ...actions(...controls.map(({ verb, value }) => control(verb, value, card))),
    ...context('Nothing has changed yet.'),
  ];
}

function control(verb: PickedVerb, value: string, card: CardFacts) {
  const name = named(card, 110);
  const short = truncate(name, 55);
  switch (verb) {
    case 'show':
      return button({ text: 'Show limits', action: actionId.pickedShow, value, label: `Show limits of ${short}` });
    case 'limit':
      return button({ text: 'Change limit…', action: actionId.pickedLimit, value, label: `Change limit of ${short}` });
    case 'unblock':
      return button({
        text: 'Unblock card',
        action: actionId.pickedUnblock,
        value,
        style: 'primary',
        label: `Unblock ${short}`,
        confirm: {
          title: 'Unblock this card?',
          text: `${name} can be used again.`,
        },
      });
    case 'activate':
      return activateButton({ value, card }, actionId.pickedActivate);
    case 'block':
      return blockButton({ value, card }, actionId.pickedBlock);
  }
}
