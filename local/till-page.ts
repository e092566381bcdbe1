import type { SandboxAccount } from '../sandbox/server.ts';
import { TILL_MERCHANTS } from './till-merchants.ts';

/** A purchase that was rung up. */
export interface Receipt {
  readonly at: string;
  readonly holder: string;
  /** Null when there were many cards, and many amounts. */
  readonly last4: string | null;
  readonly merchant: string;
  readonly amount: number | null;
  readonly isApproved: boolean;
  /** The service's words when it was declined. */
  readonly reason: string | null;
}

/** What the form shows chosen. */
export interface TillChoice {
  readonly acctId: number;
  readonly merchant: string;
  readonly amount: string;
}

/** How many declines at once the cash register offers: a table, and a flood. */
export const TILL_RUSHES: readonly number[] = [12, 144];

const STYLE = `
  :root { color-scheme: light; --ink: #1d1c1d; --soft: #616061; --line: #e4e2e4; --good: #0b6b4f; --bad: #b3261e; }
  * { box-sizing: border-box; }
  body { margin: 0; background: #f6f5f7; color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", Roboto, sans-serif; }
  main { max-width: 1080px; margin: 0 auto; padding: 32px 24px; display: grid; gap: 24px;
    grid-template-columns: minmax(300px, 380px) 1fr; align-items: start; }
  header { grid-column: 1 / -1; } h1 { margin: 0; font-size: 24px; } h2 { margin: 0 0 12px; font-size: 16px; }
  p { margin: 4px 0 0; color: var(--soft); } a { color: #1264a3; }
  section { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 20px; }
  label { display: block; margin-bottom: 14px; font-weight: 600; }
  select, input[type=text] { display: block; width: 100%; margin-top: 4px; padding: 8px 10px; font: inherit; font-weight: 400;
    border: 1px solid #8a888b; border-radius: 6px; background: #fff; }
  label.check { font-weight: 400; } button { width: 100%; padding: 10px; font: inherit; font-weight: 700; color: #fff;
    background: #007a5a; border: 0; border-radius: 6px; cursor: pointer; } button:hover { background: #006349; }
  :focus-visible { outline: 3px solid #1264a3; outline-offset: 1px; }
  .rush { margin-top: 20px; padding-top: 20px; border-top: 1px solid var(--line); } .rush h2 { margin: 0; }
  .rush div { display: flex; gap: 8px; margin-top: 12px; } .rush button { color: var(--ink); background: #fff; border: 1px solid #8a888b; }
  .rush button:hover { background: #f6f5f7; }
  .receipts { list-style: none; margin: 0 0 24px; padding: 0; }
  .receipts li { padding: 10px 0; border-top: 1px solid var(--line); } .receipts li:first-child { border: 0; padding-top: 0; }
  .approved { color: var(--good); } .declined { color: var(--bad); } small { color: var(--soft); }
  table { width: 100%; border-collapse: collapse; font-size: 14px; }
  th { text-align: left; font-weight: 600; color: var(--soft); } th, td { padding: 5px 8px 5px 0; border-bottom: 1px solid var(--line); }
  td.money, th.money { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  tr.chosen td { background: #fff8e1; }
  @media (max-width: 760px) { main { grid-template-columns: 1fr; } }`;

/** The cash register: a form, what was rung up, and the cards as the card service has them. */
export function tillPage(view: {
  accounts: readonly SandboxAccount[];
  choice: TillChoice;
  receipts: readonly Receipt[];
  workspaceUrl: string;
  problem: string | null;
}): string {
  const { accounts, choice, receipts, workspaceUrl, problem } = view;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cash register</title><style>${STYLE}</style></head><body><main>
<header><h1>Cash register</h1>
<p>Pay with any card of the program. What happens appears in the <a href="${escaped(workspaceUrl)}">Slack workspace</a>.</p></header>
<section><form method="post" action="/till">
<label>Card <select name="acct">${accounts.map((account) => option(account.AcctId, choice.acctId, cardLabel(account))).join('')}</select></label>
<label>Merchant <select name="merchant">${TILL_MERCHANTS.map(({ id, label }) => option(id, choice.merchant, label)).join('')}</select></label>
<label>Amount in dollars <input type="text" inputmode="decimal" name="amount" value="${escaped(choice.amount)}" required></label>
<label class="check"><input type="checkbox" name="wrong-pin"> With a wrong PIN</label>
${problem === null ? '' : `<p role="alert" class="declined">${escaped(problem)}</p>`}
<button>Pay</button></form>
<form method="post" action="/till" class="rush"><h2>At noon the card network falters</h2>
<p>Many cards at many shops are declined at once. Cardbell makes one message of them.</p>
<div>${TILL_RUSHES.map((count) => `<button name="rush" value="${count}">${count} declines</button>`).join('')}</div></form></section>
<section>${receipts.length === 0 ? '' : `<h2>Rung up</h2><ul class="receipts">${receipts.map(receiptLine).join('')}</ul>`}
<h2>The cards, as the card service has them</h2>
<table><thead><tr><th>Holder</th><th>Card</th><th>Status</th><th class="money">Daily limit</th><th class="money">Available</th></tr></thead>
<tbody>${chosenFirst(accounts, choice)
    .map((account) => cardRow(account, account.AcctId === choice.acctId))
    .join('')}</tbody></table></section>
</main></body></html>`;
}

/** The card that one is paying with heads the table. */
function chosenFirst(accounts: readonly SandboxAccount[], { acctId }: TillChoice): SandboxAccount[] {
  return [...accounts].sort((a, b) => Number(b.AcctId === acctId) - Number(a.AcctId === acctId));
}

function receiptLine({ at, holder, last4, merchant, amount, isApproved, reason }: Receipt): string {
  const outcome = isApproved ? 'Approved' : 'Declined';
  const why = reason === null ? '' : `: ${escaped(reason)}`;
  const what = amount === null ? 'Purchases' : dollars(amount);
  const card = last4 === null ? '' : `, card ending ${last4}`;
  return `<li data-testid="receipt"><strong class="${outcome.toLowerCase()}">${outcome}${why}</strong><br>
${what} at ${escaped(merchant)} <small>· ${escaped(holder)}${card} · ${escaped(at)}</small></li>`;
}

function cardRow(account: SandboxAccount, isChosen: boolean): string {
  const card = account.CardList.at(-1);
  const limit = account.SpendRules.DailySpendLimit;
  const status = (card?.CardStatus ?? 'CLOSED').toLowerCase();
  return `<tr data-last4="${card?.Last4CardNumber ?? ''}"${isChosen ? ' class="chosen"' : ''}><td>${escaped(nameOf(account))}</td>
<td>${card?.Last4CardNumber ?? ''}</td><td data-status>${status === 'inactive' ? 'not activated' : status}</td>
<td class="money" data-limit>${limit === null ? 'none' : dollars(limit)}</td><td class="money">${dollars(account.AvailableBalance)}</td></tr>`;
}

function cardLabel(account: SandboxAccount): string {
  return `${nameOf(account)} · ${account.CardList.at(-1)?.Last4CardNumber ?? 'no card'}`;
}

/** First and last name of who holds an account. */
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
