import { countOf } from '../../templates/core/blocks.ts';
import { maskCardNumbers } from '../core/card-number.ts';
import { redisNow } from '../core/clock.ts';
import { contentId } from '../core/content-id.ts';
import { QuarantinedWebhook } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { createRecordStore } from '../core/record-store.ts';
import { redactOwnId, redactText } from '../core/redact-text.ts';
import type { RedisClient } from '../core/redis.ts';
import { isPhoneNumber, isSplit, readIdentifier, readTrackingNumber, TEXT_LENGTH_MAX } from './payload.ts';

/**
 * Fields whose values are kept after redaction: those that the schemas read, and other fields of the specification that
 * hold no secrets. For all other fields, only the type and length of the value are kept.
 */
const harmlessNames: ReadonlySet<string> = new Set(
  `CallbackTime TransactionType NetworkType NetworkStatus Description Message MessageCode Errors Status
  AcctId AccountId CardId CardOrderId VirtualCardOrderId GroupId CustomId FirstName LastName
  CardStatus Last4CardNumber IssueDate OrderDateTime ShippingMethod ShippingDate
  TransactionTime SettlementTime HoldTime MerchantLocalTime ReferencedTransactionTime
  TransactionAmount PaddingAmount MerchantRequestedAmount AvailableBalance LedgerBalance Balance
  MerchantName MerchantCity MerchantState MerchantZip MerchantCountry MCCCode TerminalId IsCardPresent`
    .toLowerCase()
    .split(/\s+/),
);
/** What is below another name than these and the harmless ones is not kept: nobody knows what it is about. */
const containers: ReadonlySet<string> = new Set(['data', 'cardlist']);
const identifierNames = /^(networktransactionid|transactionid|authtransactionid|referencedtranid|merchantid)$/;
/** What people read one after the other. Nobody reads the zip code. */
const wordNames = /name$|^merchant(?:city|state|country)$|^(?:message|description|customid)$/;
const cardNumberNames = /^(?:card|primaryaccount|virtualcard)(?:number|no)$|^pan$/;

/** The service's JSON is two levels deep. Deeper nesting is an attack on the stack. */
const MAX_DEPTH = 32;
const ISSUES_MAX = 20;
const TEXT_MAX = 200;

/**
 * Redacts a body of unknown shape and wraps it for quarantine.
 *
 * The events' allow list does not help here. Instead, a value is kept only if its field is known to be harmless, and
 * card numbers and codes are removed from its text. So a secret under an unexpected name is not kept.
 *
 * @param facts.digest of what arrived: two webhooks may differ only in what is removed, and a retry is the same entry. Keyed,
 * because what was removed could be guessed from a plain hash. A row that recovery fetches again has none: what is kept of
 * it identifies it.
 */
export function quarantine(
  body: unknown,
  facts: {
    path: string;
    issues: readonly string[];
    version: string | undefined;
    receivedAt: string;
    digest?: string;
  },
): QuarantinedWebhook {
  const redacted = redact(body, 'data', 0);
  return QuarantinedWebhook.parse({
    id: contentId('q_', [facts.path, facts.digest ?? JSON.stringify(redacted)]),
    path: facts.path,
    issues: fewIssues(facts.issues),
    body: redacted,
    version: facts.version === undefined ? null : redactShort(facts.version).slice(0, 50),
    receivedAt: facts.receivedAt,
  });
}

function fewIssues(all: readonly string[]): string[] {
  const distinct = [...new Set(all)];
  const few = distinct.slice(0, ISSUES_MAX).map((issue) => redactShort(issue).slice(0, TEXT_MAX));
  return distinct.length > ISSUES_MAX ? [...few, `and ${distinct.length - ISSUES_MAX} more`] : few;
}

/** @param name of the field, as {@link nameOf} writes it; for an item, the name of its list. */
function redact(value: unknown, name: string, depth: number): unknown {
  if (depth > MAX_DEPTH) return '[too deep]';
  if (Array.isArray(value)) {
    // A reader of the list can still see a secret that is split into pieces.
    const isSecret = isSplit(value.flat(MAX_DEPTH).filter(isPiece), redactText);
    return value.map((item) => redact(item, isSecret ? 'part of a secret' : name, depth + 1));
  }
  if (value === null || typeof value !== 'object') return redactValue(value, name);
  const isKnown = containers.has(name) || harmlessNames.has(name);
  const fields = Object.entries(value).map(([key, item]: [string, unknown]) => ({ key, name: nameOf(key), item }));
  const words = fields.filter((field) => wordNames.test(field.name) && isPiece(field.item));
  const items = words.map(({ item }) => (isPhoneNumber(String(item)) ? '' : item));
  const split = new Set(isSplit(items, maskCardNumbers) ? words.filter(({ item }) => hasDigit(item)) : []);
  // fromEntries defines properties instead of assigning them, so a key "__proto__" stays a plain key.
  return Object.fromEntries(
    fields.map((field) => [
      redactShort(field.key).slice(0, TEXT_MAX),
      redact(field.item, !isKnown || split.has(field) ? 'part of a secret' : field.name, depth + 1),
    ]),
  );
}

const isPiece = (item: unknown): boolean => typeof item === 'string' || typeof item === 'number';
const hasDigit = (item: unknown): boolean => /\p{Nd}/u.test(String(item));

/** Normalizes a name for comparison: no spaces, separators or case. */
function nameOf(key: string): string {
  return key.replace(/[\s_-]/g, '').toLowerCase();
}

function redactValue(value: unknown, name: string): unknown {
  if (value === null || value === '' || typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return '[removed]';
  const text = String(value);
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return '[large number]';
  if (cardNumberNames.test(name)) return lastFourOf(text);
  const kept = keptOf(text, name);
  if (kept === null) return formOf(typeof value === 'string' ? 'text' : 'number', text);
  return typeof value === 'number' && kept === text ? value : kept;
}

/** Null when nothing of the value is kept. */
function keptOf(text: string, name: string): string | null {
  if (name === 'trackingnumber') return readTrackingNumber(text);
  if (identifierNames.test(name)) return readIdentifier(text);
  if (name === 'customid') return redactShort(text, redactOwnId);
  return harmlessNames.has(name) ? redactShort(text) : null;
}

/** Removes secrets from a text. One that is too long to be searched is only described. */
function redactShort(text: string, without = redactText): string {
  return text.length > TEXT_LENGTH_MAX ? formOf('text', text) : without(text);
}

function lastFourOf(text: string): string {
  const digits = text.replace(/\D/g, '');
  return digits.length < 4 ? formOf('text', text) : `••${digits.slice(-4)}`;
}

/** Describes a value that is not kept. */
function formOf(type: 'text' | 'number', { length }: string): string {
  return `[${type}, ${countOf(length, 'character')}]`;
}

const KEPT_SECONDS = 30 * 24 * 3600;

/** Webhooks that did not match, redacted. Kept until someone replays or discards them, or for 30 days. */
export function createQuarantineStore(redis: RedisClient) {
  const index = stateKey('quarantine');
  const keyOf = (id: string): string => stateKey(`quarantine:${id}`);
  const { get, put } = createRecordStore({ redis, schema: QuarantinedWebhook, keyOf, ttlSeconds: KEPT_SECONDS });

  return {
    keep: (webhook: QuarantinedWebhook) =>
      put(webhook.id, webhook, (change) =>
        change
          .zadd(index, String(Date.parse(webhook.receivedAt)), webhook.id)
          .zremrangebyscore(index, '-inf', String(Date.parse(webhook.receivedAt) - KEPT_SECONDS * 1000)),
      ),
    /** Newest first. @param from how many newer ones to skip. */
    async list(limit: number, from = 0): Promise<QuarantinedWebhook[]> {
      const ids = await redis.zrevrange(index, from, from + limit - 1);
      const found = await Promise.all(ids.map(get));
      return found.filter((webhook) => webhook !== null);
    },
    count: async () => redis.zcount(index, String((await redisNow(redis)) - KEPT_SECONDS * 1000), '+inf'),
    get,
    async remove(id: string): Promise<boolean> {
      const [, [, removed] = [null, 0]] = (await redis.multi().del(keyOf(id)).zrem(index, id).exec()) ?? [];
      return removed === 1;
    },
  };
}
