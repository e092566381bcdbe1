import { z } from 'zod';

/** The rules in force at the time of a decision. */
export const PolicyOnRecord = z.strictObject({
  /** SHA-256 of the policy. */
  version: z.string(),
  /** The rules in one line. */
  words: z.string(),
});
export type PolicyOnRecord = z.infer<typeof PolicyOnRecord>;

/** What `api` says of a change that needed no write. */
export const API_NOT_ASKED = 'not asked';

/** One record: who asked for what, the outcome, and the rules in force. */
export const AuditRecord = z.strictObject({
  /** UTC ISO 8601. */
  at: z.string(),
  actionId: z.string(),
  event: z.enum([
    'asked',
    'refused',
    'waiting',
    'approved',
    'denied',
    'sent',
    'done',
    'failed',
    'unknown',
    'unchanged',
    'ended',
    'confirmed',
    'unconfirmed',
    'superseded',
    /** Found at the card service after a gap; no other record explains it. */
    'discovered',
  ]),
  verb: z.string(),
  /** Slack user and team; null for automatic steps, for example the end of a temporary limit. */
  actor: z.strictObject({ userId: z.string(), teamId: z.string() }).nullable(),
  roles: z.array(z.string()),
  acctId: z.int().nullable(),
  cardId: z.int().nullable(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  reason: z.string(),
  /** Where the person asked. */
  channel: z.string().nullable(),
  messageTs: z.string().nullable(),
  alertId: z.string().nullable(),
  /** What the card API answered, why Cardbell refused, or another fact, such as the id of a claim. */
  detail: z.string().nullable(),
  /** The amount above which a raise needed two people at that time, in whole cents. Null: none, or done at a terminal. */
  twoPersonAboveCents: z.int().nullable(),
  /** The card API's answer to the write. */
  api: z.string().nullish(),
  permalink: z.string().nullish(),
  /** Null: done at a terminal, where no policy decides. */
  policy: PolicyOnRecord.nullish(),
  confirmedBy: z.enum(['webhook', 'read-back']).nullish(),
  /** The event that confirmed it, if a webhook did. */
  eventId: z.string().nullish(),
  /** How long the change lasts, in words. */
  duration: z.string().nullish(),
  /** The cardholder, the last four digits and the merchant, as known at that time. */
  holder: z.string().nullish(),
  last4: z.string().nullish(),
  merchant: z.string().nullish(),
  /** Slack users who approved a change that needed approval. */
  approvers: z.array(z.string()).nullish(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

/** The policy at that time, if one decides; added to every record when it is written. */
export type InForce = Pick<AuditRecord, 'twoPersonAboveCents' | 'policy'>;
/** Readable names for ids. Added to the record when it is written, because other stores delete them later. */
export type Described = Pick<AuditRecord, 'holder' | 'last4' | 'merchant' | 'approvers'>;
/** What happened, before it is recorded. */
export const Statement = AuditRecord.omit({
  twoPersonAboveCents: true,
  policy: true,
  holder: true,
  last4: true,
  merchant: true,
  approvers: true,
});
export type Statement = z.infer<typeof Statement>;

/** For automatic steps that concern no card and no message. */
export const nobody = {
  actor: null,
  roles: [],
  acctId: null,
  cardId: null,
  before: null,
  after: null,
  reason: '',
  channel: null,
  messageTs: null,
  alertId: null,
  detail: null,
} satisfies Partial<Statement>;
