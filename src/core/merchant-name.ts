/** A merchant however its name is spelled: `key` is equal for the same merchant, `name` is what people read. */
export interface MerchantName {
  readonly key: string;
  readonly name: string;
}

/** Companies that take payments for others: behind their mark comes the merchant. */
const facilitators = /^(?:sq|tst|sp|pp|paypal|py|ppl)\s*\*\s*(?=\S*\p{L}{2})/iu;

/** Amazon's shop in the US under the names that it sends. Its other companies (Web Services, Fresh, other countries) stay apart. */
const amazon =
  /^(?:amazon|amzn)(?:\.com)?(?:\/bill\S*)?(?:\s*(?:mktp|mktpl|mktplace|marketplace)(?:\s+(?:us|pmts))?)?$/;

/** `#12`, `No. 12`, `Store 12`, and what no name ends with: a number that begins with zero or has five digits. */
const storeNumber = /\s+(?:(?:store|location|no\.?|number)?\s*#\s*\d+|(?:store|no\.)\s*\d+|0\d+|\d{5,})$/iu;

/**
 * A merchant's name without what changes from one purchase to the next: the mark of who takes the payment, the reference of
 * the order, the number of the shop. So `AMZN Mktp US*2K3` is `Amazon.com`, and `SQ *COFFEE BAR` is `Coffee Bar #12`.
 *
 * Careful, because a merchant too many in a list does no harm and two in one row do: what may belong to a name stays.
 */
export function merchantName(sent: string): MerchantName {
  const spaced = sent
    .normalize('NFKC')
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim();
  const own = withoutStore(withoutReference(spaced.replace(facilitators, ''))) || spaced;
  if (own !== spaced) return merchantName(own);
  const key = own
    .toLowerCase()
    .replaceAll(/['’`]/g, '')
    .replace(/^www\./, '');
  return amazon.test(key) ? { key: 'amazon', name: 'Amazon' } : { key, name: own };
}

/** `AMZN Mktp US*2K3` → `AMZN Mktp US`. A word behind the star stays: `UBER *EATS`, `PADDLE.NET* 1PASSWORD`. */
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
