import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { PurchaseRequest } from '../sandbox/engine/purchase-request.ts';
import type { SandboxAccount } from '../sandbox/server.ts';
import { rushPurchases } from '../sandbox/story/rush.ts';
import { requestUrl } from '../workspace/request-url.ts';
import { listen, shut } from './port.ts';
import { TILL_MERCHANTS, tillMerchantName } from './till-merchants.ts';
import { nameOf, type Receipt, TILL_RUSHES, type TillChoice, tillPage } from './till-page.ts';

/**
 * Chosen initially. Another amount than that of Sam's first decline, or a raise for one of the two could pay the other.
 * More than Sam's limit leaves, so it is declined.
 */
export const TILL_AMOUNT = '62.40';

const RECEIPTS_KEPT = 6;
const BODY_MAX = 4096;
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** What the cash register needs from the rest of the demo. */
interface TillDeps {
  readonly accounts: () => SandboxAccount[];
  readonly purchase: (request: PurchaseRequest) => { Approved: boolean; Message: string | null };
  /** Declined once and not retried: one of many. */
  readonly rush: (request: PurchaseRequest) => void;
  /** Last four digits of the initially chosen card. */
  readonly last4: string;
  readonly workspaceUrl: string;
  /** Number of rush shops that the story uses. The cash register uses the next ones. */
  readonly rushShopsTaken: number;
  /** Called when someone has paid. */
  readonly onPaid: () => void;
}

/** Serves a cash register at `/till` on 127.0.0.1, where people in the demo pay with the program's cards. */
export async function startTill(port: number, deps: TillDeps): Promise<{ stop(): Promise<void> }> {
  const receipts: Receipt[] = [];
  /** How many payments each kind of shop has had. */
  const turns = new Map<string, number>();
  let rushShopsTaken = deps.rushShopsTaken;
  const server = createServer((request, response) => {
    route(request, response).catch(() => response.destroy());
  });
  const own = `127.0.0.1:${await listen(server, port)}`;

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = requestUrl(request, `http://${own}`);
    if (url === null) return void response.writeHead(400).end('the address cannot be read');
    const { pathname, searchParams } = url;
    const { host, origin } = request.headers;
    const isOurs = host === own || host === own.replace('127.0.0.1', 'localhost');
    // Neither another host name for this address nor another site's form may pay here.
    if (!isOurs || (origin !== undefined && origin !== `http://${host}`)) return void response.writeHead(421).end();
    if (pathname === '/') return void response.writeHead(302, { location: '/till' }).end();
    if (pathname !== '/till') return void response.writeHead(404).end('not found');
    const form = request.method === 'POST' ? new URLSearchParams(await readBody(request)) : searchParams;
    const work = form.has('rush') ? rush : form.has('again') ? payAgain : pay;
    const problem = request.method === 'POST' ? work(form) : null;
    if (request.method === 'POST' && problem === null) {
      deps.onPaid();
      // Reloading the page must not pay again.
      for (const name of ['wrong-pin', 'rush', 'again']) form.delete(name);
      return void response.writeHead(303, { location: `/till?${form.toString()}` }).end();
    }
    const accounts = deps.accounts();
    const page = tillPage({
      accounts,
      choice: choiceOf(form, accounts),
      merchants: TILL_MERCHANTS.map((each) => ({
        id: each.id,
        label: `${tillMerchantName(each, turns.get(each.id) ?? 0)} · ${each.label}`,
      })),
      receipts,
      workspaceUrl: deps.workspaceUrl,
      problem,
    });
    response.writeHead(problem === null ? 200 : 400, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    });
    response.end(page);
  }

  /** Pays. Returns null, or what is wrong with the form. */
  function pay(form: URLSearchParams): string | null {
    const account = deps.accounts().find(({ AcctId }) => String(AcctId) === form.get('acct'));
    const merchant = TILL_MERCHANTS.find(({ id }) => id === form.get('merchant'));
    const amount = (form.get('amount') ?? '').trim().replace(/^\$/, '');
    if (account === undefined || merchant === undefined) return 'Choose a card and a merchant.';
    if (!/^\d{1,7}(\.\d{1,2})?$/.test(amount) || Number(amount) === 0) return 'Write an amount such as 84.10.';
    const turn = turns.get(merchant.id) ?? 0;
    turns.set(merchant.id, turn + 1);
    ringUp(account, {
      AcctId: account.AcctId,
      Amount: Number(amount),
      MerchantName: tillMerchantName(merchant, turn),
      ...merchant.request,
      ...(form.has('wrong-pin') ? { Pin: 'wrong' as const } : {}),
    });
    return null;
  }

  /** Repeats a receipt's purchase at the same shop. Returns null, or what is wrong with the form. */
  function payAgain(form: URLSearchParams): string | null {
    const purchase = receipts.find(({ number }) => String(number) === form.get('again'))?.purchase;
    const account = deps.accounts().find(({ AcctId }) => AcctId === purchase?.AcctId);
    if (!purchase || account === undefined) return 'Choose a purchase that is still listed.';
    ringUp(account, purchase);
    form.set('acct', String(account.AcctId));
    return null;
  }

  function ringUp(account: SandboxAccount, purchase: PurchaseRequest): void {
    const answer = deps.purchase(purchase);
    keep({
      purchase,
      holder: nameOf(account),
      last4: account.CurrentCard.Last4CardNumber,
      merchant: purchase.MerchantName ?? '',
      isApproved: answer.Approved,
      reason: answer.Message,
    });
  }

  function keep(receipt: Omit<Receipt, 'at' | 'number'>): void {
    receipts.unshift({ ...receipt, number: (receipts[0]?.number ?? 0) + 1, at: clock() });
    receipts.splice(RECEIPTS_KEPT);
  }

  /** Many cards at many shops at once, all declined. Returns null, or what is wrong with the form. */
  function rush(form: URLSearchParams): string | null {
    const count = Number(form.get('rush'));
    if (!TILL_RUSHES.includes(count)) return 'Choose how many.';
    const active = deps.accounts().filter(({ CurrentCard }) => CurrentCard.CardStatus === 'ACTIVE');
    const purchases = rushPurchases(
      active.map(({ AcctId }) => AcctId),
      count,
      rushShopsTaken,
    );
    rushShopsTaken += count;
    for (const purchase of purchases) deps.rush(purchase);
    keep({
      purchase: null,
      holder: `${Math.min(count, active.length)} holders`,
      last4: null,
      merchant: `${count} shops`,
      isApproved: false,
      reason: null,
    });
    return null;
  }

  function choiceOf(form: URLSearchParams, accounts: readonly SandboxAccount[]): TillChoice {
    const wanted = accounts.find(({ CardList }) => CardList.some((card) => card.Last4CardNumber === deps.last4));
    return {
      acctId: Number(form.get('acct') ?? wanted?.AcctId ?? 0),
      merchant: form.get('merchant') ?? 'restaurant',
      amount: form.get('amount') ?? TILL_AMOUNT,
    };
  }

  return { stop: () => shut(server) };
}

function clock(): string {
  return new Date().toLocaleTimeString('en-US', { hour: 'numeric', minute: '2-digit', second: '2-digit' });
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += String(chunk);
    if (body.length > BODY_MAX) throw new Error('the form is too long');
  }
  return body;
}
