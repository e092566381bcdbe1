/** Longest `text` that can still be edited later. https://docs.slack.dev/reference/methods/chat.update */
export const MESSAGE_TEXT_MAX = 4000;

/** Blocks in one message. https://docs.slack.dev/reference/block-kit/blocks */
export const MESSAGE_BLOCKS_MAX = 50;

/**
 * Characters of all texts in a message's blocks, with the names of their types. Slack documents no limit; refusals were
 * seen near 13,200 characters.
 * https://github.com/slackapi/bolt-js/issues/2509
 */
export const MESSAGE_SIZE_MAX = 12_000;

/** Blocks in a modal or App Home. https://docs.slack.dev/reference/block-kit/blocks */
export const VIEW_BLOCKS_MAX = 100;

/** Text of a header block, plain text. https://docs.slack.dev/reference/block-kit/blocks/header-block */
export const HEADER_TEXT_MAX = 150;

/** Text of a section block. https://docs.slack.dev/reference/block-kit/blocks/section-block */
export const SECTION_TEXT_MAX = 3000;

/** Fields of a section block, and the text of each. https://docs.slack.dev/reference/block-kit/blocks/section-block */
export const SECTION_FIELDS_MAX = 10;
export const SECTION_FIELD_TEXT_MAX = 2000;

/** Elements of a context block. https://docs.slack.dev/reference/block-kit/blocks/context-block */
export const CONTEXT_ELEMENTS_MAX = 10;

/** Any text object. https://docs.slack.dev/reference/block-kit/composition-objects/text-object */
export const TEXT_OBJECT_MAX = 3000;

/** Text of a button. https://docs.slack.dev/reference/block-kit/block-elements/button-element */
export const BUTTON_TEXT_MAX = 75;

/** Parts of a confirmation dialog. https://docs.slack.dev/reference/block-kit/composition-objects/confirmation-dialog-object */
export const CONFIRM_TITLE_MAX = 100;
export const CONFIRM_TEXT_MAX = 300;
export const CONFIRM_BUTTON_MAX = 30;

/** Text of an option in a menu. https://docs.slack.dev/reference/block-kit/composition-objects/option-object */
export const OPTION_TEXT_MAX = 75;

/** Label and hint of an input. https://docs.slack.dev/reference/block-kit/blocks/input-block */
export const INPUT_LABEL_MAX = 2000;
export const INPUT_HINT_MAX = 2000;

/** Placeholder of an input. https://docs.slack.dev/reference/block-kit/block-elements/plain-text-input-element */
export const PLACEHOLDER_MAX = 150;

/** Title, submit and close of a modal. https://docs.slack.dev/reference/views/modal-views */
export const MODAL_TITLE_MAX = 24;

/** Options of a menu. https://docs.slack.dev/reference/block-kit/block-elements/select-menu-element */
export const SELECT_OPTIONS_MAX = 100;

/** Rows of a sortable table, including the header. https://docs.slack.dev/reference/block-kit/blocks/data-table-block */
export const DATA_TABLE_ROWS_MAX = 101;

/** Parts of a chart. https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block */
export const CHART_TITLE_MAX = 50;
export const CHART_LABEL_MAX = 50;
export const CHART_CATEGORIES_MAX = 20;
