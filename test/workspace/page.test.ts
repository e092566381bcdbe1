import type { App } from '@slack/bolt';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Workspace } from '../../workspace/server.ts';
import { browserFlags } from '../support/browser.ts';
import { startApp } from './app-under-test.ts';
import { button, call, modal, mrkdwn, openWorkspace, plain } from './local-workspace.ts';

/** The parts of a selection that tests read. */
interface Chosen {
  action_id: string;
  selected_option?: { value: string };
  selected_date?: string;
}

let browser: Browser;
let workspace: Workspace;
let app: App;
let page: Page;
const opsIssues: string[] = [];

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: browserFlags });
  page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  page.on('pageerror', (error) => opsIssues.push(error.message));
  page.on('console', (message) => void (message.type() === 'error' && opsIssues.push(message.text())));
});
afterAll(async () => await browser.close());

beforeEach(async () => {
  workspace = await openWorkspace();
  app = await startApp(workspace, (it) => {
    it.command('/card', async ({ ack, body }) => await ack(`You asked: ${body.text}`));
    it.action('block_card', async ({ ack, respond, body }) => {
      await ack();
      await respond({ replace_original: true, text: `Blocked by <@${body.user.id}>` });
    });
    it.action('raise', async ({ ack, body, client }) => {
      await ack();
      await client.views.open({
        trigger_id: (body as unknown as { trigger_id: string }).trigger_id,
        view: modal() as never,
      });
    });
    it.view('raise', async ({ ack, view }) => {
      const { value } = view.state.values.amount?.value ?? {};
      if (value === '9') await ack({ response_action: 'errors', errors: { amount: 'Too much' } });
      else await ack();
    });
    it.options(
      'find_card',
      async ({ ack, payload }) =>
        await ack({ options: [{ text: plain(`Card of ${payload.value}`), value: 'card-1' }] }),
    );
    it.action(/^(period|find_card|day)$/, async ({ ack, action, respond }) => {
      await ack();
      const { action_id: id, selected_option: option, selected_date: date } = action as unknown as Chosen;
      await respond({ text: `${id}: ${option?.value ?? date}`, response_type: 'in_channel' });
    });
    it.event('app_home_opened', async ({ event, client }) => {
      await client.views.publish({
        user_id: event.user,
        view: { type: 'home', blocks: [{ type: 'header', text: plain(`Home of ${event.user}`) }] },
      });
    });
  });
  opsIssues.length = 0;
});

afterEach(async () => {
  await page.goto('about:blank');
  await app.stop();
  await workspace.stop();
  expect(opsIssues).toEqual([]);
});

async function visit(user = 'U1', channel = 'C1') {
  await page.goto(`${workspace.url}?user=${user}&channel=${channel}`);
  await page.waitForSelector('body[data-ready]');
}

const message = (text: string) => page.getByTestId('message').filter({ hasText: text });

async function postAlert() {
  const confirm = {
    title: plain('Block it?'),
    text: plain('Purchases will fail.'),
    confirm: plain('Block'),
    deny: plain('Keep'),
    style: 'danger',
  };
  const answer = await call(workspace, 'chat.postMessage', {
    channel: 'C1',
    text: 'Card declined',
    blocks: [
      { type: 'header', text: plain('Card declined') },
      {
        type: 'actions',
        elements: [
          button({ action_id: 'block_card', style: 'danger', confirm }),
          button({ action_id: 'raise', text: plain('Raise') }),
        ],
      },
    ],
  });
  return answer.body.ts;
}

it('asks before a dangerous button press, and shows its result', async () => {
  await visit();
  const ts = await postAlert();
  const alert = page.locator(`[data-testid=message][data-ts="${ts}"][data-channel=C1]`);

  await alert.locator('[data-action-id=block_card]').click();
  await page.getByTestId('confirm').getByText('Purchases will fail.').waitFor();
  await page.getByTestId('confirm-no').click();
  const untouched = workspace.calls.filter(({ method }) => method === 'response_url').length;
  await alert.locator('[data-action-id=block_card]').click();
  await page.getByTestId('confirm-yes').click();

  await alert.getByText('Blocked by @Ana Ferreira').waitFor();
  expect(untouched).toBe(0);
  expect(await alert.textContent()).toContain('(edited)');
});

it('opens a modal, shows errors under their inputs, and closes it', async () => {
  await postAlert();
  await visit();

  await page.locator('[data-action-id=raise]').click();
  const form = page.getByTestId('modal');
  await form.waitFor();
  await page.getByTestId('modal-submit').click();
  const required = await page.getByTestId('input-error').textContent();
  await form.locator('[data-action-id=value]').fill('9');
  await page.getByTestId('modal-submit').click();
  await form.getByText('Too much').waitFor();
  await form.locator('[data-action-id=value]').fill('8');
  await page.getByTestId('modal-submit').click();
  await form.waitFor({ state: 'detached' });

  expect(required).toBe('Please complete this required field.');
  expect(workspace.views.open.size).toBe(0);
});

it('sends commands, and shows their answers only to the sender', async () => {
  await visit();

  await page.getByTestId('composer').fill('/ca');
  await page.getByTestId('composer').press('Tab');
  await page.getByTestId('composer').pressSequentially('show 4417');
  await page.getByTestId('composer').press('Enter');
  await message('You asked: show 4417').getByText('Only visible to you').waitFor();
  await page.getByTestId('user-switcher').selectOption('U2');
  await page.waitForURL((url) => url.searchParams.get('user') === 'U2');
  await page.getByTestId('composer').fill('I see nothing');
  await page.getByTestId('composer').press('Enter');
  await message('I see nothing').waitFor();

  expect(await message('You asked').count()).toBe(0);
  expect(workspace.messages('C1').map(({ user, text }) => [user, text])).toEqual([['U2', 'I see nothing']]);
});

function signal() {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** Holds the page's first request for this until it is let go. */
async function hold(url: RegExp) {
  const [letGo, held] = [signal(), signal()];
  await page.route(
    url,
    async (route) => {
      const isStream = route.request().resourceType() === 'eventsource';
      const response = isStream ? null : await route.fetch();
      held.give();
      await letGo.given;
      await (response === null ? route.continue() : route.fulfill({ response }));
    },
    { times: 1 },
  );
  return { held: held.given, letGo: letGo.give };
}

const say = (text: string) => call(workspace, 'chat.postMessage', { channel: 'C1', text });

it('shows what is posted before the connection for changes is open', async () => {
  const changes = await hold(/page\/changes/);
  const visiting = visit();
  await changes.held;
  // A page that had asked for its state by now would have it before this answer.
  await page.evaluate(async () => await (await fetch('/page/state?user=U1')).text());

  await say('Posted early');
  changes.letGo();
  await visiting;

  await message('Posted early').waitFor();
});

it('shows what is posted while an older state is on its way', async () => {
  await page.addInitScript(`
    const Source = EventSource;
    window.EventSource = class extends Source {
      constructor(url) {
        super(url);
        this.addEventListener('message', () => { document.body.dataset.changed = 'true'; });
      }
    };
  `);
  const state = await hold(/page\/state/);
  // The page first asks who there is.
  await page.route(/page\/state/, (route) => route.continue(), { times: 1 });
  const visiting = visit();
  await state.held;

  await say('Posted meanwhile');
  await page.locator('body[data-changed]').waitFor();
  state.letGo();
  await visiting;

  await message('Posted meanwhile').waitFor();
});

it('keeps what the next person types while the page is still loading', async () => {
  await say('For everyone');
  await visit();
  const state = await hold(/page\/state\?user=U2/);
  await page.getByTestId('user-switcher').selectOption('U2');
  await state.held;
  await page.getByTestId('composer').fill('Typed early');
  expect(await message('For everyone').count(), 'messages of the last person').toBe(0);

  state.letGo();
  await message('For everyone').waitFor();
  await page.getByTestId('composer').press('Enter');

  await message('Typed early').waitFor();
});

it('never renders a message as markup', async () => {
  const evil = '<img src=x onerror="document.title=1"> *<b>bold</b>* <javascript:alert(1)|click> &lt;script&gt;';
  await call(workspace, 'chat.postMessage', { channel: 'C1', text: evil });
  await call(workspace, 'chat.postMessage', {
    channel: 'C1',
    text: 'blocks',
    blocks: [
      { type: 'section', text: mrkdwn(evil) },
      { type: 'header', text: plain(evil) },
      { type: 'data_table', caption: evil, rows: Array(2).fill([{ type: 'raw_text', text: evil }]) },
    ],
  });
  await visit();

  await message('bold').first().waitFor();

  expect(
    await page
      .locator('.message-main img, .message-main script, .message-main b, .message-main [href^="javascript"]')
      .count(),
  ).toBe(0);
  expect(await message('bold').first().textContent()).toContain('<script>');
});

it('pages through a data table, and sorts it by its header', async () => {
  const number = (value: number) => ({ type: 'raw_number', value, text: `$${value}` });
  const rows = [5, 100, 20, 7, 3, 11].map((value) => [{ type: 'raw_text', text: `Shop ${value}` }, number(value)]);
  const heads = ['Merchant', 'Amount'].map((text) => ({ type: 'raw_text', text }));
  const block = { type: 'data_table', caption: 'Spend by shop', rows: [heads, ...rows] };
  await call(workspace, 'chat.postMessage', { channel: 'C1', text: 'spend', blocks: [block] });
  await visit();
  const table = page.getByRole('region', { name: 'Spend by shop' });
  const shops = () => table.getByRole('rowheader').allTextContents();

  await table.getByRole('button', { name: 'Amount' }).click();
  expect(await shops()).toEqual(['Shop 3', 'Shop 5', 'Shop 7', 'Shop 11', 'Shop 20']);

  await table.getByRole('button', { name: 'Next' }).click();
  expect(await shops()).toEqual(['Shop 100']);

  await table.getByRole('button', { name: 'Amount' }).click();
  expect((await shops())[0]).toBe('Shop 100');
  expect(await table.getByRole('columnheader', { name: 'Amount' }).getAttribute('aria-sort')).toBe('descending');
});

it('shows dates in the viewer’s time zone', async () => {
  const seconds = Date.UTC(2026, 0, 15, 17, 30) / 1000;
  await call(workspace, 'chat.postMessage', {
    channel: 'C1',
    text: `Declined <!date^${seconds}^{date_short} at {time}|then>`,
  });

  await visit('U1');
  const inNewYork = await message('Declined').locator('.text').textContent();
  await visit('U2');
  const inBerlin = await message('Declined').locator('.text').textContent();

  expect(inNewYork?.replaceAll('\u202f', ' ')).toBe('Declined Jan 15, 2026 at 12:30 PM');
  expect(inBerlin?.replaceAll('\u202f', ' ')).toBe('Declined Jan 15, 2026 at 6:30 PM');
});

it('shows threads, App Home, unread counts, and a failed delivery', async () => {
  const ts = await postAlert();
  await call(workspace, 'chat.postMessage', { channel: 'C1', text: 'A reply', thread_ts: ts });
  await visit();

  await page.getByTestId('thread-bar').click();
  await page.locator('#thread').getByText('A reply').waitFor();
  await page.getByTestId('thread-composer').fill('My reply');
  await page.getByTestId('thread-composer').press('Enter');
  await page.locator('#thread').getByText('My reply').waitFor();
  await page.locator('.channel-link[data-channel-id=home]').click();
  await page.getByTestId('home').getByText('Home of U1').waitFor();
  await call(workspace, 'chat.postMessage', { channel: 'C5', text: 'Over here' });
  await page.locator('.channel-link[data-channel-id=C5] .count').getByText('1').waitFor();
  await page.locator('.channel-link[data-channel-id=C5]').click();
  await page.getByTestId('new-messages').waitFor();
  await page.locator('.channel-link[data-channel-id=C1]').click();
  workspace.setAppUrl('http://127.0.0.1:9/slack/events');
  await page.locator('#scroll [data-action-id=raise]').click();
  await page.getByTestId('delivery-failed').waitFor();

  expect(workspace.messages('C1', { threadTs: ts }).map(({ text }) => text)).toEqual([
    'Card declined',
    'A reply',
    'My reply',
  ]);
});

it('offers selections from a list, from the app while typing, by keyboard, and as dates', async () => {
  const options = [
    { text: plain('Daily'), value: 'd' },
    { text: plain('Weekly'), value: 'w' },
  ];
  const elements = [
    { type: 'static_select', action_id: 'period', placeholder: plain('Period'), options },
    { type: 'external_select', action_id: 'find_card', placeholder: plain('Card'), min_query_length: 2 },
    { type: 'datepicker', action_id: 'day' },
  ];
  await call(workspace, 'chat.postMessage', { channel: 'C1', text: 'choose', blocks: [{ type: 'actions', elements }] });
  await visit();

  await page.locator('[data-action-id=period]').click();
  await page.locator('[data-value=w]').click();
  await message('period: w').waitFor();
  const chosen = await page.locator('[data-action-id=period]').textContent();
  await page.locator('[data-action-id=find_card]').click();
  await page.getByTestId('popup-search').fill('c');
  await page.getByText('Type at least 2 characters').waitFor();
  await page.getByTestId('popup-search').fill('chi');
  await page.getByText('Card of chi').click();
  await message('find_card: card-1').waitFor();
  await page.locator('[data-action-id=period]').click();
  await page.keyboard.press('Escape');
  await page.getByTestId('popup').waitFor({ state: 'detached' });
  await page.locator('[data-action-id=period]').click();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await message('period: d').waitFor();
  await page.locator('[data-action-id=day]').fill('2026-11-28');
  await message('day: 2026-11-28').waitFor();

  expect(chosen).toContain('Weekly');
});
