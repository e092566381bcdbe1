import { describe, expect, it } from 'vitest';
import { checkBlocks, type Surface } from '../../workspace/block-limits.ts';
import { LIMITS } from '../../workspace/limits.ts';
import { checkView } from '../../workspace/view-check.ts';
import { button, modal, mrkdwn, plain } from './local-workspace.ts';

const long = (length: number) => 'x'.repeat(length);
const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const section = (fields: Record<string, unknown> = { text: mrkdwn('a') }) => ({ type: 'section', ...fields });
const actions = (...elements: unknown[]) => ({ type: 'actions', elements });
const option = (index: number | string, fields = {}) => ({
  text: plain(`Option ${index}`),
  value: `v${index}`,
  ...fields,
});
const input = (element: unknown, fields = {}) => ({ type: 'input', label: plain('Label'), element, ...fields });
const cell = (text: string) => ({ type: 'raw_text', text });
const confirm = (fields = {}) => ({
  title: plain('Sure?'),
  text: plain('Really?'),
  confirm: plain('Yes'),
  deny: plain('No'),
  ...fields,
});
const select = (fields = {}) => ({ type: 'static_select', action_id: 'pick', options: [option(1)], ...fields });
const barChart = (series: number, categories: number) => ({
  type: 'data_visualization',
  title: 'Spend',
  chart: {
    type: 'bar',
    axis_config: { categories: many(categories, (index) => `c${index}`) },
    series: many(series, (row) => ({
      name: `s${row}`,
      data: many(categories, (index) => ({ label: `c${index}`, value: index })),
    })),
  },
});

const richText = (parts: unknown[], more = {}) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: parts, ...more }],
});
const number = { type: 'raw_number', value: 1, text: '1' };
const dataTable = (fields = {}) => ({ type: 'data_table', caption: 'Spend', rows: [[cell('a')], [number]], ...fields });

/** Each limit with the number from Slack's docs: `make(max)` is accepted, one more is refused. */
const SIZES: [string, number, (size: number) => unknown[]][] = [
  ['blocks in a message', 50, (size) => many(size, () => ({ type: 'divider' }))],
  ['a block_id', 255, (size) => [{ type: 'divider', block_id: long(size) }]],
  ['an action_id', 255, (size) => [actions(button({ action_id: long(size) }))]],
  ['section text', 3_000, (size) => [section({ text: mrkdwn(long(size)) })]],
  ['section fields', 10, (size) => [section({ fields: many(size, () => mrkdwn('a')) })]],
  ['a section field', 2_000, (size) => [section({ fields: [mrkdwn(long(size))] })]],
  ['a header', 150, (size) => [{ type: 'header', text: plain(long(size)) }]],
  ['context elements', 10, (size) => [{ type: 'context', elements: many(size, () => mrkdwn('a')) }]],
  ['actions elements', 25, (size) => [actions(...many(size, (index) => button({ action_id: `a${index}` })))]],
  ['button text', 75, (size) => [actions(button({ text: plain(long(size)) }))]],
  ['a button value', 2_000, (size) => [actions(button({ value: long(size) }))]],
  ['a button url', 3_000, (size) => [actions(button({ url: `https://${long(size - 8)}` }))]],
  ['an accessibility label', 75, (size) => [actions(button({ accessibility_label: long(size) }))]],
  ['a confirm title', 100, (size) => [actions(button({ confirm: confirm({ title: plain(long(size)) }) }))]],
  ['a confirm text', 300, (size) => [actions(button({ confirm: confirm({ text: plain(long(size)) }) }))]],
  ['a confirm button', 30, (size) => [actions(button({ confirm: confirm({ deny: plain(long(size)) }) }))]],
  ['select options', 100, (size) => [actions(select({ options: many(size, option) }))]],
  ['option text', 75, (size) => [actions(select({ options: [option(1, { text: plain(long(size)) })] }))]],
  ['an option value', 75, (size) => [actions(select({ options: [option(1, { value: long(size) })] }))]],
  [
    'an option description',
    75,
    (size) => [actions(select({ options: [option(1, { description: plain(long(size)) })] }))],
  ],
  ['a placeholder', 150, (size) => [actions(select({ placeholder: plain(long(size)) }))]],
  [
    'an input label',
    2_000,
    (size) => [input({ type: 'plain_text_input', action_id: 'i' }, { label: plain(long(size)) })],
  ],
  [
    'an input hint',
    2_000,
    (size) => [input({ type: 'plain_text_input', action_id: 'i' }, { hint: plain(long(size)) })],
  ],
  ['max_length of an input', 3_000, (size) => [input({ type: 'plain_text_input', action_id: 'i', max_length: size })]],
  [
    'characters over all tables',
    10_000,
    (size) => [
      dataTable({ rows: [[cell('a')], [cell(long(size - 3))]] }),
      dataTable({ rows: [[cell('a')], [cell('a')]] }),
    ],
  ],
  ['rows of a data table', 101, (size) => [dataTable({ rows: many(size, () => [cell('a')]) })]],
  ['cells of a data table', 20, (size) => [dataTable({ rows: many(2, () => many(size, () => cell('a'))) })]],
  ['rows of a page', 100, (size) => [dataTable({ page_size: size })]],
  ['charts in a message', 2, (size) => many(size, () => barChart(1, 1))],
  ['a chart title', 50, (size) => [{ ...barChart(1, 1), title: long(size) }]],
  ['chart series', 12, (size) => [barChart(size, 1)]],
  ['chart categories', 20, (size) => [barChart(1, size)]],
];

describe('a message limit', () => {
  it.each(SIZES)('%s: %i is accepted, one more is refused', (_, max, make) => {
    expect(checkBlocks(make(max), 'message')).toEqual([]);

    expect(checkBlocks(make(max + 1), 'message')).not.toEqual([]);
  });

  it('names the block and the reason in Slack’s words', () => {
    const problems = checkBlocks([section(), { type: 'header', text: plain(long(151)) }], 'message');

    expect(problems).toEqual(['must be less than 151 characters [json-pointer:/blocks/1/text/text]']);
  });
});

const WRONG: [string, unknown, Surface, RegExp][] = [
  ['a data table without a caption', dataTable({ caption: undefined }), 'message', /missing required field: caption/],
  ['a data table with a head only', dataTable({ rows: [[cell('a')]] }), 'message', /no less than 2 items/],
  [
    'rows of different lengths',
    dataTable({ rows: [[cell('a')], [cell('a'), cell('b')]] }),
    'message',
    /as many cells as the other rows/,
  ],
  ['a row header that is not a column', dataTable({ row_header_column_index: 1 }), 'message', /from 0 to 0/],
  [
    'rich text in the head',
    dataTable({ rows: [[{ type: 'rich_text', elements: [] }], [cell('a')]] }),
    'message',
    /rich_text is not allowed in the header row/,
  ],
  [
    'a number without a value',
    dataTable({ rows: [[cell('a')], [{ type: 'raw_number', text: '1' }]] }),
    'message',
    /must be a number/,
  ],
  ['a plain table', { type: 'table', rows: [[cell('a')]] }, 'message', /unsupported type: table/],
  ['a data table in a form', dataTable(), 'modal', /not allowed in a modal/],
  ['an unknown block', { type: 'sparkle' }, 'message', /unsupported type: sparkle/],
  ['an unknown element', actions({ type: 'knob' }), 'message', /unsupported type: knob/],
  ['a block that no template uses', { type: 'markdown', text: '*a*' }, 'message', /unsupported type: markdown/],
  ['an element that no template uses', actions({ type: 'overflow' }), 'message', /unsupported type: overflow/],
  ['a chart that no template uses', { ...barChart(1, 1), chart: { type: 'pie' } }, 'message', /must be one of: bar/],
  ['a misspelt field', section({ text: mrkdwn('a'), acessory: button() }), 'message', /unknown field: acessory/],
  ['a section without text', section({}), 'message', /missing required field: text or fields/],
  ['an empty text', section({ text: mrkdwn('') }), 'message', /must be more than 0 characters/],
  ['mrkdwn in a header', { type: 'header', text: mrkdwn('*a*') }, 'message', /must be of type plain_text/],
  ['mrkdwn on a button', actions(button({ text: mrkdwn('a') })), 'message', /must be of type plain_text/],
  ['an unknown button style', actions(button({ style: 'warning' })), 'message', /must be one of: primary, danger/],
  ['an invalid URL', actions(button({ url: 'javascript:alert(1)' })), 'message', /valid URL/],
  [
    'a confirm without a deny',
    actions(button({ confirm: { title: plain('a'), text: plain('b'), confirm: plain('c') } })),
    'message',
    /missing required field: deny/,
  ],
  ['an actions block without elements', actions(), 'message', /no less than 1 items/],
  ['a duplicate action_id in a block', actions(button(), button()), 'message', /already exists in this block/],
  [
    'a duplicate option value',
    actions(select({ options: [option(1), option(1)] })),
    'message',
    /option value already exists/,
  ],
  [
    'an initial option that is not an option',
    actions(select({ initial_option: option(2) })),
    'message',
    /must exactly match/,
  ],
  [
    'a text input outside an input block',
    actions({ type: 'plain_text_input', action_id: 'i' }),
    'message',
    /not allowed in actions/,
  ],
  ['a button in an input block', input(button()), 'message', /not allowed in input/],
  ['a chart in App Home', barChart(1, 1), 'home', /not allowed in a home/],
];

/** A field that Slack does not know where it is. Each place is correct without it. */
const FOREIGN: [string, (more: Record<string, unknown>) => unknown][] = [
  ['a button', (more) => actions(button(more))],
  ['a menu', (more) => actions(select(more))],
  ['a menu of people', (more) => actions({ type: 'users_select', action_id: 'a', ...more })],
  ['a menu of conversations', (more) => actions({ type: 'conversations_select', action_id: 'a', ...more })],
  ['a menu with options of the app', (more) => actions({ type: 'external_select', action_id: 'a', ...more })],
  ['a date', (more) => actions({ type: 'datepicker', action_id: 'a', ...more })],
  ['a text input', (more) => input({ type: 'plain_text_input', action_id: 'a', ...more })],
  ['an option', (more) => actions(select({ options: [option(1, more)] }))],
  ['a confirm', (more) => actions(button({ confirm: confirm(more) }))],
  ['a plain text', (more) => actions(button({ text: { ...plain('a'), ...more } }))],
  ['a mrkdwn text', (more) => section({ text: { ...mrkdwn('a'), ...more } })],
  ['a cell', (more) => dataTable({ rows: [[cell('a')], [{ ...cell('b'), ...more }]] })],
  ['a number', (more) => dataTable({ rows: [[cell('a')], [{ ...number, ...more }]] })],
  ['rich text', (more) => dataTable({ rows: [[cell('a')], [richText([{ type: 'text', text: 'b' }], more)]] })],
  [
    'a part of rich text',
    (more) => dataTable({ rows: [[cell('a')], [richText([{ type: 'user', user_id: 'U1', ...more }])]] }),
  ],
  ['a chart', (more) => ({ ...barChart(1, 1), chart: { ...barChart(1, 1).chart, ...more } })],
];

describe('a message or view with a mistake', () => {
  it.each(WRONG)('%s is refused', (_, block, surface, reason) => {
    expect(checkBlocks([block], surface).join('\n')).toMatch(reason);
  });

  it.each(FOREIGN)('a field that does not belong in %s is refused', (_, make) => {
    expect(checkBlocks([make({})], 'message')).toEqual([]);

    expect(checkBlocks([make({ disabled: true })], 'message').join()).toMatch(/unknown field: disabled/);
  });

  it.each([
    ['verbatim', 'plain text', button({ text: { ...plain('a'), verbatim: true } })],
    ['emoji', 'mrkdwn', button({ confirm: confirm({ text: { ...mrkdwn('a'), emoji: true } }) })],
    ['url', 'an option of a menu', select({ options: [option(1, { url: 'https://a.example' })] })],
    ['accessibility_label', 'a menu', select({ accessibility_label: 'a' })],
  ])('a %s in %s is refused', (field, _, element) => {
    expect(checkBlocks([actions(element)], 'message').join()).toMatch(`unknown field: ${field}`);
  });

  it('with a duplicate block_id is refused', () => {
    expect(
      checkBlocks([section({ text: mrkdwn('a'), block_id: 'x' }), { type: 'divider', block_id: 'x' }], 'message'),
    ).toEqual(['block_id already exists: x [json-pointer:/blocks/1]']);
  });

  it.each([['an input', input({ type: 'plain_text_input', action_id: 'i' }), 'message']] as const)(
    'accepts %s where it belongs',
    (_, block, surface) => {
      expect(checkBlocks([block], surface)).toEqual([]);
    },
  );
});

const VIEWS: [string, number, (size: number) => Record<string, unknown>][] = [
  ['title', 24, (size) => modal({ title: plain(long(size)) })],
  ['submit', 24, (size) => modal({ submit: plain(long(size)) })],
  ['close', 24, (size) => modal({ close: plain(long(size)) })],
  ['private_metadata', 3_000, (size) => modal({ private_metadata: long(size) })],
  ['callback_id', 255, (size) => modal({ callback_id: long(size) })],
  ['blocks', 100, (size) => modal({ blocks: many(size, () => ({ type: 'divider' })) })],
];

describe('a view limit', () => {
  it.each(VIEWS)('%s: %i is accepted, one more is refused', (_, max, make) => {
    expect(checkView(make(max))).toEqual([]);

    expect(checkView(make(max + 1))).not.toEqual([]);
  });

  it('demands a submit button with inputs', () => {
    expect(checkView(modal({ submit: undefined })).join()).toMatch(/submit is required/);
  });

  it('forbids a title in App Home', () => {
    expect(checkView({ type: 'home', title: plain('a'), blocks: [] }).join()).toMatch(/unknown field: title/);
  });

  it('forbids what only modals of workflows may have', () => {
    expect(checkView(modal({ submit_disabled: true })).join()).toMatch(/unknown field: submit_disabled/);
  });
});

it('names a source for every limit', () => {
  for (const { source } of Object.values(LIMITS)) expect(source).toMatch(/^https:\/\//);
});
