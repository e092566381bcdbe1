import { cardRoutes } from './cards.ts';
import { detailsRoutes } from './details.ts';
import { groupRoutes } from './groups.ts';
import { orderRoutes } from './orders.ts';
import { removedRoutes } from './removed.ts';
import type { Route } from './route.ts';
import { rulesetRoutes } from './rulesets.ts';
import { spendRuleRoutes } from './spend-rules.ts';
import { tokenRoutes } from './token.ts';
import { transactionRoutes } from './transactions.ts';
import { virtualCardRoutes } from './virtual-cards.ts';

/** Every endpoint. Where two paths fit a request, the one listed first answers. */
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
