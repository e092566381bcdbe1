import { BoundedMap } from './bounded-map.ts';

/** A merchant regardless of spelling: `key` is equal for the same merchant, `name` is for people. */
interface MerchantName {
  readonly key: string;
  readonly name: string;
}

/** Companies that process payments for others: the merchant follows their prefix. */
const facilitators = /^(?:sq|tst|sp|pp|paypal|py|ppl)\s*\*\s*(?=\S*\p{L}{2})/iu;

/** The names that Amazon's US shop sends. Its other companies (Web Services, Fresh, other countries) stay separate. */
const amazon =
  /^(?:amazon|amzn)(?:\.com)?(?:\/bill\S*)?(?:\s*(?:mktp|mktpl|mktplace|marketplace)(?:\s+(?:us|pmts))?)?$/;

/** `#12`, `No. 12`, `Store 12`, and numbers no name ends with: leading zero, or five or more digits. */
const storeNumber = /\s+(?:(?:store|location|no\.?|number)?\s*#\s*\d+|(?:store|no\.)\s*\d+|0\d+|\d{5,})$/iu;

/**
 * A merchant's name without the parts that change between purchases: the payment processor's prefix, the order
 * reference, the store number. So `AMZN Mktp US*2K3` is `Amazon`, and `SQ *COFFEE BAR #12` is `COFFEE BAR`.
 *
 * Cautious: listing one merchant twice does no harm, merging two merchants does. Anything that may belong to a name
 * stays.
 */
export function merchantName(sent: string): MerchantName {
  const known = names.get(sent) ?? readName(sent);
  names.set(sent, known);
  return known;
}

/** Each decline asks several times, and most merchants come again. */
const names = new BoundedMap<string, MerchantName>(2000);

function readName(sent: string): MerchantName {
  const spaced = sent
    .normalize('NFKC')
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const own = withoutStore(withoutReference(spaced.replace(facilitators, ''))) || spaced;
  if (own !== spaced) return readName(own);
  const key = own
    .toLowerCase()
    .replaceAll(/['’`]/g, '')
    .replace(/^www\./, '');
  return amazon.test(key) ? { key: 'amazon', name: 'Amazon' } : { key, name: own };
}

/** `AMZN Mktp US*2K3` → `AMZN Mktp US`. A word after the asterisk stays: `UBER *EATS`, `PADDLE.NET* 1PASSWORD`. */
function withoutReference(name: string): string {
  const [, before = '', behind = ''] = /^(.*\S)\s*\*\s*([a-z0-9]+)$/iu.exec(name) ?? [];
  const digits = behind.replaceAll(/\D/g, '').length;
  const isName = /^\d*[a-z]{3,}\d*$/i.test(behind);
  return before !== '' && behind.length >= 3 && digits >= 2 && !isName ? before : name;
}

function withoutStore(name: string): string {
  const before = name.replace(storeNumber, '');
  return /\p{L}{2}/u.test(before) ? before : name;
}
