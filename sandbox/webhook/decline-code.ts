/** One of the specification's twelve reasons for declining a transaction. */
interface DeclineCode {
  readonly code: string;
  /** As sent in the Decline webhook. */
  readonly message: string;
  readonly meaning: string;
}

/** The decline codes, in the order of the specification. */
export const DECLINE_CODES: readonly DeclineCode[] = [
  {
    code: 'decline.rule.location',
    message: 'International transactions not allowed',
    meaning: 'the merchant is outside the United States',
  },
  {
    code: 'decline.rule.cardnotpresent',
    message: 'Card not present',
    meaning: 'online or keyed, where the card has to be swiped',
  },
  {
    code: 'decline.rule.velocity',
    message: 'Transaction exceeded daily spend limit',
    meaning: 'more than a limit of the spend rules leaves',
  },
  {
    code: 'decline.rule.velocity.mcc',
    message: 'Transaction exceeded merchant category limit',
    meaning: 'more than a limit of the category leaves',
  },
  {
    code: 'decline.rule.mcc',
    message: 'Unauthorized merchant category: Hardware Stores',
    meaning: 'the rules disallow this merchant category',
  },
  {
    code: 'decline.balance.business',
    message: 'Insufficient balance in service account',
    meaning: 'the business balance is below the amount',
  },
  {
    code: 'decline.remote',
    message: 'Remote service decline',
    meaning: "the customer's own service did not authorize",
  },
  {
    code: 'decline.mcc',
    message: 'Transaction type not allowed',
    meaning: 'the service disallows this merchant category',
  },
  {
    code: 'decline.balance.card',
    message: 'Transaction exceeded current card balance',
    meaning: 'the card balance is below the amount',
  },
  {
    code: 'decline.card.status',
    message: 'New Card Pending Activation',
    meaning: 'the card is not active',
  },
  { code: 'decline.card.pin', message: 'PIN Verification Check', meaning: 'the PIN was wrong' },
  { code: 'decline', message: 'Do not honor', meaning: 'any other reason' },
];
