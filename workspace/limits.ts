/** A limit of Slack, with the page that documents it. */
export interface Limit {
  readonly max: number;
  readonly source: string;
}

const DOCS = 'https://docs.slack.dev';
const BLOCKS = `${DOCS}/reference/block-kit/blocks`;
const ELEMENTS = `${DOCS}/reference/block-kit/block-elements`;
const OBJECTS = `${DOCS}/reference/block-kit/composition-objects`;
const METHODS = `${DOCS}/reference/methods`;
const RATES = `${DOCS}/apis/web-api/rate-limits`;

function limit(max: number, source: string): Limit {
  return { max, source };
}

/**
 * Every size limit that the workspace enforces. Lengths are in characters; the rest are counts unless the name says
 * otherwise.
 */
export const LIMITS = {
  messageBlocks: limit(50, BLOCKS),
  viewBlocks: limit(100, BLOCKS),
  blockId: limit(255, BLOCKS),
  actionId: limit(255, ELEMENTS),
  /** Undocumented; failures were reported from this size on. */
  blocksTotal: limit(13_200, 'https://github.com/slackapi/bolt-js/issues/2509'),
  postText: limit(40_000, `${METHODS}/chat.postMessage`),
  updateText: limit(4_000, `${METHODS}/chat.update`),
  attachments: limit(100, `${METHODS}/chat.postMessage`),
  metadataBytes: limit(16_384, `${DOCS}/messaging/message-metadata`),

  text: limit(3_000, `${OBJECTS}/text-object`),
  sectionText: limit(3_000, `${BLOCKS}/section-block`),
  sectionFields: limit(10, `${BLOCKS}/section-block`),
  sectionField: limit(2_000, `${BLOCKS}/section-block`),
  header: limit(150, `${BLOCKS}/header-block`),
  contextElements: limit(10, `${BLOCKS}/context-block`),
  actionsElements: limit(25, `${BLOCKS}/actions-block`),
  markdownTotal: limit(12_000, `${BLOCKS}/markdown-block`),
  tableCells: limit(20, `${BLOCKS}/data-table-block`),
  tableCharacters: limit(10_000, `${BLOCKS}/data-table-block`),
  dataTableRows: limit(101, `${BLOCKS}/data-table-block`),
  dataTablePage: limit(100, `${BLOCKS}/data-table-block`),
  chartsInMessage: limit(2, `${BLOCKS}/data-visualization-block`),
  chartTitle: limit(50, `${BLOCKS}/data-visualization-block`),
  chartSeries: limit(12, `${BLOCKS}/data-visualization-block`),
  chartCategories: limit(20, `${BLOCKS}/data-visualization-block`),
  inputLabel: limit(2_000, `${BLOCKS}/input-block`),
  inputHint: limit(2_000, `${BLOCKS}/input-block`),

  buttonText: limit(75, `${ELEMENTS}/button-element`),
  buttonValue: limit(2_000, `${ELEMENTS}/button-element`),
  buttonUrl: limit(3_000, `${ELEMENTS}/button-element`),
  accessibilityLabel: limit(75, `${ELEMENTS}/button-element`),
  placeholder: limit(150, `${ELEMENTS}/plain-text-input-element`),
  selectOptions: limit(100, `${ELEMENTS}/select-menu-element`),
  inputLength: limit(3_000, `${ELEMENTS}/plain-text-input-element`),

  confirmTitle: limit(100, `${OBJECTS}/confirmation-dialog-object`),
  confirmText: limit(300, `${OBJECTS}/confirmation-dialog-object`),
  confirmButton: limit(30, `${OBJECTS}/confirmation-dialog-object`),
  optionText: limit(75, `${OBJECTS}/option-object`),
  optionValue: limit(75, `${OBJECTS}/option-object`),
  optionDescription: limit(75, `${OBJECTS}/option-object`),

  viewTitle: limit(24, `${DOCS}/reference/views/modal-views`),
  viewSubmit: limit(24, `${DOCS}/reference/views/modal-views`),
  viewClose: limit(24, `${DOCS}/reference/views/modal-views`),
  callbackId: limit(255, `${DOCS}/reference/views/modal-views`),
  privateMetadata: limit(3_000, `${DOCS}/reference/views/modal-views`),
  viewBytes: limit(250_000, `${METHODS}/views.open`),
  viewStack: limit(3, `${DOCS}/surfaces/modals`),

  triggerAgeMs: limit(3_000, `${DOCS}/surfaces/modals`),
  acknowledgeMs: limit(3_000, `${DOCS}/tools/bolt-js/concepts/acknowledge`),
  responseUrlUses: limit(5, `${DOCS}/interactivity/handling-user-interaction`),
  responseUrlAgeMs: limit(30 * 60 * 1000, `${DOCS}/interactivity/handling-user-interaction`),
} satisfies Record<string, Limit>;

/** Calls per minute in each of Slack's tiers. https://docs.slack.dev/apis/web-api/rate-limits */
export const TIERS = {
  tier1: limit(1, RATES),
  tier2: limit(20, RATES),
  tier3: limit(50, RATES),
  tier4: limit(100, RATES),
} satisfies Record<string, Limit>;

/** The name of a tier. */
export type Tier = keyof typeof TIERS;
