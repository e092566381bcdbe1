import { appendFileSync } from 'node:fs';
import type { PurchaseRequest } from '../sandbox/engine/purchase-request.ts';
import type { ApiCall, Sandbox } from '../sandbox/server.ts';

const LOOK_MS = 250;
/** Long enough to switch channels and watch it happen. */
const SECOND_TRY_MS = 4000;
/** A change of an account's card: `/v4/Card/Status/610001`, `/v4/Card/SpendRules/610001/Advanced`. */
const CHANGE = /^\/v4\/Card\/(?:Status|Activate|SpendRules)\/(\d+)/i;

/** Observes Cardbell's calls to the card service. */
export interface CardCalls {
  /** Makes a purchase. If it is declined, the holder tries again shortly after the card was changed so that it passes. */
  purchase(request: PurchaseRequest): ReturnType<Sandbox['purchase']>;
  stop(): void;
}

/** Logs each call that Cardbell makes, and lets holders retry declined purchases. */
export function watchCardCalls(
  sandbox: Pick<Sandbox, 'calls' | 'purchase' | 'wouldApprove'>,
  logFile: string,
): CardCalls {
  /** What each account still wants to pay, by merchant and amount. */
  const declined = new Map<number, Map<string, PurchaseRequest>>();
  const tries = new Map<number, NodeJS.Timeout>();
  const open: ApiCall[] = [];
  let seen = 0;

  function purchase(request: PurchaseRequest): ReturnType<Sandbox['purchase']> {
    const answer = sandbox.purchase(request);
    const { AcctId, MerchantName, Amount } = request;
    const wanted = declined.get(AcctId) ?? new Map<string, PurchaseRequest>();
    const key = `${MerchantName} ${Amount}`;
    if (answer.Approved) wanted.delete(key);
    // A wrong PIN is not retried automatically.
    else if (request.Pin !== 'wrong') wanted.set(key, request);
    declined.set(AcctId, wanted);
    return answer;
  }

  /**
   * Tries the largest purchase that passes now: a raise is just enough for one, and smaller ones would use it up. A
   * change that lets none pass, such as a limit that goes back, is no reason to try.
   */
  function tryAgain(acctId: number): void {
    tries.delete(acctId);
    // Among equal amounts, the newest first.
    const wanted = [...(declined.get(acctId)?.values() ?? [])].reverse().sort((a, b) => b.Amount - a.Amount);
    const passing = wanted.find((request) => sandbox.wouldApprove(request));
    if (passing !== undefined) purchase(passing);
  }

  function look(): void {
    open.push(...sandbox.calls.slice(seen));
    seen = sandbox.calls.length;
    for (const call of open.splice(0)) {
      // Not answered yet: next time.
      if (call.status === null && Date.now() - call.at.getTime() < 30_000) {
        open.push(call);
        continue;
      }
      const { at, method, path, query, status, body } = call;
      appendFileSync(logFile, `${JSON.stringify({ at, method, path: path + query, status, body })}\n`);
      const acctId = Number(CHANGE.exec(path)?.[1]);
      if (method === 'GET' || status !== 200 || !declined.get(acctId)?.size) continue;
      clearTimeout(tries.get(acctId));
      tries.set(acctId, setTimeout(tryAgain, SECOND_TRY_MS, acctId));
    }
  }

  const looking = setInterval(look, LOOK_MS);
  return {
    purchase,
    stop() {
      clearInterval(looking);
      for (const timer of tries.values()) clearTimeout(timer);
    },
  };
}
