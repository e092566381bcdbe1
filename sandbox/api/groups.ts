import { z } from 'zod';
import { ServiceError } from '../service-error.ts';
import { midnight, toServiceTime } from '../service-time.ts';
import { type Account, type Card, currentCard, last4 } from '../state/account.ts';
import { balancesOf, type World } from '../state/world.ts';
import { LocalTime } from '../webhook/schema.ts';
import { apiStatus, day } from './account-view.ts';
import { idOf } from './request-parts.ts';
import { AccountStatus, balances, CardStatus, Group, id, maybeText } from './response-parts.ts';
import { type ApiAnswer, type ApiRequest, ok, type Route } from './route.ts';

const Plastic = z.strictObject({
  PlasticSequence: z.int(),
  ManualStatus: CardStatus,
  IssuedDate: LocalTime,
  ExpirationDate: LocalTime,
});
const Embossing = z.strictObject({
  AccountId: id,
  CardNumber: z.string().regex(/^\*{12}\d{4}$/),
  ManualStatus: CardStatus,
  SystemStatus: AccountStatus,
  CreatedDate: LocalTime,
  PlasticDetails: z.array(Plastic),
});
const GroupMember = z.strictObject({
  FirstName: z.string(),
  MiddleName: z.string(),
  LastName: z.string(),
  AccountId: id,
  AccountNumber: z.string(),
  ...balances,
  SpendRules: z.boolean(),
  AccountCreationTime: LocalTime,
  ManualStatus: CardStatus,
  SystemStatus: AccountStatus,
  PinSet: z.boolean(),
  BSAcctId: id,
  IsVirtual: z.boolean(),
  Group,
  SpendingRulesetModel: z.strictObject({ RulesetId: id, Name: z.string() }).nullable(),
  EmbossingDetails: z.array(Embossing),
  CustomId: maybeText,
});
const GroupList = z.strictObject({ Groups: z.array(z.strictObject({ Id: id, Name: z.string() })) });

/** Groups of holders. */
export const groupRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/Group',
    does: 'All groups',
    response: GroupList,
    answer: ({ world }) => ok({ Groups: world.state.groups.map(({ id, name }) => ({ Id: id, Name: name })) }),
  },
  {
    method: 'GET',
    path: '/Group/{Id}',
    does: 'The members of a group',
    response: z.array(GroupMember),
    answer: getGroup,
  },
];

function getGroup({ world, params }: ApiRequest): ApiAnswer {
  const id = idOf(params[0]);
  if (!world.state.groups.some((group) => group.id === id)) throw new ServiceError(404, 'Card group not found');
  return ok(world.state.accounts.filter(({ groupId }) => groupId === id).map((account) => holder(world, account)));
}

function holder(world: World, account: Account): z.infer<typeof GroupMember> {
  const group = world.state.groups.find(({ id }) => id === account.groupId);
  const ruleset = world.state.rulesets.find(({ id }) => id === account.rulesetId);
  return {
    FirstName: account.firstName,
    MiddleName: '',
    LastName: account.lastName,
    AccountId: account.acctId,
    AccountNumber: account.accountNumber,
    ...balancesOf(account),
    SpendRules: true,
    AccountCreationTime: toServiceTime(new Date(account.createdAt)),
    ManualStatus: apiStatus(currentCard(account)),
    SystemStatus: account.status,
    PinSet: true,
    BSAcctId: world.state.business.businessAccountId,
    IsVirtual: account.isVirtual,
    Group: group === undefined ? null : { Id: group.id, GroupName: group.name },
    SpendingRulesetModel: ruleset === undefined ? null : { RulesetId: ruleset.id, Name: ruleset.name },
    EmbossingDetails: account.cards.map((card) => embossing(account, card)),
    CustomId: account.customId,
  };
}

function embossing(account: Account, card: Card): z.infer<typeof Embossing> {
  return {
    AccountId: account.acctId,
    // Masked: the number itself leaves the sandbox in only one webhook.
    CardNumber: `************${last4(card)}`,
    ManualStatus: apiStatus(card),
    SystemStatus: account.status,
    CreatedDate: day(card.issuedAt),
    PlasticDetails: [
      {
        PlasticSequence: 1,
        ManualStatus: apiStatus(card),
        IssuedDate: day(card.issuedAt),
        ExpirationDate: midnight(card.expiresOn),
      },
    ],
  };
}
