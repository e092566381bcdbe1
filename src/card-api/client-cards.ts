import type { CardStatus } from '../core/event.ts';
import type { CardApiAssumptions } from './assumptions.ts';
import type { CallOptions, CardCall } from './call.ts';
import { badAnswer } from './errors.ts';
import { AnyRecord } from './schema.ts';
import { Profile } from './schema-account.ts';
import { CardOrder, CardOrderPlaced } from './schema-order.ts';
import { readSpendRules, type SpendRulesRead, toSpendRulesBody } from './spend-rules.ts';

/** What the service calls Card: status, activation, rules, profile and orders of plastic. */
export interface CardMethods {
  /** Blocks or unblocks. Takes effect at once, for the account's card; a webhook confirms it. */
  setCardStatus(
    acctId: number,
    status: Extract<CardStatus, 'ACTIVE' | 'BLOCKED'>,
    options?: CallOptions,
  ): Promise<void>;
  /** Activates one card. All other cards of the account end for good. Never sent twice. */
  activateCard(acctId: number, cardId: number, options?: CallOptions): Promise<void>;
  getSpendRules(acctId: number, options?: CallOptions): Promise<SpendRulesRead>;
  /** Writes all rules back: `raw` as `getSpendRules` gave it, with `changeRule` applied. */
  putSpendRules(acctId: number, raw: AnyRecord, options?: CallOptions): Promise<void>;
  getProfile(acctId: number, options?: CallOptions): Promise<Profile>;
  /** `changes` in the service's own field names; what is left out stays. */
  updateProfile(acctId: number, changes: AnyRecord, options?: CallOptions): Promise<void>;
  /** Orders cards (`{ Cards: […] }`, the service's own field names). Never sent twice: look for the order before repeating. */
  createCards(order: AnyRecord, options?: CallOptions): Promise<CardOrderPlaced>;
  /** The form that answers when the card exists. Its answer is not documented and handed on as it is. */
  createCardSync(order: AnyRecord, options?: CallOptions): Promise<AnyRecord>;
  getCardOrder(cardOrderId: number, options?: CallOptions): Promise<CardOrder>;
}

export function cardMethods(call: CardCall, assumptions: CardApiAssumptions): CardMethods {
  const rulesPaths = ['/Card/SpendRules/{acctId}/Advanced'];
  const profilePaths = ['/Card/Profile/{acctId}'];

  return {
    async setCardStatus(acctId, status, options) {
      const body = status === 'BLOCKED' ? assumptions.blockedBody : assumptions.activeBody;
      const paths = assumptions.setCardStatusPath;
      await call({
        operation: 'setCardStatus',
        method: 'PUT',
        paths,
        ids: { acctId },
        body,
        repeat: 'idempotent',
        options,
      });
    },

    async activateCard(acctId, cardId, options) {
      const paths = assumptions.activateCardPaths;
      await call({ operation: 'activateCard', method: 'POST', paths, ids: { acctId, cardId }, options });
    },

    async getSpendRules(acctId, options) {
      const operation = 'getSpendRules';
      const raw = await call({ operation, method: 'GET', paths: rulesPaths, ids: { acctId }, options }, AnyRecord);
      const rules = readSpendRules(raw, assumptions);
      if (rules === null) throw badAnswer(operation, 200, 'no spend rules');
      return { rules, raw };
    },

    async putSpendRules(acctId, raw, options) {
      const body = toSpendRulesBody(raw, assumptions);
      await call({
        operation: 'putSpendRules',
        method: 'PUT',
        paths: rulesPaths,
        ids: { acctId },
        body,
        repeat: 'idempotent',
        options,
      });
    },

    getProfile(acctId, options) {
      return call({ operation: 'getProfile', method: 'GET', paths: profilePaths, ids: { acctId }, options }, Profile);
    },

    async updateProfile(acctId, changes, options) {
      await call({
        operation: 'updateProfile',
        method: 'PUT',
        paths: profilePaths,
        ids: { acctId },
        body: changes,
        options,
      });
    },

    createCards(order, options) {
      return call(
        { operation: 'createCards', method: 'POST', paths: ['/Card/CreateAsync'], body: order, options },
        CardOrderPlaced,
      );
    },

    createCardSync(order, options) {
      return call(
        { operation: 'createCardSync', method: 'POST', paths: ['/Card/CreateSync'], body: order, options },
        AnyRecord,
      );
    },

    getCardOrder(cardOrderId, options) {
      const paths = ['/Card/CardOrder/{cardOrderId}'];
      return call({ operation: 'getCardOrder', method: 'GET', paths, ids: { cardOrderId }, options }, CardOrder);
    },
  };
}
