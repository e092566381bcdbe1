import { ServiceError } from '../service-error.ts';
import { cardRoutes } from './cards.ts';
import { detailsRoutes } from './details.ts';
import { groupRoutes } from './groups.ts';
import { orderRoutes } from './orders.ts';
import type { Route } from './route.ts';
import { rulesetRoutes } from './rulesets.ts';
import { spendRuleRoutes } from './spend-rules.ts';
import { tokenRoutes } from './token.ts';
import { transactionRoutes } from './transactions.ts';
import { virtualCardRoutes } from './virtual-cards.ts';

/** Removed endpoints, and what to use instead. They answer 410. */
export const REMOVED: readonly (readonly [method: Route['method'], path: string, instead: string])[] = [
  ['POST', '/Card/Create', 'Terminated on Jan 31, 2018. Use POST /Card/CreateAsync.'],
  ['POST', '/Business/Admin', 'Not operational after Apr 24, 2019. Create administrators in the admin web interface.'],
  ['POST', '/Business/OneTimeTransfer', 'Not operational after May 29, 2019. There is no replacement.'],
  ['DELETE', '/Business/OneTimeTransfer{Id}', 'Not operational after May 29, 2019. There is no replacement.'],
  ['DELETE', '/Business/OneTimeTransfer/{Id}', 'Not operational after May 29, 2019. There is no replacement.'],
  ['DELETE', '/Bulk/RemoveAllCardsScheduledFunding', 'Deprecated Sept 30, 2021. There is no replacement.'],
  ['PUT', '/Bulk/SetAllCardsScheduledFunding', 'Deprecated Sept 30, 2021. There is no replacement.'],
  ['PUT', '/Bulk/FundAllCards', 'Deprecated Sept 30, 2021. There is no replacement.'],
  ['GET', '/Bulk/GetSpendingRulesets', 'Deprecated Sept 30, 2021. Use GET /SpendingRuleset/Advanced.'],
  ['PUT', '/Bulk/SetAllCardsSpendingRuleset', 'Deprecated Sept 30, 2021. Use PUT /Card/Profile/{Id} for each card.'],
];

const removedRoutes: readonly Route[] = REMOVED.map(([method, path, instead]) => ({
  method,
  path,
  does: instead,
  answer: () => {
    throw new ServiceError(410, `This endpoint was removed. ${instead}`);
  },
}));

/** Every endpoint. When two paths match a request, the first in the list answers. */
export const ROUTES: readonly Route[] = [
  ...removedRoutes,
  ...orderRoutes,
  ...cardRoutes,
  ...spendRuleRoutes,
  ...detailsRoutes,
  ...transactionRoutes,
  ...groupRoutes,
  ...rulesetRoutes,
  ...virtualCardRoutes,
  ...tokenRoutes,
];
