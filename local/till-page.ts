import type { PurchaseRequest } from '../sandbox/engine/purchase-request.ts';
import type { SandboxAccount } from '../sandbox/server.ts';

/** A purchase at the cash register, or many at once. */
export interface Receipt {
  /** 1 for the first. */
  readonly number: number;
  readonly at: string;
  /** Null for many purchases. */
  readonly purchase: PurchaseRequest | null;
  readonly holder: string;
  /** Null for many cards. */
  readonly last4: string | null;
  readonly merchant: string;
  readonly isApproved: boolean;
  /** The service's message when it was declined. */
  readonly reason: string | null;
}

/** The current choices in the form. */
export interface TillChoice {
  readonly acctId: number;
  readonly merchant: string;
  readonly amount: string;
}

/** Numbers of simultaneous declines that the cash register offers: enough for a table, and for a flood. */
export const TILL_RUSHES: readonly number[] = [12, 144];

const STYLE = `
  :root { color-scheme: light dark; --ink: #1d1c1d; --soft: #616061; --line: #e4e2e4; --page: #f6f5f7; --paper: #fff;
    --edge: #8a888b; --link: #1264a3; --good: #0b6b4f; --bad: #b3261e; --chosen: #fff8e1; }
  @media (prefers-color-scheme: dark) { :root { --ink: #e8e6e9; --soft: #ababad; --line: #35373b; --page: #121316;
    --paper: #1a1d21; --edge: #797c81; --link: #6bb6ff; --good: #4cc38a; --bad: #ff8f8f; --chosen: #2f2b1c; } }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", Roboto, sans-serif; }
  main { max-width: 1080px; margin: 0 auto; padding: 32px 24px; display: grid; gap: 24px;
    grid-template-columns: minmax(300px, 380px) minmax(0, 1fr); align-items: start; }
  header { grid-column: 1 / -1; } h1 { margin: 0; font-size: 24px; } h2 { margin: 0 0 12px; font-size: 16px; }
  p { margin: 4px 0 0; color: var(--soft); } a { color: var(--link); }
  section { min-width: 0; background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 20px; }
  label { display: block; margin-bottom: 14px; font-weight: 600; }
  select, input[type=text] { display: block; width: 100%; margin-top: 4px; padding: 8px 10px; font: inherit; font-weight: 400;
    color: inherit; border: 1px solid var(--edge); border-radius: 6px; background: var(--paper); }
  label.check { font-weight: 400; } button { width: 100%; padding: 10px; font: inherit; font-weight: 700; color: #fff;
    background: #007a5a; border: 0; border-radius: 6px; cursor: pointer; } button:hover { background: #006349; }
  :focus-visible { outline: 3px solid var(--link); outline-offset: 1px; }
  button.quiet { color: var(--ink); background: var(--paper); border: 1px solid var(--edge); }
  button.quiet:hover { background: var(--page); }
  .rush { margin-top: 20px; padding-top: 20px; border-top: 1px solid var(--line); } .rush h2 { margin: 0; }
  .rush div { display: flex; gap: 8px; margin-top: 12px; }
  .receipts { list-style: none; margin: 0 0 24px; padding: 0; }
  .receipts li { display: flex; gap: 12px; align-items: center; padding: 10px 0; border-top: 1px solid var(--line); }
  .receipts li:first-child { border: 0; padding-top: 0; } .receipts span { flex: 1; }
  .receipts button { width: auto; padding: 6px 10px; font-size: 14px; white-space: nowrap; }
  .approved { color: var(--good); } .declined { color: var(--bad); } small { color: var(--soft); }
  .cards { overflow-x: auto; } table { width: 100%; border-collapse: collapse; font-size: 14px; }
  th { text-align: left; font-weight: 600; color: var(--soft); } th, td { padding: 5px 8px 5px 0; border-bottom: 1px solid var(--line); }
  td.money, th.money { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  tr.chosen td { background: var(--chosen); }
  @media (max-width: 760px) { main { grid-template-columns: minmax(0, 1fr); padding: 20px 12px; } section { padding: 16px 12px; } }`;

/** The cash register: a form, the receipts, and the cards as the card service has them. */
export function tillPage(view: {
  accounts: readonly SandboxAccount[];
  choice: TillChoice;
  merchants: readonly { id: string; label: string }[];
  receipts: readonly Receipt[];
  workspaceUrl: string;
  problem: string | null;
}): string {
  const { accounts, choice, merchants, receipts, workspaceUrl, problem } = view;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cash register</title><style>${STYLE}</style></head><body><main>
<header><h1>Cash register</h1>
<p>Pay with any card of the program, then look at the <a href="${escaped(workspaceUrl)}">Slack workspace</a>: declined
purchases are in #card-declines, approved ones in #card-spend.</p></header>
<section><form method="post" action="/till">
<label>Card <select name="acct">${accounts.map((account) => option(account.AcctId, choice.acctId, cardLabel(account))).join('')}</select></label>
<label>Merchant <select name="merchant">${merchants.map(({ id, label }) => option(id, choice.merchant, label)).join('')}</select></label>
<label>Amount in dollars <input type="text" inputmode="decimal" name="amount" value="${escaped(choice.amount)}" required></label>
<label class="check"><input type="checkbox" name="wrong-pin"> With a wrong PIN</label>
${problem === null ? '' : `<p role="alert" class="declined">${escaped(problem)}</p>`}
<button>Pay</button></form>
<form method="post" action="/till" class="rush"><h2>Many declines at once</h2>
<p>Many purchases are declined at many shops, for several reasons. Cardbell posts the first at once and the others in one message.</p>
<div>${TILL_RUSHES.map((count) => `<button class="quiet" name="rush" value="${count}">${count} declines</button>`).join('')}</div></form></section>
<section>${receipts.length === 0 ? '' : `<h2>Latest purchases</h2><ul class="receipts">${receipts.map(receiptLine).join('')}</ul>`}
<div class="cards"><h2>The cards, as the card service has them</h2>
<table><thead><tr><th>Holder</th><th>Card</th><th>Status</th><th class="money">Daily limit</th><th class="money">Available</th></tr></thead>
<tbody>${chosenFirst(accounts, choice)
    .map((account) => cardRow(account, account.AcctId === choice.acctId))
    .join('')}</tbody></table></div></section>
</main></body></html>`;
}

/** The chosen card comes first in the table. */
function chosenFirst(accounts: readonly SandboxAccount[], { acctId }: TillChoice): SandboxAccount[] {
  return [...accounts].sort((a, b) => Number(b.AcctId === acctId) - Number(a.AcctId === acctId));
}

function receiptLine({ number, at, purchase, holder, last4, merchant, isApproved, reason }: Receipt): string {
  const outcome = isApproved ? 'Approved' : 'Declined';
  const why = reason === null ? '' : `: ${escaped(reason)}`;
  const what = purchase === null ? 'Purchases' : dollars(purchase.Amount);
  const card = last4 === null ? '' : ` · card ${last4}`;
  const again = `<form method="post" action="/till"><button class="quiet" name="again" value="${number}"
 aria-label="Try ${what} at ${escaped(merchant)} again">Try again</button></form>`;
  return `<li data-testid="receipt"><span><strong class="${outcome.toLowerCase()}">${outcome}${why}</strong><br>
${what} at ${escaped(merchant)} <small>· ${escaped(holder)}${card} · ${escaped(at)}</small></span>${
    isApproved || purchase === null ? '' : again
  }</li>`;
}

function cardRow(account: SandboxAccount, isChosen: boolean): string {
  const { CardStatus, Last4CardNumber } = account.CurrentCard;
  const limit = account.SpendRules.DailySpendLimit;
  const status = CardStatus.toLowerCase();
  return `<tr data-last4="${Last4CardNumber}"${isChosen ? ' class="chosen"' : ''}><td>${escaped(nameOf(account))}</td>
<td>${Last4CardNumber}</td><td data-status>${status === 'inactive' ? 'not activated' : status}</td>
<td class="money" data-limit>${limit === null ? 'none' : dollars(limit)}</td><td class="money">${dollars(account.AvailableBalance)}</td></tr>`;
}

function cardLabel(account: SandboxAccount): string {
  return `${nameOf(account)} · ${account.CurrentCard.Last4CardNumber}`;
}

/** First and last name of an account's holder. */
export function nameOf({ FirstName, LastName }: SandboxAccount): string {
  return `${FirstName} ${LastName}`;
}

function option(value: string | number, chosen: string | number, label: string): string {
  return `<option value="${value}"${value === chosen ? ' selected' : ''}>${escaped(label)}</option>`;
}

function dollars(amount: number): string {
  return amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
