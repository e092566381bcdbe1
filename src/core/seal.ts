import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { CardFacts } from './card-facts.ts';

export interface Seal {
  seal(text: string): string;
  /** Null when it was sealed with another key or changed. */
  open(sealed: string): string | null;
}

/** Cards as values of buttons and menu entries: what a client returns cannot be trusted. */
export interface CardSeal {
  seal(card: Pick<CardFacts, 'acctId' | 'cardId'>): string;
  /** Null when this app did not seal it. */
  open(sealed: string): { readonly acctId: number; readonly cardId: number | null } | null;
}

/** One seal per purpose: text sealed for one purpose does not open for another. */
type Seals = Readonly<Record<'reply' | 'order' | 'delegation', Seal>> & { readonly card: CardSeal };

/**
 * Encrypts what goes to Redis or to a client and must stay secret: Slack's `response_url`, because its holder can write
 * to the channel for 30 minutes; the order of a virtual card; which card a menu entry stands for; and whom an approver
 * has named as a delegate.
 *
 * @param botToken a secret that both processes already hold.
 */
export function createSeals(botToken: string): Seals {
  const sealFor = (purpose: keyof Seals): Seal => createSeal(botToken, purpose);
  return {
    reply: sealFor('reply'),
    order: sealFor('order'),
    card: ofCards(sealFor('card')),
    delegation: sealFor('delegation'),
  };
}

function ofCards({ seal, open }: Seal): CardSeal {
  return {
    seal: ({ acctId, cardId }) => seal(`${acctId}:${cardId ?? ''}`),
    open(sealed) {
      const [acctId = '', cardId = ''] = open(sealed)?.split(':') ?? [];
      return acctId === '' ? null : { acctId: Number(acctId), cardId: cardId === '' ? null : Number(cardId) };
    },
  };
}

/** AES-256-GCM with a key derived for the purpose, which is also the associated data. */
function createSeal(botToken: string, purpose: keyof Seals): Seal {
  const key = Buffer.from(hkdfSync('sha256', botToken, '', `cardbell seal: ${purpose}`, 32));
  const associated = Buffer.from(purpose);

  return {
    seal(text) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(associated);
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(sealed) {
      try {
        const bytes = Buffer.from(sealed, 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
        decipher.setAAD(associated).setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}
