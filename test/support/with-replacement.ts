import { AccountDetails } from '../../src/card-api/schema-account.ts';
import { acctId } from './perform-world.ts';

/** An account whose card 7 has a replacement, card 8, that is not activated. */
export function withReplacement(status: string | null) {
  return AccountDetails.parse({
    AccountId: acctId,
    AccountStatus: 'OPEN',
    CardList: [
      { CardId: 7, Last4CardNumber: '0007', CardStatus: status },
      { CardId: 8, Last4CardNumber: '0008', CardStatus: 'INACTIVE' },
    ],
  });
}
