import type { Browser, Locator, Page } from 'playwright-core';
import { channelId, userId } from '../../local/cast.ts';
import { demoSecret } from '../../local/demo-settings.ts';
import { PAGE } from './cut-out.ts';

/** Longest wait for an element. */
const PATIENCE_MS = 12_000;

/** URLs of the parts of a demo, from its `--json` line. */
export interface DemoAddresses {
  readonly page: string;
  readonly till: string;
  /** Base address of the card service's API. */
  readonly sandbox: string;
}

type Person = Exclude<keyof typeof userId, 'app' | 'guide'>;
type Channel = keyof typeof channelId | 'messages' | 'home';

/** A demo for pictures: people's pages, the cash register, and events of cards. */
export interface DemoStage {
  /** Opens a person's page at a channel, their messages from Cardbell, or App Home. Reloaded each time. */
  see(person: Person, channel: Channel): Promise<Page>;
  /** Types a command in #general, which is answered by a new message or a form. */
  write(person: Person, text: string): Promise<Locator>;
  /** The newest message with a text. */
  message(page: Page, text: string | RegExp): Locator;
  /** The open form. */
  form(page: Page): Promise<Locator>;
  press(within: Locator, words: string | RegExp): Promise<void>;
  /** Pays at the cash register, or presses one of its other buttons. */
  atTill(button: string): Promise<Page>;
  /** `POST /simulate/NAME` of the sandbox. */
  simulate(name: string, body: object): Promise<{ NetworkTransactionId: number }>;
  /** Account id of the card with these last four digits. */
  accountOf(last4: string): Promise<number>;
  close(): Promise<void>;
}

export function createDemoStage(browser: Browser, at: DemoAddresses): DemoStage {
  const pages = new Map<string, Promise<Page>>();
  const headers = { authorization: `token ${demoSecret.cardApi}`, 'content-type': 'application/json' };

  async function openPage(): Promise<Page> {
    const page = await browser.newPage(PAGE);
    page.setDefaultTimeout(PATIENCE_MS);
    return page;
  }

  function pageOf(name: string): Promise<Page> {
    const page = pages.get(name) ?? openPage();
    pages.set(name, page);
    return page;
  }

  const see: DemoStage['see'] = async (person, channel) => {
    const page = await pageOf(person);
    const user = userId[person];
    const place = channel === 'home' ? 'home' : channel === 'messages' ? `D${user.slice(1)}` : channelId[channel];
    await page.goto(`${new URL(at.page).origin}/?channel=${place}&user=${user}`);
    await page.locator('body[data-ready]').waitFor();
    // Left open by the previous picture.
    while ((await page.getByTestId('modal').count()) > 0) {
      await page.getByTestId('modal-close').click();
      await page.waitForTimeout(300);
    }
    return page;
  };

  const message: DemoStage['message'] = (page, text) => page.getByTestId('message').filter({ hasText: text }).last();

  async function form(page: Page): Promise<Locator> {
    const dialog = page.getByTestId('modal').or(page.getByTestId('confirm'));
    await dialog.waitFor();
    return dialog;
  }

  return {
    see,
    message,
    form,
    async write(person, text) {
      const page = await see(person, 'general');
      const all = page.locator('#scroll').getByTestId('message');
      const before = await all.count();
      await page.getByTestId('composer').fill(text);
      await page.getByTestId('composer-send').click();
      const answer = all.nth(before);
      const dialog = page.getByTestId('modal');
      await answer.or(dialog).first().waitFor();
      if ((await dialog.count()) > 0) return dialog;
      // The immediate answer is often replaced by the result.
      await page.waitForTimeout(1500);
      return all.last();
    },
    async press(within, words) {
      await within.locator('button').filter({ hasText: words }).first().click();
    },
    async atTill(button) {
      const page = await pageOf('till');
      await page.goto(at.till);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByTestId('receipt').first().waitFor();
      return page;
    },
    async simulate(name, body) {
      const url = at.sandbox.replace(/\/v4$/, `/simulate/${name}`);
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`the sandbox answered ${response.status} to ${name}`);
      return (await response.json()) as { NetworkTransactionId: number };
    },
    async accountOf(last4) {
      const response = await fetch(`${at.sandbox}/Details/AccountDetails`, { headers });
      const list = (await response.json()) as { CHAccountList: { AccountId: number; CardNumber4Digits: string }[] };
      const account = list.CHAccountList.find(({ CardNumber4Digits }) => CardNumber4Digits === last4);
      if (account === undefined) throw new Error(`no card ends in ${last4}`);
      return account.AccountId;
    },
    async close() {
      for (const page of pages.values()) await (await page).close();
    },
  };
}
