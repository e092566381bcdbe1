/**
 * Every `action_id` and `callback_id` that a person can press, select or submit, in one place.
 *
 * A control's `value` is always an opaque id (an alert, a pending choice, a request), never card data: it comes back
 * from the client, and Slack keeps it in the message.
 */
export const actionId = {
  approveRemedy: 'approve_remedy',
  /** The same on a warning, which never changes. */
  fixSubscription: 'fix_subscription',
  blockCard: 'block_card',
  activateCard: 'activate_card',
  acknowledgeAlert: 'acknowledge_alert',
  requestIncrease: 'request_increase',
  /** The same on the warning that a subscription keeps failing. */
  askForSubscription: 'ask_for_subscription',
  decideRequestApprove: 'decide_request_approve',
  decideRequestDeny: 'decide_request_deny',
  /** In App Home, on the viewer's own request. */
  withdrawRequest: 'withdraw_request',
  revertNow: 'revert_now',
  /** One card of a card-testing warning, chosen from a list; or all of them. */
  blockTestedCard: 'block_tested_card',
  blockTestedCards: 'block_tested_cards',
  /** "Change and approve…", "Deny with note…", "Break glass…" on a request: each opens a form. */
  changeRequest: 'change_request',
  denyWithNote: 'deny_with_note',
  overrideRequest: 'break_glass',
  /** "Somebody changed it meanwhile": restore it or leave it. */
  restore: 'put_back',
  leaveIt: 'leave_it',
  /** Undoes a block that was just made. */
  undoBlock: 'undo_block',
  /** *Ask them*, on a refusal. */
  askPermission: 'ask_permission',
  /** "Which card did you mean?" */
  chooseCard: 'choose_card',
  /** "This is my card", after the email addresses matched. */
  confirmOwnCard: 'confirm_own_card',
  /** On a claim, pressed by an approver. */
  confirmClaim: 'confirm_claim',
  refuseClaim: 'refuse_claim',
  /** "It was me", on a message to the holder. */
  recognize: 'recognize_purchase',
  /** `/card` alone: the menu of cards, and what can be done with the chosen card. */
  pickCard: 'pick_card',
  /** In App Home. The value is a sealed card. */
  homeActivate: 'home_activate',
  homeBlock: 'home_block',
  homeAsk: 'home_ask',
  setPreference: 'set_preference',
  /** In App Home: the card program whose cards it shows. */
  chooseProgram: 'choose_program',
  /** Below a list in App Home. The value is the list and the page. */
  previousPage: 'previous_page',
  nextPage: 'next_page',
  nameDelegate: 'name_delegate',
  endDelegation: 'end_delegation',
  pickedShow: 'picked_show',
  pickedActivate: 'picked_activate',
  pickedBlock: 'picked_block',
  pickedUnblock: 'picked_unblock',
  pickedLimit: 'picked_limit',
  /** One alert in a message that shows several. */
  openAlert: 'open_alert',
  /** *Details* of an alert, in a channel or in a message to the cardholder. */
  showDetails: 'show_details',
  showHolderDetails: 'show_holder_details',
  closeFraudCase: 'close_fraud_case',
  /** Link buttons: Slack sends a block action for these too. */
  trackShipment: 'track_shipment',
} as const;

export const callbackId = {
  raiseLimit: 'raise_limit',
  cardPicker: 'card_picker',
  limitCard: 'limit_card',
  orderVirtual: 'order_virtual',
  decideRequest: 'decide_request',
  askForRaise: 'ask_for_more',
  delegate: 'delegate',
  /** Global shortcut, and the form it opens. */
  cardCommand: 'card_command',
  /** Shortcut on a message. */
  explainDecline: 'explain_decline',
} as const;
