import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { BoundedMap } from '../core/bounded-map.ts';
import { UnreadableError } from '../core/errors.ts';

/**
 * Text that most alerts share, most frequent last. Change it only together with `DICTIONARY`: data packed with another
 * dictionary cannot be read.
 */
const common = Buffer.from(
  [
    '"kind":"virtual-card","holder":"","last4":"","status":"ACTIVE","balanceCents":,"virtualCardOrderId":,"outcome":"created","failed":[],"message":"Account Creation Successful"},"asked":null}',
    '"kind":"card-shipping","trackingNumber":"9","shippingMethod":"USPS","last4":"","cardOrderId":},"progress":null}',
    '"kind":"card-status","holder":"","customId":null,"cards":[{"cardId":,"last4":"","status":"INACTIVE","cardOrderId":null}]},"changes":[{"cardId":,"last4":"","from":"ACTIVE","steps":[{"status":"BLOCKED","at":"202"}],"supersededBy":null,"causedBy":null}],"progress":null}',
    '"authTransactionId":"","networkType":"Settlement","direction":"credit","kind":"settlement","kind":"authorization",',
    '"decline":{"code":"decline.card.pin","message":"PIN Verification Check"}"decline.card.status","message":"Card Status Closed"Inactive"New Card Pending Activation"}"decline.mcc","message":"Transaction type not allowed"}"decline.remote","message":"Remote service decline"}"decline.balance.business","message":"Insufficient balance in service account"}"decline.rule.velocity.mcc","message":"Transaction exceeded merchant category limit"}"decline.rule.cardnotpresent","message":"Card not present"}"decline.rule.location","message":"International transactions not allowed"}"decline.rule.mcc","message":"Unauthorized merchant category: "}"decline.balance.card","message":"Transaction exceeded current card balance"}},',
    '"remedy":{"kind":"activate"},{"kind":"unblock"},{"kind":"allow_card_not_present"},{"kind":"allow_international"},{"kind":"allow_category","category":{"id":null,"name":""}},{"kind":"portal","why":"ruleset"},{"kind":"retry"},"isKnownLater":true,"repeats":{},"timeline":null}',
    '"remedy":null,"isKnownLater":true,"repeats":{},"timeline":null}',
    '"isVirtual":true,"group":"","status":"INACTIVE","ruleset":null},"outcomes":"status":"BLOCKED","ruleset":{"id":,"name":"","mayOverrule":true}},"outcomes":"isCardPresent":false,"decline":{"code":"decline.',
    '{"card":{"acctId":,"cardId":,"last4":"","holder":"","customId":null,"isVirtual":false,"group":"","status":"ACTIVE"},"outcomes":[],"late":false,"kind":"transaction","event":{"id":"evt_","callbackAt":"202","receivedAt":"202","acctId":,"kind":"decline","occurredAt":"202.0000000Z","requestedAt":"202.0000000Z","settledAt":null,"networkTransactionId":"","authTransactionId":null,"networkType":"Auth","amountCents":,"paddingCents":0,"direction":"debit","requestedCents":,"availableCents":,"ledgerCents":,"merchant":{"name":"","city":"","state":"","country":"US","id":""},"mcc":"5","isCardPresent":true,"decline":{"code":"decline.rule.velocity","message":"Transaction exceeded daily spend limit"}},"remedy":{"kind":"raise_limit","limits":[{"rule":{"kind":"limit","period":"daily","category":null},"from":,"to":,"remainingCents":,"isAdjustedToo":false}]},"repeats":{},"timeline":null}"remedy":null,"repeats":{},"timeline":null}',
  ].join(''),
);
/** Version of the dictionary. */
const DICTIONARY = 2;
/** One byte for the dictionary version, three for the length of the body. */
const HEADER = 4;

/**
 * Large enough for a typical alert. Larger buffers would cost setup time on every call. A lower level takes as long and packs
 * less.
 */
const options = { level: 6, windowBits: 12, memLevel: 4, dictionary: common, chunkSize: 1024 };

/** How many alerts a process keeps in memory. Each is read a few times soon after it was written, to render its message. */
const REMEMBERED_MAX = 5000;

/**
 * Packs alerts for Redis to a quarter of their size: deflated, behind the number of the dictionary and the length. The
 * length is needed because a longer text before it may have left more bytes behind.
 *
 * @param read turns a text into what `unpack` returns; the result is remembered.
 */
export function createAlertPacking<T>(read: (text: string) => T) {
  const known = new BoundedMap<string, T>(REMEMBERED_MAX);
  return {
    /** @param value what `read` would make of this text. */
    pack(text: string, value: T): Buffer {
      const body = deflateRawSync(text, options);
      const packed = Buffer.allocUnsafe(HEADER + body.length);
      packed.writeUInt8(DICTIONARY, 0);
      packed.writeUIntBE(body.length, 1, HEADER - 1);
      body.copy(packed, HEADER);
      known.set(body.toString('latin1'), value);
      return packed;
    },
    /** @throws UnreadableError, or what `read` throws */
    unpack(packed: Buffer): T {
      const body = bodyOf(packed);
      const key = body.toString('latin1');
      const found = known.get(key);
      if (found !== undefined) return found;
      const value = read(inflated(body));
      known.set(key, value);
      return value;
    },
  };
}

function bodyOf(packed: Buffer): Buffer {
  const [dictionary] = packed;
  if (dictionary !== undefined && dictionary !== DICTIONARY)
    throw new UnreadableError(`an alert: packed with dictionary ${dictionary}`);
  const end = packed.length < HEADER ? HEADER : HEADER + packed.readUIntBE(1, HEADER - 1);
  if (packed.length < end) throw new UnreadableError(`an alert: cut off at byte ${packed.length}`);
  return packed.subarray(HEADER, end);
}

function inflated(body: Buffer): string {
  try {
    return inflateRawSync(body, options).toString();
  } catch {
    throw new UnreadableError('an alert: damaged');
  }
}
